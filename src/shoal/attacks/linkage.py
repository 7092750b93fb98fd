"""Linkage by distance: who knows the quasi-identifiers of a person picks the nearest released record."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.attacks.definition import Attack
from shoal.attacks.material import Material
from shoal.attacks.nearest import chances_of_linkage, known_points, released_points
from shoal.attacks.outcome import Baseline, Outcome


def random_record(material: Material) -> Baseline:
    """Return the rate of who knows nothing, and picks any of the persons in the release."""
    return Baseline(1 / material.persons, f"any of the {material.persons:,} {material.counted} of the release")


def not_of_a_permutation(material: Material) -> str | None:
    """Refuse a release whose quasi-identifiers are nobody's secret."""
    if material.is_permuted:
        return 'release = "permute" leaves quasi-identifiers as they are, and hides whose the confidential values are'
    return None


def _run(material: Material) -> Iterator[Outcome]:
    columns = material.columns
    chances = chances_of_linkage(material, known_points(columns), released_points(columns))
    yield Outcome(material.per_person(chances), random_record(material))


LINKAGE = Attack(
    "linkage",
    "linkage by distance",
    "An intruder who knows the original quasi-identifiers of a person picks the nearest released record (numbers in "
    "standard deviations of the release, ordinal steps divided by the number of categories, nominal values 0 or 1 "
    "apart); it succeeds if the record is that person's, and a tie between c persons counts 1/c.",
    "Pagliuca and Seri 1999; Domingo-Ferrer and Torra 2001",
    _run,
    why_not=not_of_a_permutation,
    promised=True,
)
