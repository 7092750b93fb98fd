"""Rows of one subject: who knows several records of a person looks for whoever is in all of their classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.attacks.definition import Attack
from shoal.attacks.linkage import not_of_a_permutation
from shoal.attacks.material import Material
from shoal.attacks.outcome import Baseline, Outcome
from shoal.measures.risk.subjects import subjects_left

CANDIDATES = 1 << 25
"""Persons that are looked up in the classes of others, all together: of very large classes fewer persons are tried."""


def _run(material: Material) -> Iterator[Outcome]:
    assert material.subjects is not None, "asked before"
    numbers = material.subjects.numbers
    smallest = np.full(material.persons, np.iinfo(np.int64).max)
    np.minimum.at(smallest, numbers, material.class_sizes[material.classes])
    order = material.generator("subject rows").permutation(material.persons)
    chosen = np.zeros(material.persons, dtype=np.bool_)
    chosen[order[: max(1, int(np.searchsorted(np.cumsum(smallest[order]), CANDIDATES)))]] = True
    material.progress(0, 1)
    left = subjects_left(material.classes, numbers, chosen)
    one = material.per_person(1 / material.class_sizes[material.classes])[chosen]
    baseline = Baseline(float(one.mean()), "guessing among the persons in the class of any one record of the person")
    followed = material.plan.pseudonym_column() is not None
    alone = {"left alone": int((left == 1).sum())}
    yield Outcome(1 / left, baseline, total=material.persons, promised=followed, detail=alone)


def _why_not(material: Material) -> str | None:
    if material.subjects is None or bool((np.bincount(material.subjects.numbers) == 1).all()):
        return "no person has several records"
    return not_of_a_permutation(material)


SUBJECT_ROWS = Attack(
    "subject_rows",
    "rows of one person together",
    "An intruder who can tell which released records are of one person intersects the persons of all their classes and "
    "guesses among the c who are left, which counts 1/c.",
    "Terrovitis et al. 2008",
    _run,
    why_not=_why_not,
    internal_only=True,
)
