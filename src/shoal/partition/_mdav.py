"""MDAV-generic: groups of k around the records farthest from the average, taken two by two."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.partition.engine import Engine, require_engine
from shoal.partition.method import Method
from shoal.points import Points, comparable, require_subjects


def mdav(
    points: ArrayLike | Points,
    k: int,
    *,
    engine: Engine = "auto",
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.int64]:
    """Partition records into groups of at least k by maximum distance to the average record.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points` with ordinal and nominal attributes.
    k
        Minimum group size. Every group has k records but the last, which has up to 2k - 1.
    engine
        How records are searched: "tree" (a k-d tree, close to linear time in few dimensions), "scan" (one pass over the
        records per question) or "auto" (what promises to be faster). The labels are the same.
    progress
        Called about ten times a second with the number of records settled and the number of records.

    Returns
    -------
    labels
        The group of each record, groups numbered from 0 as they are formed.

    Notes
    -----
    The algorithm MDAV-generic of Domingo-Ferrer and Torra 2005. While 3k records remain: r is the record farthest from
    the average record; r and its k - 1 nearest records are a group; s is the record farthest from r among the others; s
    and its k - 1 nearest are a group. When 2k to 3k - 1 remain, one more group around the farthest from the average;
    what is left is the last group. Among equally far or equally near records the lowest row is taken.

    Examples
    --------
    >>> mdav([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1], [9.2]], 2)
    array([0, 0, 2, 2, 2, 1, 1])
    """
    points = comparable(points)
    require_subjects(k, points)
    return _core.mdav(points.records(), k, require_engine(engine), progress)


MDAV = Method("mdav", mdav, "groups of k around the records farthest from the average; the last may have up to 2k-1")
