"""Linkage by distance: who knows quasi-identifiers of a person picks the nearest released record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from shoal.attacks.declaration import Attack, Baseline, Outcome
from shoal.attacks.material import Material
from shoal.attacks.nearest import chances_of_linkage, known_points, released_points
from shoal.kinds.direction import spread_of
from shoal.measures.column_pair import ColumnPair
from shoal.subsets import Subsets


def random_record(material: Material) -> Baseline:
    """Return the rate of who knows nothing, and picks any of the persons in the release."""
    return Baseline(1 / material.persons, f"any of the {material.persons:,} {material.counted} of the release")


def not_of_a_permutation(material: Material) -> str | None:
    """Refuse a release whose quasi-identifiers are nobody's secret."""
    if material.is_permuted:
        return 'release = "permute" leaves quasi-identifiers as they are, and hides whose the confidential values are'
    return None


def link(material: Material, columns: tuple[ColumnPair, ...]) -> Iterator[Outcome]:
    """Try linkage by these columns: what is known of persons, and what was released."""
    chances = chances_of_linkage(material, known_points(columns), released_points(columns))
    yield Outcome(material.per_person(chances), random_record(material))


LINKAGE = Attack(
    "linkage",
    "linkage by distance",
    "An intruder who knows the original quasi-identifiers of a person picks the nearest released record (numbers in "
    "standard deviations of the release, ordinal steps divided by the number of categories, nominal values 0 or 1 "
    "apart); it succeeds if the record is that person's, and a tie between c persons counts 1/c.",
    "Pagliuca and Seri 1999; Domingo-Ferrer and Torra 2001",
    lambda material: link(material, material.columns),
    why_not=not_of_a_permutation,
    promised=True,
)


MOST_KNOWN = 3
"""Columns that the intruder knows, where there are more."""
SETS = 6
"""Sets of columns that are tried, drawn where there are more."""


def _link_by_some(material: Material) -> Iterator[Outcome]:
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


LINKAGE_SOME = Attack(
    "linkage_some",
    "linkage by a few columns",
    f"As linkage by distance, by an intruder who knows up to {MOST_KNOWN} of the quasi-identifiers and not all; the "
    f"mean over up to {SETS} sets of them.",
    "Pagliuca and Seri 1999; Nin et al. 2008",
    _link_by_some,
    why_not=lambda material: (
        not_of_a_permutation(material)
        if len(material.known) >= 2
        else "it needs two columns or more, to know some and not the others"
    ),
    promised=True,
)


NOISE = 0.1
"""Of a number the deviation of the error, in those of the column; of a category the chance that it is wrong."""


def _mistaken(column: ColumnPair, generator: np.random.Generator) -> ColumnPair:
    """Return a column with errors in what is known."""
    known = column.original
    if column.is_directional or column.is_continuous:
        deviation = spread_of(known) if column.is_directional else column.spread.deviation
        return replace(column, original=known + NOISE * deviation * generator.standard_normal(known.shape))
    wrong = generator.random(len(known)) < NOISE
    if column.kind.is_ordinal:
        steps = np.where(generator.random(len(known)) < 0.5, -1, 1).astype(known.dtype)
        return replace(column, original=np.clip(known + np.where(wrong, steps, 0), 0, column.levels - 1))
    return replace(column, original=np.where(wrong, known[generator.permutation(len(known))], known))


def _link_with_noise(material: Material) -> Iterator[Outcome]:
    generator = material.generator("noise")
    return link(material, tuple(_mistaken(column, generator) for column in material.columns))


LINKAGE_NOISE = Attack(
    "linkage_noise",
    "linkage with errors",
    "As linkage by distance, by an intruder whose knowledge has errors: numbers are off by a normal error of "
    f"{NOISE:g} standard deviations, ordinal values by a step and nominal ones replaced by another person's with "
    f"probability {NOISE:g}.",
    "Spruill 1983; Winkler 2004",
    _link_with_noise,
    why_not=not_of_a_permutation,
    promised=True,
)
