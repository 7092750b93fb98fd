"""Cells that a spreadsheet takes for formulas: ``=cmd()`` in a CSV file is run by whoever opens it.

Notes
-----
A spreadsheet reads a cell as a formula if it begins with ``=``, ``+``, ``-`` or ``@``, in some languages also in their
wide forms; some also drop a tab or line end before it (OWASP, CSV Injection). A number may begin with a sign. A cell
with an apostrophe before it is text.
"""

from __future__ import annotations

import re

import polars as pl
from polars import selectors

_STARTS = "=+-@\t\r\n＝＋－＠"
_FORMULA = f"^[{re.escape(_STARTS)}]"
_NUMBER = r"^[+-]?(\d+([.,]\d+)*|[.,]\d+)([eE][+-]?\d+)?%?$"
_number = re.compile(_NUMBER)
MARK = "'"


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would take a cell for a formula.

    >>> [is_formula(text) for text in ("=cmd()", "-1+2", "-12.5", "@SUM(A1)", "a=b", "")]
    [True, True, False, True, False, False]
    """
    return text[:1] != "" and text[0] in _STARTS and _number.match(text) is None


def formula_columns(frame: pl.DataFrame) -> list[str]:
    """Return the columns that have such cells, or such a name.

    >>> formula_columns(pl.DataFrame({"note": ["fine", "=1+1"], "pay": ["-3", "4"]}))
    ['note']
    """
    frame = _as_text(frame)
    found = frame.select(_formulas(pl.col(name)).any().alias(name) for name in _texts(frame))
    cells = {name for name in found.columns if found[name][0]}
    return [name for name in frame.columns if name in cells or is_formula(name)]


def escaped(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame in which no cell and no name is a formula: those that were begin with an apostrophe.

    >>> escaped(pl.DataFrame({"=a": ["=1+1", "-3"]})).to_dict(as_series=False)
    {"'=a": ["'=1+1", '-3']}
    """
    frame = _as_text(frame)
    columns = [
        pl.when(_formulas(pl.col(name))).then(MARK + pl.col(name)).otherwise(pl.col(name)).alias(name)
        for name in _texts(frame)
    ]
    return frame.with_columns(columns).rename({name: MARK + name for name in frame.columns if is_formula(name)})


def _as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame whose categories are texts, as they are written."""
    return frame.with_columns(selectors.categorical().cast(pl.String), selectors.enum().cast(pl.String))


def _texts(frame: pl.DataFrame) -> list[str]:
    return [name for name, dtype in frame.schema.items() if dtype == pl.String]


def _formulas(column: pl.Expr) -> pl.Expr:
    return column.str.contains(_FORMULA) & ~column.str.contains(_NUMBER)
