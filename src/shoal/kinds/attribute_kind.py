"""AttributeKind: all that is known of one kind of attribute, for columns of tables, single records and streams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.frames import FrameColumn, Table
from shoal.kinds import group_values
from shoal.kinds.column import Column, Spec
from shoal.kinds.stream_column import StreamColumn
from shoal.kinds.vocabulary import Operator, Scale


@dataclass(frozen=True, eq=False)
class Members:
    """The observed cells of groups."""

    # labels, count: the group of each cell, and how many groups there are
    labels: NDArray[np.int64]
    count: int
    weights: NDArray[np.float64] | None = None  # sampling weights of the cells, for means
    lots: np.random.Generator | None = None  # what ties are broken by, and members drawn


class AttributeKind(ABC):
    """One kind of attribute: a subclass in a file of its own, whose object is called ``KIND``.

    A column of this kind is read by `read`, becomes points by what `fit` learns, is averaged by `average`, rounded by
    `rounded` and written by `to_frame`. `stream_column` does the same for the records of a stream.
    """

    name: ClassVar[str]
    """The name in the registry: the `Kind` that plans say, or ``tree``."""
    example: ClassVar[Mapping[str, Sequence[Any]]] = {}
    """Records that a kind outside the package is tested by: in ``x``, three alike, then two and two others."""
    encoded: ClassVar[type[Any]]
    """The type of what `fit` learns."""
    dtype: ClassVar[Any]
    """The type of `Column.values`."""
    streamed: ClassVar[type[StreamColumn]]
    """The type of what reads and writes it in a stream."""

    @abstractmethod
    def read(self, table: Table, spec: Spec) -> Column:
        """Read one attribute of a table, checked against what is said of it.

        What is refused (a missing value under ``error``, an infinity, a category outside the declared order, a column
        of another kind) is named by column, rule and first row, never by its value.
        """

    @abstractmethod
    def to_frame(self, column: Column) -> dict[str, FrameColumn]:
        """Turn values back into what a frame understands, by name: a place is two columns."""

    @abstractmethod
    def fit(self, column: Column, scale: Scale, records: NDArray[np.int64] | None = None) -> Any:
        """Learn from the observed cells how values become points, and where a missing cell stands.

        ``records`` says how many records each cell of categories stands for; a cell is one if None.
        """

    def average(self, column: Column, members: Members) -> Column:
        """Return what stands for each group, by the operator of the column; of a group without a cell, anything."""
        values, labels, count, lots = column.observed, members.labels, members.count, members.lots
        levels = len(column.levels)
        match column.spec.operator:
            case Operator.MEAN:
                centres: NDArray[Any] = group_values.group_mean(values, labels, count, members.weights)
            case Operator.MEDIAN:
                centres = group_values.group_median(values, labels, count)
            case Operator.CONVEX_MEDIAN:
                centres = group_values.group_convex_median(values, labels, count, levels)
            case Operator.MODE:
                centres = group_values.group_mode(values, labels, count, levels, lots)
            case Operator.DRAW:
                centres = group_values.group_draw(values, labels, count, lots)
            case Operator.MEDOID:
                centres = group_values.group_medoid(values, labels, count, group_values.nodes_of(column), lots)
            case Operator.ANCESTOR:
                return group_values.group_ancestor(column, labels, count)
        return replace(column, values=centres.astype(self.dtype, copy=False), missing=None)

    def rounded(self, values: NDArray[Any], column: Column) -> NDArray[Any]:
        """Round what stands for groups as the column is written, where that is asked for."""
        return values

    @abstractmethod
    def texts(self, column: Column, values: NDArray[Any]) -> list[str]:
        """Write values of a column so that equal values of any two tables have equal texts."""

    def to_plain(self, column: Column) -> list[Any]:
        """Return the values as plain ones for JSON, whatever stands at missing cells."""
        plain: list[Any] = column.values.tolist()
        return plain

    def from_plain(self, values: Sequence[Any]) -> NDArray[Any]:
        """Return the values that `to_plain` wrote, 0 in place of None."""
        return np.array([0 if value is None else value for value in values], dtype=self.dtype)

    def stream_column(self, spec: Spec, **how: Any) -> StreamColumn:
        """Return what reads and writes the attribute in a stream; parameters as those of `StreamColumn`."""
        return self.streamed(spec, **how)
