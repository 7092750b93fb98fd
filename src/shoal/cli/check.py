"""shoal check: say what is wrong, or what would be done."""

from __future__ import annotations

from rich.table import Table as Grid

from shoal.cli.console import stdout
from shoal.cli.overrides import plan_options
from shoal.cli.sources import parsed, reads
from shoal.errors import DataError
from shoal.files import SourceFile
from shoal.frames import Table
from shoal.partition import METHODS
from shoal.plan import Plan
from shoal.plan.attribute_blocks import require_guarantee, why_not_guaranteed
from shoal.plan.treatment import treatment
from shoal.run.inputs import find_problems, read_inputs
from shoal.run.order import followed_columns, order_sentence
from shoal.run.preflight import forecast, require_feasible


@plan_options
@reads(data="The table")
def check_command(data: SourceFile, plan: Plan) -> None:
    """Check a table against a plan: say everything that is wrong, or what would be done."""
    table = Table.of(parsed(data, plan).frame)
    try:
        inputs = read_inputs(table, plan)
    except DataError:  # which is the first thing that is wrong, and not all
        raise DataError("; and ".join(find_problems(table, plan))) from None
    require_guarantee(plan)
    require_feasible(inputs, plan)
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
    if inputs.constant:
        names = [column.name for column in inputs.quasi_identifiers if column.name in inputs.constant]
        stdout.print(
            f"The same in all records of a subject, and masked once for all of them: {', '.join(map(repr, names))}."
        )
    followed = followed_columns(table, plan) if plan.order == "auto" else ()
    if followed or plan.order == "shuffle":
        sentence = order_sentence(followed, done=False)
        stdout.print(f"{sentence[0].upper()}{sentence[1:]}.")
    reason = why_not_guaranteed(plan)
    if reason is not None:
        stdout.print(f"k not guaranteed: {reason}.", style="bold red")
        stdout.print("Nothing else is wrong; nothing was written.")
        return
    ahead = forecast(inputs, plan)
    for sentence in ahead.sentences:
        stdout.print(f"{sentence[0].upper()}{sentence[1:]}.")
    most = (records if subjects is None or not inputs.constant else subjects.count) // ahead.group_size
    stdout.print(f"At most {most:,} group{'s' if most != 1 else ''}. Nothing is wrong; nothing was written.")
