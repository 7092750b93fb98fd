"""The released records nearest to what an intruder knows of a person, by the kernels of linkage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.attacks.material import Material
from shoal.classes import subjects_of_each
from shoal.measures.column_pair import ColumnPair
from shoal.measures.linkage import distinct_points, points_of
from shoal.points import Points
from shoal.progress import Progress

REPORTED = 512
"""Searches between two reports of progress."""

T = TypeVar("T")


def reported(items: Sequence[T], progress: Progress) -> Iterator[T]:
    """Yield items, and report now and then how many are done."""
    for done, item in enumerate(items):
        yield item
        if done % REPORTED == 0:
            progress(done, len(items))


def known_points(columns: tuple[ColumnPair, ...]) -> Points:
    """Return what the intruder knows as points, in the units of the release, which is what the intruder has."""
    return points_of(columns, "original", unit="released")


def released_points(columns: tuple[ColumnPair, ...]) -> Points:
    """Return the released records as points in the same units."""
    return points_of(columns, "released", unit="released")


def chances_of_linkage(
    material: Material, known: Points, released: Points, *, progress: Progress | None = None
) -> NDArray[np.float64]:
    """Return for each record the chance that its own, of its number, is picked among the released ones nearest to it.

    Notes
    -----
    A tie between records of c persons counts 1/c. Records that are equal in what is known of them are equally likely
    to be meant. Equal points are searched for once, and a search ends as soon as a released record is found nearer than
    the own one: see `shoal.measures.linkage.link`, here in the other direction.
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
    return np.asarray(np.where(candidates > 0, members / per_record, 0.0)[place])


def nearest_rows(
    known: Points, released: Points, rows: NDArray[np.int64], count: int, *, progress: Progress
) -> NDArray[np.int32]:
    """Return the released records nearest to some of those known, nearest first; −1 where there are fewer than asked.

    Equally near records stand in the order of their numbers.
    """
    both = known.take(rows).above(released)
    tree = _core.KdTree(both.records(), np.arange(len(rows), len(both), dtype=np.int32))
    result = np.full((len(rows), count), -1, dtype=np.int32)
    for number in reported(range(len(rows)), progress):
        nearest = tree.nearest(number, min(count, len(released)))
        result[number, : len(nearest)] = nearest - len(rows)
    return result


def nearest_distances(
    known: Points, released: Points, rows: NDArray[np.int64], *, progress: Progress
) -> NDArray[np.float64]:
    """Return the squared distance from some of those known to the nearest released record."""
    _, distinct = distinct_points(released)
    tree, records = _core.KdTree(distinct.records(), np.arange(len(distinct), dtype=np.int32)), known.records()
    return np.array([tree.nearest_ties(records, row)[0] for row in reported(rows.tolist(), progress)])
