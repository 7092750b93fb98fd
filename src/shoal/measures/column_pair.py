"""ColumnPair: one quasi-identifier before and after, in the units that distances are counted in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.classes import equivalence_classes
from shoal.errors import DataError
from shoal.kinds import Kind
from shoal.kinds.direction import NOWHERE, extent_of, spread_of
from shoal.kinds.taxonomy import Taxonomy, level_paths
from shoal.measures.arrays import Observed, declared_kind, missing_cells, numbers, ranks_in
from shoal.measures.whole_table import FullColumn
from shoal.moments import MeanDeviation, moments, row_slices, safely_scaled

Unit = Literal["deviation", "range"]


@dataclass(frozen=True, eq=False)
class TreeCodes:
    """The node of each code in each level of their tree, the lowest first, and what a difference there weighs.

    A node of a release that stands higher than a level is like no other there, so that it differs from every code below
    it by its own height. Weights are what a level adds to the squared distance.

    >>> codes = TreeCodes.of(Taxonomy.of({"prefix": [1]}), ["J1", "J2", "K1", "J*"])
    >>> codes.squared(np.array([0, 0, 0, 0]), np.array([0, 1, 2, 3])).tolist()
    [0.0, 0.25, 1.0, 0.25]
    """

    nodes: tuple[NDArray[np.int32], ...]
    weights: tuple[float, ...]

    @classmethod
    def of(cls, taxonomy: Taxonomy, labels: Sequence[Any]) -> TreeCodes:
        """Number the nodes of these codes; None among them is the category of missing cells."""
        paths = level_paths(taxonomy, labels)
        parts = []
        for level in range(taxonomy.height):
            numbers: dict[str, int] = {}
            parts.append(np.array([numbers.setdefault(path[level], len(numbers)) for path in paths], dtype=np.int32))
        return cls(tuple(parts), taxonomy.weights)

    def squared(self, before: NDArray[Any], after: NDArray[Any]) -> NDArray[np.float64]:
        """Return the squared distances of codes."""
        total = np.zeros(len(before))
        for level, weight in zip(self.nodes, self.weights, strict=True):
            total += weight * (level[before] != level[after])
        return total

    def total(self, codes: NDArray[Any], counted: NDArray[np.float64] | None = None) -> float:
        """Return the sum of squared distances to the most frequent node of each level, records counted once or so."""
        records = len(codes) if counted is None else float(counted.sum())
        shares = (records - np.bincount(level[codes], counted).max() for level in self.nodes)
        return float(sum(weight * lost for weight, lost in zip(self.weights, shares, strict=True)))

    def columns(self, codes: NDArray[Any]) -> list[NDArray[np.int32]]:
        """Return the coordinates of records."""
        return [level[codes] for level in self.nodes]

    @property
    def counts(self) -> list[int]:
        """How many nodes there are in each level."""
        return [int(level.max(initial=0)) + 1 for level in self.nodes]


@dataclass(frozen=True, eq=False)
class ColumnPair:
    """One quasi-identifier of every record, before and after.

    Examples
    --------
    >>> column = ColumnPair.of("grade", ["C", "A"], ["B", "A"], kind=["A", "B", "C"])
    >>> column.original.tolist(), column.released.tolist(), column.levels
    ([2, 0], [1, 0], 3)
    """

    # name, kind: the column and how its values are compared
    name: str
    kind: Kind
    # original, released: finite float64 for numeric and date columns, unit vectors (n, 2 or 3) for places and
    # cycles; ranks or codes from 0 for ordinal and nominal ones, with one code book for both tables
    original: NDArray[Any]
    released: NDArray[Any]
    levels: int  # the number of categories of an ordinal or nominal column
    # what a reader of the release sees, to tell records apart by: any array that `equivalence_classes` takes
    cells: NDArray[Any]
    tree: TreeCodes | None = None  # the levels of the codes, where a nominal column has a tree
    # of the whole table, where the records are a part of it: differences are counted in its units
    full: FullColumn | None = None

    @classmethod
    def of(
        cls, name: str, original: ArrayLike, released: ArrayLike, *, kind: Kind | str | Sequence[Any] = Kind.NUMERIC
    ) -> ColumnPair:
        """Pair two arrays of raw values; the list of its categories, lowest first, makes a column ordinal.

        Notes
        -----
        A missing number or date stands at the mean of the original column: a suppressed column has lost all of its
        variance and no more. A missing nominal value is a category of its own, a missing ordinal value one below the
        lowest.
        """
        before, after = np.asarray(original), np.asarray(released)
        for side, array in (("original", before), ("released", after)):
            if array.ndim != 1:
                raise DataError(
                    f"the {side} column {name!r} must be one value per record, not {array.ndim}-dimensional"
                )
        if len(before) != len(after):
            raise DataError(
                f"original and released must have the same records, but column {name!r} has {len(before)} and "
                f"{len(after)}"
            )
        kind, order = declared_kind(name, kind)
        if kind.is_continuous:
            if before.dtype.kind == "M" and after.dtype.kind == "M":
                common = np.promote_types(before.dtype, after.dtype)
                before, after = before.astype(common), after.astype(common)
            return cls.measured(name, kind, numbers(name, before), numbers(name, after), cells=after)
        if order is None:
            if before.dtype != after.dtype:
                before, after = before.astype(object), after.astype(object)
            codes = equivalence_classes([np.concatenate([before, after])]).astype(np.int32)
            return cls(name, kind, codes[: len(before)], codes[len(before) :], int(codes.max(initial=0)) + 1, after)
        absent = [missing_cells(before), missing_cells(after)]
        lift = int(absent[0].any() or absent[1].any())
        ranks = [
            np.where(gone, np.int32(0), ranks_in(name, column, gone, order) + np.int32(lift))
            for column, gone in zip((before, after), absent, strict=True)
        ]
        return cls(name, kind, ranks[0], ranks[1], len(order) + lift, after)

    @classmethod
    def measured(
        cls,
        name: str,
        kind: Kind,
        original: Observed,
        released: Observed,
        *,
        cells: NDArray[Any],
        full: FullColumn | None = None,
    ) -> ColumnPair:
        """Pair numbers or unit vectors; missing cells of either are placed at the mean of the original's others."""
        before, after = original.values, released.values
        if full is None and not kind.is_directional:  # with it, differences are divided by its unit before the square
            before, after = safely_scaled(before, after)
        observed = before if original.missing is None else before[~original.missing]
        mean = _mean(observed) if full is None else np.asarray(full.mean)
        filled = [
            values if absent is None else np.where(absent[:, None] if values.ndim == 2 else absent, mean, values)
            for values, absent in ((before, original.missing), (after, released.missing))
        ]
        return cls(name, kind, filled[0], filled[1], 0, cells, full=full)

    def __len__(self) -> int:
        return len(self.original)

    @property
    def is_directional(self) -> bool:
        """Whether values are unit vectors."""
        return self.kind.is_directional

    @property
    def is_continuous(self) -> bool:
        """Whether values are numbers or dates."""
        return self.kind.is_continuous

    @cached_property
    def spread(self) -> MeanDeviation:
        """Mean and standard deviation (n − 1) of the original column."""
        if self.full is not None:
            return MeanDeviation(float(self.full.mean), self.full.deviation)
        return _spread(self.original)

    @cached_property
    def released_spread(self) -> MeanDeviation:
        """Mean and standard deviation (n − 1) of the released column."""
        return _spread(self.released)

    @cached_property
    def extent(self) -> float:
        """Greatest minus smallest original value; of unit vectors the size of their box."""
        if self.full is not None:
            return self.full.extent
        return extent_of(self.original) if self.is_directional else float(self.original.max() - self.original.min())

    def differences(self, rows: slice, unit: Unit) -> NDArray[np.float64]:
        """Return the distances between original and released values of some records.

        Numbers and dates are counted in standard deviations or in the range of the original (0 where it is constant),
        ordinal values in steps divided by the number of categories, nominal values are 0 or 1 apart, or by the height
        at which they meet in their tree. Places and cycles are counted in chords, by the spread or box of their points.
        """
        before, after = self.original[rows], self.released[rows]
        if self.tree is not None:
            return np.sqrt(self.tree.squared(before, after))
        if self.kind.is_nominal:
            return np.asarray(before != after, dtype=np.float64)
        distances = np.sqrt(((before - after) ** 2).sum(axis=1)) if self.is_directional else np.abs(before - after)
        if self.kind.is_ordinal:
            scale = float(self.levels)
        elif unit == "range":
            scale = self.extent
        else:
            scale = self._spread_of_vectors if self.is_directional else self.spread.deviation
        return distances / scale if scale else np.zeros(len(before))

    @cached_property
    def _spread_of_vectors(self) -> float:
        return spread_of(self.original) if self.full is None else self.full.deviation

    @cached_property
    def squared_deviations(self) -> float:
        """The sum of squared differences in standard deviations: this column's part of the SSE."""
        return self._sum_of_squares("deviation")

    @cached_property
    def squared_ranges(self) -> float:
        """The sum of squared differences in ranges of the original."""
        return self._sum_of_squares("range")

    @cached_property
    def total(self) -> float:
        """This column's part of the SST: its SSE if every record were released as the average record of the table."""
        if self.full is not None:
            return self.full.total
        if self.is_directional:
            # Around the direction of the mean, in spreads: that is what would be released.
            spread, direction = self._spread_of_vectors, mean_direction(self.original.mean(axis=0))
            return float(((self.original - direction) ** 2).sum() / spread**2) if spread else 0.0
        if self.is_continuous:
            return float(len(self) - 1) if self.spread.deviation > 0 else 0.0
        if self.tree is not None:
            return self.tree.total(self.original)
        return total_of_categories(np.bincount(self.original, minlength=self.levels), self.kind)

    def _sum_of_squares(self, unit: Unit) -> float:
        return float(sum(np.sum(self.differences(rows, unit) ** 2) for rows in row_slices(len(self))))


def _mean(values: NDArray[Any]) -> NDArray[Any]:
    """Return the mean of numbers or of vectors, 0 where there are none."""
    if len(values) == 0:
        return np.zeros(values.shape[1:])
    return np.asarray(values.mean(axis=0) if values.ndim == 2 else float(moments([values]).mean[0]))


def _spread(values: NDArray[Any]) -> MeanDeviation:
    both = moments([values])
    return MeanDeviation(float(both.mean[0]), float(both.deviation[0]))


def mean_direction(mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the direction of a mean vector, that of the first axis where it has none."""
    length = float(np.sqrt((mean**2).sum()))
    return mean / length if length > NOWHERE else np.eye(len(mean))[0]


def total_of_categories(counts: NDArray[np.int64], kind: Kind) -> float:
    """Return the part of the SST of a column of categories from how many records each has, in category order."""
    n = int(counts.sum())
    if kind.is_nominal:
        return float(n - counts.max())
    median = int(np.searchsorted(np.cumsum(counts), (n - 1) // 2, side="right"))
    steps = (np.arange(len(counts)) - median) / len(counts)
    return float(np.sum(counts * steps**2))
