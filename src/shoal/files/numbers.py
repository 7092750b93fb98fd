"""Whole numbers in files that have one type for all numbers."""

from __future__ import annotations

import polars as pl


def whole_numbers(column: pl.Series) -> pl.Series:
    """Return a column of doubles as integers where all that are there are whole; any other as it is.

    Examples
    --------
    >>> whole_numbers(pl.Series([1.0, None, 3.0])).to_list(), whole_numbers(pl.Series([1.5])).to_list()
    ([1, None, 3], [1.5])
    """
    if column.dtype != pl.Float64 or column.null_count() == len(column):
        return column
    whole = column.cast(pl.Int64, strict=False)
    return whole if whole.cast(pl.Float64).equals(column) else column
