"""--escape-formulas: cells that a spreadsheet would run, said or written as text."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from shoal.errors import PlanError
from shoal.files import SourceFile, target_format

EscapeFormulas: TypeAlias = Annotated[
    bool,
    typer.Option("--escape-formulas", help="Write ' before cells of a CSV file that a spreadsheet would run."),
]


def leaves_formulas(output: str, data: SourceFile, *, escape: bool) -> bool:
    """Whether a spreadsheet would run cells of an output as they leave; to escape them where it would not is refused.

    Parameters
    ----------
    output
        Where the table goes.
    data
        The file that it comes from, whose format it has on standard output.
    escape
        Whether they are written as text.
    """
    takes = target_format(output, like=data).has_formulas
    if escape and not takes:
        raise PlanError("--escape-formulas is for CSV files: no spreadsheet takes cells of others for formulas")
    return takes and not escape
