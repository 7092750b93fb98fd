"""shoal init: propose a plan from the columns, and go through them on the terminal, one question after the other."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.prompt import IntPrompt, Prompt
from rich.text import Text

from shoal.cli.console import Grid, stderr
from shoal.cli.options import flag, option
from shoal.cli.sources import Data, Reading
from shoal.errors import DataError, PlanError, counted, printable
from shoal.files import Outputs
from shoal.files.outputs import STDOUT
from shoal.frames import Table
from shoal.kinds import Kind
from shoal.plan.attribute import Role
from shoal.plan.json_schema import SCHEMA_FILE
from shoal.plan.propose import Draft, Proposal, draft_of_file
from shoal.protect.k_anonymity import FEWEST

ROLES = {role.value[0]: role.value for role in Role}
KINDS = {"n": Kind.NUMERIC.value, "o": Kind.ORDINAL.value, "m": Kind.NOMINAL.value, "d": Kind.DATE.value}
SHOWN = 12
"""Categories that are shown to who puts them in an order."""


def init_command(
    *,
    data: Data,
    output: str = option("The plan to write; standard output if left out.", "--output", "-o", default=STDOUT),
    ask_: bool = flag("Go through the columns on the terminal, and decide each by the keyboard.", "--ask"),
    force: bool = flag("Overwrite a plan that is there."),
    reading: Reading,
) -> None:
    """Propose a plan from the columns of a table, commented, to edit."""
    (table,) = reading.read(data)
    if ask_ and (table.path is None or not sys.stdin.isatty()):
        raise PlanError("--ask asks on a terminal, and standard input is none: leave --ask out, and edit the plan")
    with Outputs() as outputs:
        outputs.check(output)
        if output != STDOUT and Path(output).is_file() and not force:
            raise PlanError(f"{output!r} exists: choose another --output, or --force to overwrite it")
        draft = draft_of_file(table)
        if ask_:
            draft = ask(draft, Table.of(table.frame))
        elif output != STDOUT:
            grid = Grid("column", "role", "kind", "why")
            for column in draft.columns:
                grid.add_row(column.name, column.role, column.kind or "", column.reason)
            stderr.print(grid)
        outputs.text(output, draft.text(name=table.name, schema=SCHEMA_FILE.as_uri()))
    if output != STDOUT:
        left = len(draft.undecided)
        what = f"decide {left} role{'s' if left != 1 else ''}" if left else "look twice at every role"
        stderr.print(f"wrote {printable(output)}: {what}, then run shoal check")


def ask(draft: Draft, table: Table) -> Draft:
    """Return the plan as a person completed it; Enter takes what was proposed."""
    try:
        return _answered(draft, table)
    except EOFError:
        raise DataError("the answers ended before the questions: nothing was written") from None


def _answered(draft: Draft, table: Table) -> Draft:
    stderr.print("Roles: (i)dentifier, (q)uasi_identifier, (c)onfidential, (o)ther. Enter takes what is proposed.")
    columns = tuple(_column(column, table) for column in draft.columns)
    names = [column.name for column in columns if column.role == Role.IDENTIFIER]
    subject = draft.subject if draft.subject in names else None
    if names:
        chosen = _choice("whom is a record about? a column, or - for nobody twice", [*names, "-"], subject or "-")
        subject = None if chosen == "-" else chosen
    question = "fewest subjects whose records look alike, k"
    while (k := IntPrompt.ask(question, console=stderr, default=draft.k)) < FEWEST:
        stderr.print(f"k is at least {FEWEST}")
    return Draft(columns, subject, k)


def _column(column: Proposal, table: Table) -> Proposal:
    stderr.print(f"\n{column.name}", style="bold", end="")
    stderr.print(f"  {column.reason}")
    role = _letter("  role", ROLES, column.role)
    if table.dtype(column.name) in ("duration", "other") or role in (Role.IDENTIFIER, Role.OTHER):
        return replace(column, role=role, kind=column.kind if role == Role.OTHER else None, order=None)
    kind = _letter("  kind: (n)umeric, (o)rdinal, no(m)inal, (d)ate", KINDS, column.kind or Kind.NOMINAL.value)
    order = column.order if kind == Kind.ORDINAL else None
    if kind == Kind.ORDINAL and order is None and not table.has_order(column.name):
        order = _order(column.name, table)
    return replace(column, role=role, kind=kind, order=order)


def _order(name: str, table: Table) -> tuple[str, ...]:
    """Ask for the categories of a column of text, lowest first, until all are there."""
    categories = [str(label).strip() for label in table.categories(name).labels]
    shown = ", ".join(categories[:SHOWN]) + (", ..." if len(categories) > SHOWN else "")
    while True:
        # As text, and not as words with styles in brackets: categories are of the table.
        answer = Prompt.ask(Text(printable(f"  lowest first, with commas between ({shown})")), console=stderr)
        order = tuple(part.strip() for part in answer.split(",") if part.strip())
        lacking = len(set(categories) - set(order))
        if not lacking and len(set(order)) == len(order) >= 2:
            return order
        stderr.print(f"  not in it: {counted(lacking, 'category')}; name each once")


def _letter(question: str, choices: dict[str, str], proposed: str) -> str:
    default: Any = next((letter for letter, word in choices.items() if word == proposed), ...)  # ...: there is none
    return choices[Prompt.ask(question, console=stderr, choices=list(choices), default=default)]


def _choice(question: str, choices: Sequence[str], default: str) -> str:
    shown = {printable(choice): choice for choice in choices}
    return shown[Prompt.ask(question, console=stderr, choices=list(shown), default=printable(default))]
