"""The released records nearest to what an intruder knows of a person, by the kernels of linkage."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.attack.material import Material
from shoal.classes import subjects_of_each
from shoal.measure.column_pair import ColumnPair
from shoal.measure.linkage import Progress, distinct_points, points_of
from shoal.points import Points

REPORTED = 512
"""Searches between two reports of progress."""


def known_points(columns: tuple[ColumnPair, ...]) -> Points:
    """Return what the intruder knows as points, in the units of the release, which is what the intruder has."""
    return points_of(columns, "original", unit="released")


def released_points(columns: tuple[ColumnPair, ...]) -> Points:
    """Return the released records as points in the same units."""
    return points_of(columns, "released", unit="released")


def chances_of_linkage(
    material: Material, known: Points, released: Points, *, progress: Progress | None = None
) -> NDArray[np.float64]:
    """Return for each record the chance that its own is picked among the released records nearest to it.

    Parameters
    ----------
    material
        Says which records are of one person.
    known, released
        Record i of one is record i of the other.
    progress
        Called now and then with the searches done and to do.

    Notes
    -----
    A tie between records of c persons counts 1/c. Records that are equal in what is known of them are equally likely
    to be meant. Equal points are searched for once, and a search ends as soon as a released record is found nearer than
    the own one: see `shoal.measure.linkage.link`, here in the other direction.
    """
    place, persons = distinct_points(known)
    group, groups = distinct_points(released)
    numbers = None if material.subjects is None else material.subjects.numbers
    members, candidates = _core.link(
        groups.records(),
        subjects_of_each(group, numbers),
        persons.records(),
        group,
        place,
        progress or material.progress,
    )
    per_record = np.bincount(place) * np.maximum(candidates, 1)
    chances: NDArray[np.float64] = np.where(candidates > 0, members / per_record, 0.0)[place]
    return chances
