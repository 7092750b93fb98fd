"""shoal check: say what is wrong, or what would be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table as Grid

from shoal.cli.console import print_giveaways, refuse_strictly, stdout
from shoal.cli.overrides import plan_options
from shoal.cli.sources import parsed, reads
from shoal.errors import DataError
from shoal.files import SourceFile
from shoal.frames import Table
from shoal.partition import METHODS
from shoal.plan import Plan
from shoal.plan.attribute_blocks import require_guarantee, why_not_guaranteed
from shoal.plan.treatment import treatment
from shoal.run.giveaways import Giveaway, Survey, file_label, find_giveaways
from shoal.run.inputs import find_problems, read_inputs
from shoal.run.order import followed_columns, order_sentence
from shoal.run.preflight import constant_sentence, forecast, require_feasible, slow_sentence


@plan_options
@reads(data="The table")
def check_command(
    data: SourceFile,
    plan: Plan,
    strict: Annotated[bool, typer.Option("--strict", help="End with exit code 3 where there is a warning.")] = False,
) -> None:
    """Check a table against a plan: say everything that is wrong, or what would be done and what it would give away."""
    table = Table.of(parsed(data, plan).frame)
    try:
        inputs = read_inputs(table, plan)
    except DataError:  # which is the first thing that is wrong, and not all
        raise DataError("; and ".join(find_problems(table, plan))) from None
    require_guarantee(plan)
    require_feasible(inputs, plan)
    giveaways = (*file_label(data), *find_giveaways(Survey(table, plan, subjects=inputs.subjects)))
    records = len(data.frame)
    grid = Grid("column", "role", "kind", "what happens", box=None, pad_edge=False, header_style="bold")
    for name in data.frame.columns:
        attribute = plan.attributes[name]
        kind = attribute.kind.value if attribute.kind else ""
        grid.add_row(name, attribute.role.value, kind, treatment(name, plan))
    stdout.print(grid)
    subjects = inputs.subjects
    of_whom = "" if subjects is None else f" of {subjects.count:,} subjects ({subjects.name})"
    stdout.print(f"\n{records:,} records{of_whom}, k = {plan.k}, method {plan.method}: {METHODS[plan.method].summary}.")
    for sentence in (*constant_sentence(inputs, plan), *slow_sentence(inputs, plan)):
        stdout.print(f"{sentence[0].upper()}{sentence[1:]}.")
    followed = followed_columns(table, plan) if plan.order == "auto" else ()
    if followed or plan.order == "shuffle":
        sentence = order_sentence(followed, done=False)
        stdout.print(f"{sentence[0].upper()}{sentence[1:]}.")
    reason = why_not_guaranteed(plan)
    if reason is not None:
        stdout.print(f"k not guaranteed: {reason}.", style="bold red")
    else:
        ahead = forecast(inputs, plan)
        for sentence in ahead.sentences:
            stdout.print(f"{sentence[0].upper()}{sentence[1:]}.")
        whole = len(inputs.constant) == len(inputs.quasi_identifiers)  # then subjects are grouped, and not records
        most = (subjects.count if subjects is not None and whole else records) // ahead.group_size
        stdout.print(f"At most {most:,} group{'s' if most != 1 else ''}. ", end="")
    stdout.print(f"Nothing {'is' if reason is None else 'else is'} wrong{_warned(giveaways)}; nothing was written.")
    if giveaways and strict:
        refuse_strictly(giveaways)
    print_giveaways(giveaways)


def _warned(giveaways: Sequence[Giveaway]) -> str:
    count = len(giveaways)
    return f", but for {count} warning{'s' if count > 1 else ''}" if count else ""
