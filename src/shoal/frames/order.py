"""Whether the rows of a table stand in the order of a column."""

from __future__ import annotations

from itertools import compress
from operator import ge, le
from typing import Any

import numpy as np

from shoal.frames.table import Table

_FIRST_LOOK = 1000
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
    return any(_directions(table.head(_FIRST_LOOK), name)) and sum(_directions(table, name)) == 1


def _directions(table: Table, name: str) -> tuple[bool, bool]:
    """Tell whether a column rises and whether it falls; one of equal values does both."""
    places = _places(table, name)
    return all(map(le, places, places[1:])), all(map(ge, places, places[1:]))


def _places(table: Table, name: str) -> list[Any]:
    """Return what the present cells of a column are compared by; nothing where they have no order."""
    kind = table.kind(name)
    places: list[Any] = []
    if kind in ("integer", "float"):
        values = table.numbers(name).values
        places = values[~np.isnan(values)].tolist()
    elif kind in ("date", "datetime"):
        instants = table.instants(name)
        places = (instants.values if instants.missing is None else instants.values[~instants.missing]).tolist()
    elif kind == "categorical" and table.has_order(name):
        codes = table.categories(name).codes
        places = codes[codes >= 0].tolist()
    elif kind in ("string", "categorical", "decimal"):
        cells, missing = table.frame[name].to_list(), table.missing(name)
        places = cells if missing is None else list(compress(cells, ~missing))
        if kind != "decimal":
            places = [str(cell) for cell in places]
            if all(map(str.isdecimal, places)):
                places = [(len(text), text) for text in places]  # 9 before 10
    return places
