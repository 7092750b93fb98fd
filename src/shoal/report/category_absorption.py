"""What classes leave open of the number of records that had some categories, by what stands for a class.

A class of m records left with one category, and everybody knows what that says of the others:

- *mode*: no category is more frequent than it. Of t others, all together, at most m - ⌈m / (t + 1)⌉ records had one:
  if x did, one of the t has x / t or more, and so has the mode, beside them; x + x / t ≤ m.
- *draw*: one record at least had it. That leaves more open than a mode does, so that what may be told of modes may be
  told of it.
- *median*: of the records in the order of categories, the one at place ⌊(m - 1) / 2⌋ (from 0) had it. So at most
  ⌊(m - 1) / 2⌋ had one below it and at most ⌊m / 2⌋ one above, as many as there are places.

The records that had none of some categories had one of the rest, so that at least m less the most of these had one of
them. A reader who believes that no category occurs but those of the release believes most (`shoal.report.absorption`):
of others, which nobody left with, more records may have had one of a list, and fewer the category that was released. A
lower median at the lowest of these levels had at least ⌈m / 2⌉ records of it, and one at the highest ⌊m / 2⌋ + 1.

Nothing as short holds of a medoid, a node above all or a convex median: how many records had a category depends on all
distances in the tree, or on what lies between the levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kinds import Operator
from shoal.kinds.operators import group_median
from shoal.report.absorption import Absorption

RECKONED = (Operator.MODE, Operator.DRAW, Operator.MEDIAN)
"""Operators of which it is known how many records of a class can have had some categories."""


@dataclass(frozen=True, eq=False)
class ClassesOfCategories:
    """The classes of a column in which a category stands for each of them.

    Parameters
    ----------
    released, sizes
        The place of the category that each class left with among all labels, in their order, and its records.
    operator
        By which it was found.
    """

    released: NDArray[np.int64]
    sizes: NDArray[np.int64]
    operator: Operator

    @classmethod
    def of(
        cls, before: NDArray[np.int64], after: NDArray[np.int64], groups: NDArray[np.int64], operator: Operator
    ) -> ClassesOfCategories | None:
        """Bring places of categories together by the class of each record; None where the operator did not find them.

        A release of another tool may have other categories than the plan's operator finds, and then other things follow
        from them than these.
        """
        sizes = np.bincount(groups)
        released = np.zeros(len(sizes), dtype=np.int64)
        released[groups] = after
        found = cls(released, sizes, operator)
        return found if operator in RECKONED and found._stand_for(before, groups) else None

    def _stand_for(self, before: NDArray[np.int64], groups: NDArray[np.int64]) -> bool:
        """Whether each class left with what the operator finds in it."""
        if self.operator is Operator.MEDIAN:
            medians = group_median(before.astype(np.float64), groups, len(self.sizes))
            return bool((medians == self.released).all())
        places = int(max(before.max(), self.released.max())) + 1
        cells, frequencies = np.unique(groups * places + before, return_counts=True)
        of_group, category = np.divmod(cells, places)
        most, own = (np.zeros(len(self.sizes), dtype=np.int64) for _ in range(2))
        np.maximum.at(most, of_group, frequencies)
        is_own = category == self.released[of_group]
        own[of_group[is_own]] = frequencies[is_own]
        return bool((own > 0).all() if self.operator is Operator.DRAW else (own == most).all())

    def having(self, places: Sequence[int]) -> Absorption:
        """Return what classes leave open of the number of records that had one of some categories.

        Examples
        --------
        >>> modes = ClassesOfCategories(np.array([0, 1, 2]), np.array([5, 5, 5]), Operator.MODE)
        >>> modes.having([0]), modes.having([0, 1]).least
        (Absorption(least=2.0, widest=4.0, total=7.0), 6.0)
        >>> medians = ClassesOfCategories(np.array([0, 1, 2]), np.array([5, 5, 5]), Operator.MEDIAN)
        >>> medians.having([0]), medians.having([1]).least
        (Absorption(least=3.0, widest=4.0, total=6.0), 1.0)
        """
        rest = np.setdiff1d(self.released, places)
        least = self.sizes - self._most(rest)
        most = self._most(np.intersect1d(self.released, places))
        return Absorption(float(least.sum()), float((self.sizes - 1).max()), float((most - least).sum()))

    def changes(self) -> Absorption:
        """Return what classes leave open of the number of records that had another category than they left with.

        Examples
        --------
        >>> ClassesOfCategories(np.array([0, 1, 2]), np.array([5, 5, 5]), Operator.MODE).changes()
        Absorption(least=0.0, widest=4.0, total=9.0)
        >>> ClassesOfCategories(np.array([0, 1, 2]), np.array([5, 5, 5]), Operator.MEDIAN).changes()
        Absorption(least=0.0, widest=4.0, total=8.0)
        """
        first, last = self.released.min(), self.released.max()
        if self.operator is Operator.MEDIAN:
            most = self._below_and_above(self.released > first, self.released < last)
        else:
            most = self._beside_a_mode(len(np.unique(self.released)) - 1)
        return Absorption(0.0, float((self.sizes - 1).max()), float(most.sum()))

    def _most(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many records of each class can have had one of some categories of the release."""
        if not len(places):
            return np.zeros_like(self.sizes)
        if self.operator is Operator.MEDIAN:
            others = self._below_and_above(self.released > places.min(), self.released < places.max())
        else:
            others = self._beside_a_mode(len(places))
        return np.where(np.isin(self.released, places), self.sizes, others)

    def _beside_a_mode(self, others: int) -> NDArray[np.int64]:
        """Return how many records of each class can have had one of so many other categories."""
        return self.sizes + -self.sizes // (others + 1)

    def _below_and_above(self, below: NDArray[np.bool_], above: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many records of each class can have had a category below or above the median, if there is one."""
        return np.where(below, (self.sizes - 1) // 2, 0) + np.where(above, self.sizes // 2, 0)
