"""Cycles: values that begin anew after a period, such as hours of the day; directions of a circle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames import Table
from shoal.kinds.column import Column, Spec
from shoal.kinds.direction import DirectionKind
from shoal.kinds.numeric import KIND as NUMERIC
from shoal.kinds.numeric import as_written
from shoal.kinds.text import category_text
from shoal.kinds.vocabulary import Kind

_DIGITS = 12
"""Of a share of a turn: what is the same after some turns differs in the last ones."""


class CyclicKind(DirectionKind):
    """Values that wrap around."""

    name = Kind.CYCLIC
    dtype = np.float64
    width = 2

    def read(self, table: Table, spec: Spec) -> Column:
        """Read numbers, whole turns included."""
        return NUMERIC.read(table, spec)

    def parts(self, values: NDArray[Any]) -> tuple[NDArray[np.float64], ...]:
        """Return the values: one column of numbers."""
        return (values,)

    def value(self, cells: Sequence[float], names: Sequence[str]) -> float:
        """Return the number."""
        return cells[0]

    def rounded(self, values: NDArray[Any], column: Column) -> NDArray[Any]:
        """Round to the decimals of the column."""
        return NUMERIC.rounded(values, column)

    def in_window(self, values: NDArray[Any], column: Column) -> NDArray[Any]:
        """Write the end of a cycle as 0, or as the period where the column has no 0 but that."""
        observed, period = column.observed, column.spec.period
        values = np.remainder(values, period)
        ends = bool((observed == period).any() and not (observed == 0).any())
        return np.where(values == 0, period, values) if ends else values

    def texts(self, column: Column, values: NDArray[Any]) -> list[str]:
        """Write shares of a turn."""
        return turn_texts(values, column.spec.period)


def turn_texts(values: NDArray[np.float64], period: float) -> list[str]:
    """Write shares of a turn: a whole one is none."""
    shares = np.round(as_written(values) / period % 1.0, _DIGITS) % 1.0
    return [category_text(share) for share in shares.tolist()]


KIND = CyclicKind()
