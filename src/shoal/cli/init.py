"""shoal init: propose a plan from the columns."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.ask import ask
from shoal.cli.console import Grid, stderr
from shoal.cli.sources import reads
from shoal.errors import PlanError, printable
from shoal.files import Outputs, SourceFile
from shoal.frames import Table
from shoal.plan.json_schema import SCHEMA_FILE
from shoal.plan.propose import Draft, draft_of_file


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
    if ask_ and (data.path is None or not sys.stdin.isatty()):
        raise PlanError("--ask asks on a terminal, and standard input is none: leave --ask out, and edit the plan")
    with Outputs() as outputs:
        outputs.check(output)
        if output != "-" and Path(output).is_file() and not force:
            raise PlanError(f"{output!r} exists: choose another --output, or --force to overwrite it")
        draft = draft_of_file(data)
        if ask_:
            draft = ask(draft, Table.of(data.frame))
        elif output != "-":
            _show(draft)
        outputs.text(output, draft.text(name=data.name, schema=SCHEMA_FILE.as_uri()))
    if output != "-":
        left = len(draft.undecided)
        what = f"decide {left} role{'s' if left != 1 else ''}" if left else "look twice at every role"
        stderr.print(f"wrote {printable(output)}: {what}, then run shoal check")


def _show(draft: Draft) -> None:
    """Print what was proposed, and why."""
    grid = Grid("column", "role", "kind", "why", box=None, pad_edge=False, header_style="bold")
    for column in draft.columns:
        grid.add_row(column.name, column.role, column.kind or "", column.reason)
    stderr.print(grid)
