"""shoal init: propose a plan from the columns."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import stderr
from shoal.cli.sources import reads
from shoal.errors import PlanError, printable
from shoal.files import Outputs, SourceFile
from shoal.frames import Table
from shoal.plan.json_schema import SCHEMA_FILE
from shoal.plan.propose import propose_plan


@reads(data="The table")
def init_command(
    data: SourceFile,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The plan to write; standard output if left out.")
    ] = "-",
    force: Annotated[bool, typer.Option("--force", help="Overwrite a plan that is there.")] = False,
) -> None:
    """Propose a plan from the columns of a table, commented, to edit."""
    if output not in ("-", "") and Path(output).exists() and not force:
        raise PlanError(f"{output!r} exists: choose another --output, or --force to overwrite it")
    text = propose_plan(Table.of(data.frame), data.guess_kinds(), name=data.name, schema=SCHEMA_FILE.as_uri())
    with Outputs(inputs=[data.path] if data.path else []) as outputs:
        outputs.text(output, text)
    if output != "-":
        stderr.print(f"wrote {printable(output)}: decide the roles, then run shoal check")
