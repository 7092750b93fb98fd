"""Groups of k subjects as they are described: whom records are about, and who is gathered around one of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference.about import whose
from reference.average import average
from reference.distance import squared_distances
from shoal.points import Points

ALONG = 0.5625
"""Further records of the subjects of a group come along within three quarters of its radius: this is the square."""


def subject_count(points: Points, rows: NDArray[np.int64]) -> int:
    """Count the different subjects of ``rows``."""
    return len(np.unique(np.array(whose(points))[rows]))


def with_repeats(points: Points, rows: NDArray[np.int64], taken: list[int]) -> NDArray[np.int64]:
    """Return those of ``rows`` that were taken, or are about the same subject as one taken and equal to it."""
    subjects = np.array(whose(points))

    def repeats(row: int) -> NDArray[np.bool_]:
        same = subjects[rows] == subjects[row]
        for values in (points.coords, points.ranks, points.codes):
            same &= (values[rows] == values[row]).all(axis=1)
        return same

    return rows[np.any([repeats(row) for row in taken], axis=0)]


def nearest_of_each(points: Points, rows: NDArray[np.int64], row: int) -> tuple[list[int], list[float]]:
    """Return the record of each subject that is nearest to ``row``, nearest subject first, and their distances."""
    subjects = np.array(whose(points))
    distances = squared_distances(points, rows, points, row)
    found: list[int] = []
    found_at: list[float] = []
    for i in np.lexsort((rows, distances)):
        if subjects[rows[i]] not in subjects[found]:
            found.append(int(rows[i]))
            found_at.append(float(distances[i]))
    return found, found_at


def gather(points: Points, rows: NDArray[np.int64], row: int, k: int) -> NDArray[np.int64]:
    """Return ``row``, the nearest record of each of the k - 1 nearest other subjects, and what comes along."""
    subjects = np.array(whose(points))
    others, distances = nearest_of_each(points, rows[subjects[rows] != subjects[row]], row)
    taken = [row, *others[: k - 1]]
    radius = distances[k - 2]
    for candidate, distance in zip(rows, squared_distances(points, rows, points, row), strict=True):
        if distance < ALONG * radius:
            taken.append(int(candidate))
    return with_repeats(points, rows, taken)


def settle(points: Points, labels: NDArray[np.int64]) -> None:
    """Give each record without a group to the group whose average record is nearest."""
    averages = [average(points, np.flatnonzero(labels == group)) for group in range(labels.max() + 1)]
    for row in np.flatnonzero(labels < 0):
        labels[row] = np.argmin([squared_distances(points, np.array([row]), place)[0] for place in averages])
