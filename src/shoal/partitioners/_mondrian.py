"""Mondrian: cells cut in two where they differ most, again and again, as long as both halves have k."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.points import Points, comparable, require_subjects
from shoal.progress import Progress


def mondrian(points: ArrayLike | Points, k: int, *, progress: Progress | None = None) -> NDArray[np.int64]:
    """Partition records into cells of at least k subjects by cuts across one attribute at a time.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points` with ordinal and nominal attributes and subjects.
    k
        Fewest subjects of a group. Where every record is a subject of its own, groups have k to 2k - 1 records.
    progress
        Called about ten times a second with the number of records settled and the number of records.

    Returns
    -------
    labels
        The group of each record, groups numbered from 0 in the order of the cuts, lower halves first.

    Notes
    -----
    The multidimensional partitioning of LeFevre et al. 2006, with cells averaged instead of generalized to ranges. A
    cell is cut across the attribute of the greatest variance (nominal: half its weight times the chance that two
    records differ), between records sorted by it (nominal: by code), equal ones by row: below are the first half of as
    many groups of k as the cell has. A half with fewer than k subjects takes the next attribute instead; where none is
    left the cell is a group.

    It takes n log n steps in any number of dimensions, and loses far more than MDAV does. `cells` stops it early.

    Examples
    --------
    >>> mondrian([[0.0, 0.1], [5.0, 5.2], [0.2, 0.0], [5.1, 5.0]], 2)
    array([0, 1, 0, 1])
    """
    points = comparable(points)
    k = require_subjects(k, points)
    return _core.mondrian(points.records(), k, progress)
