"""Records replaced by the averages of their groups: the release that every paper measures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def averages(x: Numbers, labels: NDArray[np.int64]) -> Numbers:
    """Give each record the average of its group."""
    columns = x.reshape(len(labels), -1)
    sums = np.stack([np.bincount(labels, column) for column in columns.T], axis=1)
    means: Numbers = (sums / np.bincount(labels)[:, None])[labels]
    return means.reshape(x.shape)
