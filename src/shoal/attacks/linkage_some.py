"""Linkage by a few columns: who knows some quasi-identifiers of a person picks the nearest released record."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.attacks.definition import Attack
from shoal.attacks.linkage import not_of_a_permutation, random_record
from shoal.attacks.material import Material
from shoal.attacks.nearest import chances_of_linkage, known_points, released_points
from shoal.attacks.outcome import Outcome
from shoal.subsets import Subsets

MOST_KNOWN = 3
"""Columns that the intruder knows, where there are more."""
SETS = 6
"""Sets of columns that are tried, drawn where there are more."""


def _run(material: Material) -> Iterator[Outcome]:
    size = min(MOST_KNOWN, len(material.known) - 1)
    sets = Subsets.of(material.known, size, sample=SETS, seed=material.seed).drawn
    total = np.zeros(len(material))
    rates = {}
    for number, names in enumerate(sets):
        columns = tuple(column for column in material.columns if column.name in names)

        def progress(done: int, of: int, number: int = number) -> None:
            material.progress(number * of + done, len(sets) * of)

        chances = chances_of_linkage(material, known_points(columns), released_points(columns), progress=progress)
        rates[" + ".join(names)] = float(material.per_person(chances).mean())
        total += chances
    yield Outcome(material.per_person(total / len(sets)), random_record(material), detail=rates)


def _why_not(material: Material) -> str | None:
    if len(material.known) < 2:
        return "it needs two columns or more, to know some and not the others"
    return not_of_a_permutation(material)


LINKAGE_SOME = Attack(
    "linkage_some",
    "linkage by a few columns",
    f"As linkage by distance, by an intruder who knows up to {MOST_KNOWN} of the quasi-identifiers and not all; the "
    f"mean over up to {SETS} sets of them.",
    "Pagliuca and Seri 1999; Nin et al. 2008",
    _run,
    why_not=_why_not,
    promised=True,
)
