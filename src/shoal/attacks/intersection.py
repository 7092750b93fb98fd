"""Intersection: who stands in a person's class in several releases, or in all classes of that person's rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.attacks.declaration import Attack, Baseline, Outcome
from shoal.attacks.linkage import not_of_a_permutation
from shoal.attacks.material import Material
from shoal.classes import equivalence_classes, subjects_of_each
from shoal.measures.anonymity import Memberships, subjects_left


def _intersect_releases(material: Material) -> Iterator[Outcome]:
    others = (each.classes(material.known)[material.origins] for each in material.earlier)
    together = equivalence_classes([material.classes, *others])
    numbers = None if material.subjects is None else material.subjects.numbers
    left = subjects_of_each(together, numbers)[together]
    alone = material.per_person(1 / material.class_sizes[material.classes])
    baseline = Baseline(float(alone.mean()), "guessing inside the class of this release alone")
    chances = material.per_person(1 / left)
    yield Outcome(chances, baseline, detail={"left alone": int((chances == 1).sum())})


RELEASES = Attack(
    "releases",
    "two releases together",
    "An intruder who can match the rows of this release with those of others of the same table intersects the classes "
    "of a person in all of them and guesses among the c persons who are left, which counts 1/c.",
    "Sweeney 2002, complementary releases; Ganta et al. 2008",
    _intersect_releases,
    why_not=lambda material: (
        not_of_a_permutation(material) if material.earlier else "no other release of the table was given"
    ),
    promised=True,
)


CANDIDATES = 1 << 25
"""Persons that are looked up in the classes of others, all together: of very large classes fewer persons are tried."""


def _intersect_rows(material: Material) -> Iterator[Outcome]:
    assert material.subjects is not None, "asked before"
    numbers = material.subjects.numbers
    smallest = np.full(material.persons, np.iinfo(np.int64).max)
    np.minimum.at(smallest, numbers, material.class_sizes[material.classes])
    order = material.generator("subject rows").permutation(material.persons)
    chosen = np.zeros(material.persons, dtype=np.bool_)
    chosen[order[: max(1, int(np.searchsorted(np.cumsum(smallest[order]), CANDIDATES)))]] = True
    material.progress(0, 1)
    left = subjects_left(Memberships.of(material.classes, numbers), chosen)
    one = material.per_person(1 / material.class_sizes[material.classes])[chosen]
    baseline = Baseline(float(one.mean()), "guessing among the persons in the class of any one record of the person")
    followed = material.plan.pseudonym_column() is not None
    alone = {"left alone": int((left == 1).sum())}
    yield Outcome(1 / left, baseline, total=material.persons, promised=followed, detail=alone)


def _why_no_rows(material: Material) -> str | None:
    if material.subjects is None or bool((np.bincount(material.subjects.numbers) == 1).all()):
        return "no person has several records"
    return not_of_a_permutation(material)


SUBJECT_ROWS = Attack(
    "subject_rows",
    "rows of one person together",
    "An intruder who can tell which released records are of one person intersects the persons of all their classes and "
    "guesses among the c who are left, which counts 1/c.",
    "Terrovitis et al. 2008",
    _intersect_rows,
    why_not=_why_no_rows,
)
