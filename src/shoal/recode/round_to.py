"""Rounding to a base: every number becomes the nearest multiple."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.frames import Numbers, Table
from shoal.kinds import Kind
from shoal.recode.recoding import RecodedColumn, Recoding


class Rounding(Recoding):
    """Round numbers to multiples of a base; halves go to the even multiple, so that they do not drift one way."""

    key = "round_to"
    kinds = (Kind.NUMERIC,)
    summary = "numbers become the nearest multiple of this base"
    remedy = "choose a smaller base"

    def words(self, option: float) -> str:
        """Say to which base."""
        return f"rounded to multiples of {option:.15g}"

    def apply(self, table: Table, name: str, option: float, subjects: NDArray[np.int32] | None) -> RecodedColumn:
        """Round the numbers."""
        numbers = table.numbers(name)
        values = rounded_to(numbers.values, option)
        changed: NDArray[np.bool_] = (values != numbers.values) & ~np.isnan(numbers.values)
        whole = numbers.whole and float(option).is_integer()
        return RecodedColumn(Numbers(values, numbers.missing, whole=whole), changed)


def rounded_to(values: NDArray[np.float64], base: float) -> NDArray[np.float64]:
    """Return the nearest multiples of a base, written as such: 0.3 and not 3 × 0.1.

    >>> rounded_to(np.array([12.0, 13.0, 12.5, -1.0]), 5.0).tolist()
    [10.0, 15.0, 10.0, 0.0]
    >>> rounded_to(np.array([0.29, 0.31]), 0.1).tolist()
    [0.3, 0.3]
    """
    with np.errstate(over="ignore"):
        steps = np.rint(values / base)
    inverse = 1.0 / base
    multiples = steps / np.rint(inverse) if base < 1 and np.rint(inverse) * base == 1.0 else steps * base
    # Numbers too large to have a multiple beside them stay what they are.
    return np.asarray(np.where(np.isfinite(multiples) | np.isnan(values), multiples, values) + 0.0)
