"""Dominance: the mean of a class is taken for the value of whoever weighs most in it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.attacks.declaration import Attack, Baseline, Outcome
from shoal.attacks.material import Material
from shoal.attacks.secret import NEAR
from shoal.classes import equivalence_classes
from shoal.encode import read_weights
from shoal.measures.column_pair import ColumnPair


def _averaged(material: Material) -> list[ColumnPair]:
    return [c for c in material.columns if c.is_continuous and c.name in material.plan.averaged_names()]


def _run(material: Material) -> Iterator[Outcome]:
    assert material.plan.weights is not None, "asked before"
    weights = read_weights(material.original, material.plan.weights)
    numbers = np.arange(len(material)) if material.subjects is None else material.subjects.numbers
    pairs = equivalence_classes([material.classes, numbers])  # a person by all records in a class
    share = (np.bincount(pairs, weights)[pairs]) / np.bincount(material.classes, weights)[material.classes]
    order = np.lexsort((np.arange(len(share)), -share, material.classes))
    heaviest = order[np.unique(material.classes[order], return_index=True)[1]]
    others = np.delete(np.arange(len(share)), heaviest)
    if len(others) == 0:
        return
    near = np.zeros(len(share))
    columns = _averaged(material)
    for column in columns:
        near += np.abs(column.released - column.original) <= NEAR * column.released_spread.deviation
    near /= len(columns)
    text = "the same mean taken for the values of the others of the class"
    baseline = Baseline(float(near[others].mean()), text, "control", len(others))
    yield Outcome(near[heaviest], baseline, promised=False, detail={"largest share": float(share.max())})


def _why_not(material: Material) -> str | None:
    if material.plan.weights is None or material.plan.weights not in material.original.names:
        return "the plan names no weights, so nobody weighs more than others"
    if not _averaged(material):
        return "no known column is released as a mean"
    return None


DOMINANCE = Attack(
    "dominance",
    "dominance under weights",
    "An intruder takes the released mean of a class for the value of the person who weighs most in it; it succeeds, "
    f"column by column, if the mean lies within {NEAR:g} standard deviations of that value. The baseline is the same "
    "mean taken for the values of the others.",
    "Cox 1981; Hundepool et al. 2012",
    _run,
    why_not=_why_not,
    nothing="every class is of one record",
)
