"""Linkage with noise: what the intruder knows of a person is not quite right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from shoal.attacks.definition import Attack
from shoal.attacks.linkage import not_of_a_permutation, random_record
from shoal.attacks.material import Material
from shoal.attacks.nearest import chances_of_linkage, known_points, released_points
from shoal.attacks.outcome import Outcome
from shoal.kinds import Kind
from shoal.kinds.directional import spread_of
from shoal.measures.column_pair import ColumnPair

NOISE = 0.1
"""Of a number the deviation of the error, in those of the column; of a category the chance that it is wrong."""


def _mistaken(column: ColumnPair, generator: np.random.Generator) -> ColumnPair:
    """Return a column with errors in what is known."""
    known = column.original
    if column.is_directional:
        return replace(column, original=known + NOISE * spread_of(known) * generator.standard_normal(known.shape))
    if column.is_continuous:
        return replace(column, original=known + NOISE * column.spread[1] * generator.standard_normal(len(known)))
    wrong = generator.random(len(known)) < NOISE
    if column.kind == Kind.ORDINAL:
        steps = np.where(generator.random(len(known)) < 0.5, -1, 1).astype(known.dtype)
        return replace(column, original=np.clip(known + np.where(wrong, steps, 0), 0, column.levels - 1))
    return replace(column, original=np.where(wrong, known[generator.permutation(len(known))], known))


def _run(material: Material) -> Iterator[Outcome]:
    generator = material.generator("noise")
    columns = tuple(_mistaken(column, generator) for column in material.columns)
    chances = chances_of_linkage(material, known_points(columns), released_points(columns))
    yield Outcome(material.per_person(chances), random_record(material))


LINKAGE_NOISE = Attack(
    "linkage_noise",
    "linkage with errors",
    "As linkage by distance, by an intruder whose knowledge has errors: numbers are off by a normal error of "
    f"{NOISE:g} standard deviations, ordinal values by a step and nominal ones replaced by another person's with "
    f"probability {NOISE:g}.",
    "Spruill 1983; Winkler 2004",
    _run,
    why_not=not_of_a_permutation,
    promised=True,
)
