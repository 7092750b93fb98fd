"""Values that mean "no value": cells that hold one become missing, whatever library holds them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from shoal.frames.columns import Gaps, Mask
from shoal.frames.table import Table

MissingValue = str | int | float
"""A value that stands for none, such as ``"NA"`` or ``-99``."""


def with_gaps(table: Table, values: Mapping[str, Iterable[MissingValue]]) -> Table:
    """Return a table whose cells are missing where they hold one of the values that mean so.

    Parameters
    ----------
    table
        Any table. Columns that it does not have are passed over.
    values
        By column. Numbers are compared as numbers (-99 is -99.0 and "-99"), dates as dates, all else as text.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [30, -99, 41], "town": ["NA", "Reus", ""]})
    >>> with_gaps(Table.of(frame), {"age": ["-99"], "town": ["NA", ""]}).data.rows()
    [(30, None), (None, 'Reus'), (41, None)]
    """
    found = ((name, _holding(table, name, tuple(meant))) for name, meant in values.items() if name in table.names)
    columns = {name: Gaps(gaps) for name, gaps in found if gaps is not None and gaps.any()}
    return Table.of(table.replace(columns)) if columns else table


def _holding(table: Table, name: str, values: tuple[MissingValue, ...]) -> Mask | None:
    """Return where a column holds one of some values; None where a column of its type holds none of them."""
    dtype = table.dtype(name)
    if dtype in ("integer", "float", "decimal"):
        return np.isin(table.numbers(name).values, [number for number in map(_number, values) if math.isfinite(number)])
    if dtype in ("date", "datetime"):
        instants = table.instants(name)
        days = [moment for moment in map(_moment, values) if moment is not None]
        holds = np.isin(instants.values, np.array(days, dtype=f"datetime64[{instants.unit}]").astype(np.int64))
        return holds if instants.missing is None else holds & ~instants.missing
    if dtype in ("string", "categorical"):
        categories = table.categories(name)
        texts = {str(value) for value in values}
        holds = np.array([*(label in texts for label in categories.labels), False])  # code -1 reads the last entry
        return np.asarray(holds[categories.codes])
    return None


def _number(value: MissingValue) -> float:
    try:
        return float(value)
    except ValueError:  # a word
        return math.nan


def _moment(value: MissingValue) -> np.datetime64 | None:
    try:
        return np.datetime64(value) if isinstance(value, str) and value else None
    except ValueError:
        return None
