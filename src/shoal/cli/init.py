"""shoal init: propose a plan from the columns."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as Grid

from shoal.cli.ask import ask
from shoal.cli.console import stderr
from shoal.cli.sources import reads
from shoal.errors import DataError, PlanError, printable
from shoal.files import Outputs, SourceFile
from shoal.frames import Table
from shoal.plan.json_schema import SCHEMA_FILE
from shoal.plan.propose import WORDS, Draft, Proposal, draft_plan, sample_rows


@reads(data="The table")
def init_command(
    data: SourceFile,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The plan to write; standard output if left out.")
    ] = "-",
    ask_: Annotated[
        bool, typer.Option("--ask", help="Go through the columns on the terminal, and decide each by the keyboard.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a plan that is there.")] = False,
) -> None:
    """Propose a plan from the columns of a table, commented, to edit."""
    if output not in ("-", "") and Path(output).exists() and not force:
        raise PlanError(f"{output!r} exists: choose another --output, or --force to overwrite it")
    if ask_ and (data.path is None or not sys.stdin.isatty()):
        raise PlanError("--ask asks on a terminal, and standard input is none: leave --ask out, and edit the plan")
    table = Table.of(data.frame)
    kinds = data.guess_kinds(missing=WORDS, rows=sample_rows(len(table)))
    draft = draft_plan(table, kinds, hints=None if data.labels is None else data.labels.measures)
    draft = replace(draft, columns=tuple(_with_format(column, data) for column in draft.columns))
    with Outputs(inputs=[data.path] if data.path else []) as outputs:
        outputs.check(output)
        if ask_:
            draft = ask(draft, table)
        elif output != "-":
            _show(draft)
        outputs.text(output, draft.text(name=data.name, schema=SCHEMA_FILE.as_uri()))
    if output != "-":
        left = len(draft.undecided)
        what = f"decide {left} role{'s' if left != 1 else ''}" if left else "look twice at every role"
        stderr.print(f"wrote {printable(output)}: {what}, then run shoal check")


def _with_format(column: Proposal, data: SourceFile) -> Proposal:
    """Say beside dates of a file of text that their day and month cannot be told apart, where that is so."""
    if column.kind != "date" or data.text is None:
        return column
    try:
        data.parse({column.name: "date"}, missing={column.name: [str(value) for value in column.missing_values]})
    except DataError:
        return replace(
            column, reason=f'{column.reason}; add format, such as "%d/%m/%Y": it cannot be told from the cells'
        )
    return column


def _show(draft: Draft) -> None:
    """Print what was proposed, and why."""
    grid = Grid("column", "role", "kind", "why", box=None, pad_edge=False, header_style="bold")
    for column in draft.columns:
        grid.add_row(column.name, column.role, column.kind or "", column.reason)
    stderr.print(grid)
