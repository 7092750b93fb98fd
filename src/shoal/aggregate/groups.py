"""Groups: a partition seen from the groups' side, worked out once and shared by the operators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of a partition.

    Parameters
    ----------
    labels
        The group of each record, groups numbered from 0 without gaps.

    Examples
    --------
    >>> groups = Groups(np.array([0, 1, 0, 1, 1]))
    >>> groups.sizes.tolist()
    [2, 3]
    """

    labels: NDArray[np.int64]

    @cached_property
    def count(self) -> int:
        """How many groups there are."""
        return int(self.labels.max()) + 1 if len(self.labels) else 0

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each group."""
        return np.bincount(self.labels, minlength=self.count)

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The first record of each group."""
        first = np.full(self.count, len(self.labels), dtype=np.int64)
        np.minimum.at(first, self.labels, np.arange(len(self.labels)))
        return first

    def among(self, present: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Return the number of records of each group where a mask holds (all of them without a mask)."""
        if present is None:
            return self.sizes
        return np.bincount(self.labels[present], minlength=self.count)
