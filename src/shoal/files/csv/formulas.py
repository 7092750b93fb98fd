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

from shoal.frames.exact_names import column_of, with_columns_of

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
    cells = {name for name, column in _texts(frame).items() if _formulas(column).any()}
    return [name for name in frame.columns if name in cells or is_formula(name)]


def escaped(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame in which no cell and no name is a formula: those that were begin with an apostrophe.

    >>> escaped(pl.DataFrame({"=a": ["=1+1", "-3"]})).to_dict(as_series=False)
    {"'=a": ["'=1+1", '-3']}
    """
    frame = _as_text(frame)
    columns = {
        name: pl.select(pl.when(_formulas(column)).then(MARK + column).otherwise(column)).to_series()
        for name, column in _texts(frame).items()
    }
    marked = {name: MARK + name for name in frame.columns if is_formula(name)}
    return with_columns_of(frame, columns).rename(marked)


def _as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame whose categories are texts, as they are written."""
    return frame.with_columns(selectors.categorical().cast(pl.String), selectors.enum().cast(pl.String))


def _texts(frame: pl.DataFrame) -> dict[str, pl.Series]:
    return {name: column_of(frame, name) for name, dtype in frame.schema.items() if dtype == pl.String}


def _formulas(column: pl.Series) -> pl.Series:
    return column.str.contains(_FORMULA) & ~column.str.contains(_NUMBER)
