"""Soria-Comas et al. 2015, Algorithm 1 with other partners than the nearest group: which comes to the printed sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.reproduce.exhibit import Numbers

Choice = Callable[[Numbers, np.random.Generator], int]

PARTNERS: Mapping[str, Choice] = {
    "nearest": lambda distances, random: int(distances.argmin()),
    "any": lambda distances, random: int(random.integers(len(distances))),
    "farthest": lambda distances, random: int(distances.argmax()),
}
"""Which of the other groups the worst one joins, by the distances of their centroids."""


def merge_with(
    partner: str, points: Numbers, confidential: Numbers, labels: NDArray[np.int64], ts: Iterable[float]
) -> dict[float, NDArray[np.int64]]:
    """Merge groups until each is within t, for every t, from the largest down, by one of `PARTNERS`.

    A few lines of NumPy that judge every group by the definition. `shoal.constrain.merge` is the algorithm to use.

    >>> x, y = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]]), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> merge_with("nearest", x, y, np.array([0, 0, 1, 1, 2, 2]), [0.2])[0.2]
    array([0, 0, 0, 0, 0, 0])
    >>> merge_with("farthest", x, y, np.array([0, 0, 1, 1, 2, 2]), [0.2])[0.2]
    array([0, 0, 1, 1, 0, 0])
    """
    random = np.random.default_rng(0)
    levels, codes = np.unique(confidential, return_inverse=True)
    steps = (codes[:, None] <= np.arange(len(levels))).astype(np.float64)  # of a record: its cumulative distribution
    table = steps.mean(axis=0)

    def distance(rows: NDArray[np.int64]) -> float:
        return float(np.abs(steps[rows].mean(axis=0) - table).sum() / max(len(levels) - 1, 1))

    members = [np.flatnonzero(labels == group) for group in range(int(labels.max()) + 1)]
    distances = [distance(rows) for rows in members]
    centres = [points[rows].mean(axis=0) for rows in members]
    labels_by_t = {}
    for t in sorted(ts, reverse=True):
        while max(distances) > t and len(members) > 1:
            worst = int(np.argmax(distances))
            others = np.delete(np.arange(len(members)), worst)
            apart = ((np.array(centres)[others] - centres[worst]) ** 2).sum(axis=1)
            first, second = sorted((worst, int(others[PARTNERS[partner](apart, random)])))
            members[first] = np.concatenate([members[first], members[second]])
            distances[first] = distance(members[first])
            centres[first] = points[members[first]].mean(axis=0)
            del members[second], distances[second], centres[second]
        result = np.empty(len(labels), dtype=np.int64)
        for number, rows in enumerate(members):
            result[rows] = number
        labels_by_t[t] = result
    return labels_by_t
