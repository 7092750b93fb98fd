"""MDAV-generic as it is written: everything is looked at again in every step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference.about import whose
from reference.average import average
from reference.distance import farthest, nearest
from reference.subjects import gather, nearest_of_each, settle, subject_count, with_repeats
from shoal.points import Points


def mdav(points: Points, k: int) -> NDArray[np.int64]:
    """Label each record with its group: of records where every record is a subject of its own, else of subjects."""
    return mdav_of_subjects(points, k) if points.subjects.size else mdav_of_records(points, k)


def mdav_of_records(points: Points, k: int) -> NDArray[np.int64]:
    """Form groups of k records."""
    labels = np.full(len(points), -1)
    rows = np.arange(len(points))

    def form_group(row: int) -> None:
        nonlocal rows
        group = np.append(nearest(points, rows, row, k - 1), row)
        labels[group] = labels.max() + 1
        rows = np.setdiff1d(rows, group)

    while len(rows) >= 3 * k:
        r = farthest(points, rows, average(points, rows))
        form_group(r)
        s = farthest(points, rows, points, r)
        form_group(s)
    if len(rows) >= 2 * k:
        form_group(farthest(points, rows, average(points, rows)))
    labels[rows] = labels.max() + 1
    return labels


def mdav_of_subjects(points: Points, k: int) -> NDArray[np.int64]:
    """Form groups of the records of k subjects."""
    labels = np.full(len(points), -1)
    rows = np.arange(len(points))
    r = None
    while subject_count(points, rows) >= k:
        if r is None:
            row = r = farthest(points, rows, average(points, rows))
        else:
            row, r = farthest(points, rows, points, r), None
        group = gather(points, rows, row, k)
        rest = np.setdiff1d(rows, group)
        if subject_count(points, rest) < k:
            subjects = np.array(whose(points))
            outside = rest[~np.isin(subjects[rest], subjects[group])]
            added = nearest_of_each(points, outside, row)[0]
            if added:
                group = np.append(group, with_repeats(points, rest, added))
        labels[group] = labels.max() + 1
        rows = np.setdiff1d(rows, group)
    settle(points, labels)
    return labels
