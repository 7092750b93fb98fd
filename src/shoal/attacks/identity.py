"""Identity: an identifier is still in the release, or what is known of persons under a name that the plan lacks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.declaration import Attack, Outcome
from shoal.attacks.linkage import random_record
from shoal.attacks.material import Material
from shoal.classes import subjects_of_each
from shoal.frames import Table
from shoal.kinds.text import category_text
from shoal.measures.control_records import codes_together
from shoal.measures.matching import agrees_beyond_chance
from shoal.measures.proportions import exact
from shoal.plan.attribute import Role

_TEXTS = ("string", "categorical")

COPIED = 0.9999
"""The confidence that a column agrees with what is known beyond chance: many are compared, and a copy agrees mostly."""


def chances_of_equality(
    known: NDArray[np.int64], released: NDArray[np.int64], subjects: NDArray[np.int32] | None
) -> NDArray[np.float64]:
    """Return for each record the chance that a released record with its very value is its own; −1 equals nothing.

    >>> chances_of_equality(np.array([7, 8, 9]), np.array([7, 7, -1]), None).tolist()
    [0.5, 0.0, 0.0]
    """
    there = released >= 0
    count = subjects_of_each(released[there], None if subjects is None else subjects[there])
    own = (known == released) & there
    chances = np.zeros(len(known))
    chances[own] = 1 / count[released[own]]
    return chances


def _written(table: Table) -> list[str]:
    """Return the columns whose cells can be compared as they are written."""
    return [name for name in table.names if table.dtype(name) not in ("duration", "other")]


def _left(material: Material) -> list[tuple[str, str]]:
    """Return which original column is looked up in which released one."""
    plan, released = material.plan, _written(material.released)
    dropped = plan.dropped_names()
    undeclared = [name for name in released if name not in plan.attributes]
    texts = [name for name in plan.names(Role.OTHER) if name in released and material.released.dtype(name) in _TEXTS]
    return [
        (name, other)
        for name in (*dropped, *material.known)
        if name in _written(material.original)
        for other in (*undeclared, *([name] if name in dropped and name in released else []), *texts)
        if other not in texts or (name in dropped and _share_a_text(material, name, other))
    ]


def _share_a_text(material: Material, name: str, other: str) -> bool:
    """Tell whether any cell of a column of the release is written as one of the original's."""
    if material.original.dtype(name) not in _TEXTS:
        return False
    labels = (material.original.categories(name).labels, material.released.categories(other).labels)
    return not set(map(category_text, labels[0])).isdisjoint(map(category_text, labels[1]))


def _names_the_right(known: NDArray[np.int64], released: NDArray[np.int64], persons: int) -> bool:
    """Tell whether identifiers stand beside their own records: all that are there, or more than by chance."""
    there = released >= 0
    present = int(np.isin(released[there], known).sum())
    own = int((known == released)[there].sum())
    return own > 0 and (own == present or exact(own, present, level=COPIED)[0] > 1 / persons)


def _run(material: Material) -> Iterator[Outcome]:
    subjects = None if material.subjects is None else material.subjects.numbers
    best = np.zeros(len(material))
    for name, other in _left(material):
        codes = codes_together(material.original, material.released, name, other)
        known, released = codes[: len(material)], codes[len(material) :]
        # Some cells agree by chance: those of a copied column do mostly, and an identifier leads to its own record.
        if name in material.known:
            copied = agrees_beyond_chance(known, released, level=COPIED)
        else:
            copied = _names_the_right(known, released, material.persons)
        if copied:
            best = np.maximum(best, chances_of_equality(known, released, subjects))
    yield Outcome(material.per_person(best), random_record(material))


IDENTITY = Attack(
    "identity",
    "identifiers left in",
    "An intruder who knows an identifier of a person looks it up among the columns of the release that the plan calls "
    "identifiers or does not declare, and in other texts; in undeclared columns also what else is known of the person, "
    "where a column agrees with it more often than by chance. It succeeds if the record found is that person's, and "
    "one of c persons found counts 1/c.",
    "Dalenius 1986",
    _run,
    why_not=lambda material: (
        None
        if _left(material)
        else "no identifier of the original is in the release, and no column that the plan does not declare"
    ),
    promised=True,
)
