"""Whether the rows of a table stand in the order of a column."""

from __future__ import annotations

from itertools import compress
from operator import ge, le
from typing import Any

import numpy as np

from shoal.frames.table import Table

_SAMPLE_ROWS = 1000
"""Records that are looked at first: few columns pass, so that all records are rarely looked at."""


def is_sorted(table: Table, name: str) -> bool:
    """Tell whether rows stand in the order of a column of text, numbers or dates, up or down, missing cells aside.

    Examples
    --------
    >>> import polars as pl
    >>> table = Table.of(pl.DataFrame({"bed": ["8", "9", "10"], "age": [30, None, 20], "pay": [3, 1, 2]}))
    >>> [is_sorted(table, name) for name in table.names]
    [True, True, False]
    """
    return any(_directions(table.head(_SAMPLE_ROWS), name)) and sum(_directions(table, name)) == 1


def _directions(table: Table, name: str) -> tuple[bool, bool]:
    """Tell whether a column rises and whether it falls; one of equal values does both."""
    keys = _sort_keys(table, name)
    return all(map(le, keys, keys[1:])), all(map(ge, keys, keys[1:]))


def _sort_keys(table: Table, name: str) -> list[Any]:
    """Return what the present cells of a column are compared by; nothing where they have no order."""
    dtype = table.dtype(name)
    keys: list[Any] = []
    if dtype in ("integer", "float"):
        values = table.numbers(name).values
        keys = values[~np.isnan(values)].tolist()
    elif dtype in ("date", "datetime"):
        instants = table.instants(name)
        keys = (instants.values if instants.missing is None else instants.values[~instants.missing]).tolist()
    elif dtype == "categorical" and table.has_order(name):
        codes = table.categories(name).codes
        keys = codes[codes >= 0].tolist()
    elif dtype in ("string", "categorical", "decimal"):
        cells, missing = table.frame[name].to_list(), table.missing(name)
        keys = cells if missing is None else list(compress(cells, ~missing))
        if dtype != "decimal":
            keys = [str(cell) for cell in keys]
            if all(map(str.isdecimal, keys)):
                keys = [(len(text), text) for text in keys]  # 9 before 10
    return keys
