"""Labels: the group of each record, checked at the boundary; and the rows that share a number."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import DataError


def read_labels(labels: ArrayLike, n: int | None = None) -> tuple[NDArray[np.int64], int]:
    """Take labels as int64 and count the groups; refuse labels that skip a number or do not fit n records."""
    array = np.asarray(labels)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) == 0:
        raise DataError("labels must be one integer per record, and at least one record must have one")
    array = np.ascontiguousarray(array, dtype=np.int64)
    if n is not None and len(array) != n:
        raise DataError(f"labels must hold one group per record, but there are {len(array)} for {n} records")
    count = int(array.max()) + 1
    if array.min() < 0 or count > len(array) or not np.bincount(array, minlength=count).all():
        raise DataError("labels must number the groups 0, 1, 2, ... without leaving one empty")
    return array, count


def rows_of_each(numbers: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the rows of each number, numbers in the order they first appear, rows in theirs.

    >>> [rows.tolist() for rows in rows_of_each(np.array([7, 3, 7]))]
    [[0, 2], [1]]
    """
    _, first, inverse, sizes = np.unique(numbers, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(inverse, kind="stable")
    parts = np.split(order, np.cumsum(sizes)[:-1])
    return [parts[i] for i in np.argsort(first, kind="stable")]
