"""Labels at the boundary: checked once, renumbered where groups have gone."""

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
