"""Cells that a spreadsheet would run."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from shoal.errors import listed
from shoal.files import SourceFile, formula_columns
from shoal.frames.exact_names import only_columns
from shoal.giveaways.giveaway import Giveaway
from shoal.plan import Plan
from shoal.plan.attribute import Role


def formula_cells(source: SourceFile, plan: Plan) -> Iterator[Giveaway]:
    """Find columns of a file that leave with cells which a spreadsheet would run; see `formulas_of`."""
    return formulas_of(source.frame, plan)


def formulas_of(frame: pl.DataFrame, plan: Plan) -> Iterator[Giveaway]:
    """Find columns that leave with cells which begin as formulas do: for a CSV file, which spreadsheets open.

    Notes
    -----
    It gives nothing of the table away, but what a spreadsheet runs can give away all that its reader has.
    """
    identifiers = plan.names(Role.IDENTIFIER)
    leaving = only_columns(frame, [name for name in frame.columns if name not in identifiers])
    columns = formula_columns(leaving)
    if columns:
        verb = "has" if len(columns) == 1 else "have"
        sentence = (
            f"{listed(columns)} {verb} cells that begin as formulas do (= + - @), and a spreadsheet that opens the "
            "file would run them: write them by --escape-formulas, or open the file as text"
        )
        yield Giveaway("formulas", sentence, tuple(columns), frame.height)
