"""Membership: who lies near a released record is taken for a person of the table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.declaration import Attack, Baseline, Outcome
from shoal.attacks.material import Material
from shoal.attacks.nearest import known_points, nearest_distances, released_points

PERSONS = 10_000
"""Persons who are judged, inside and outside; of more, so many are drawn."""


def best_threshold(inside: NDArray[np.float64], outside: NDArray[np.float64]) -> float:
    """Return the distance below which the share of those inside exceeds that of those outside by most.

    >>> best_threshold(np.array([0.0, 1.0, 5.0]), np.array([2.0, 4.0, 6.0]))
    1.0
    """
    marks = np.unique(inside)
    within = np.searchsorted(np.sort(inside), marks, side="right") / len(inside)
    without = np.searchsorted(np.sort(outside), marks, side="right") / len(outside)
    return float(marks[(within - without).argmax()])


def _run(material: Material) -> Iterator[Outcome]:
    tables = (
        (material.columns, material.drawn(PERSONS, "membership")),
        (material.control_columns, material.drawn_control(PERSONS, "membership")),
    )

    def half(place: int) -> NDArray[np.float64]:
        columns, rows = tables[place]

        def progress(done: int, total: int) -> None:
            material.progress(place * total + done, 2 * total)

        return nearest_distances(known_points(columns), released_points(columns), rows, progress=progress)

    inside, outside = half(0), half(1)
    generator = material.generator("halves")
    first, second = (generator.permutation(len(each)) % 2 == 0 for each in (inside, outside))
    said_in, said_out = np.zeros(len(inside)), np.zeros(len(outside))
    for one, other in ((first, second), (~first, ~second)):
        limit = best_threshold(inside[one], outside[other])
        said_in[~one] = inside[~one] <= limit
        said_out[~other] = outside[~other] <= limit
    baseline = Baseline(
        float(said_out.mean()), "persons who are not in the table and are taken for such", "control", len(said_out)
    )
    yield Outcome(said_in, baseline, total=material.persons, promised=False)


def _why_not(material: Material) -> str | None:
    if material.control is None:
        return "no control was given: persons who are not in the table"
    if len(material.control) < 4 or material.persons < 4:
        return "it needs four persons or more inside and outside, to learn from half of them"
    return None


MEMBERSHIP = Attack(
    "membership",
    "membership",
    "An intruder who knows the quasi-identifiers of a person says that the person is in the table if a released record "
    "lies near enough; how near is learnt from one half of the persons and the control and tried on the other, both "
    "ways. The baseline is how often that is said of persons who are not.",
    "Homer et al. 2008; Shokri et al. 2017",
    _run,
    why_not=_why_not,
)
