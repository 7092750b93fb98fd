"""shoal check: say what is wrong, or what would be done."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table as Grid

from shoal.cli.overrides import plan_options
from shoal.cli.sources import parsed, reads
from shoal.errors import DataError
from shoal.files import SourceFile
from shoal.frames import Table
from shoal.inputs import find_problems
from shoal.partition.registry import METHODS
from shoal.plan import Plan, ReleaseMode
from shoal.schema import CONTINUOUS, Attribute, Role


@plan_options
@reads(data="The table: CSV, Parquet, Arrow, Stata or SPSS; - is CSV from standard input.")
def check_command(data: SourceFile, plan: Plan) -> None:
    """Check a table against a plan: say everything that is wrong, or what would be done."""
    problems = find_problems(Table.of(parsed(data, plan).frame), plan)
    if problems:
        raise DataError("; and ".join(problems))
    out = Console(highlight=False, soft_wrap=True)
    records = len(data.frame)
    grid = Grid("column", "role", "kind", "what happens", box=None, pad_edge=False, header_style="bold")
    for name in data.frame.columns:
        attribute = plan.attributes[name]
        done = ", ".join([treatment(name, plan), *_steering(name, plan)])
        grid.add_row(name, attribute.role.value, attribute.kind.value if attribute.kind else "", done)
    out.print(grid)
    out.print(f"\n{records:,} records, k = {plan.k}, method {plan.method}: {METHODS[plan.method].summary}.")
    out.print(f"At most {records // plan.k:,} groups. Nothing is wrong; nothing was written.")


def treatment(name: str, plan: Plan) -> str:
    """Say in a few words what a run does with a column."""
    attribute = plan.attributes[name]
    if attribute.role is Role.IDENTIFIER:
        return "dropped"
    if attribute.role is Role.CONFIDENTIAL:
        return "shuffled inside each group" if plan.release is ReleaseMode.PERMUTE else "kept"
    if attribute.role is Role.OTHER or plan.release is ReleaseMode.PERMUTE:
        return "kept, never mixed" if name == plan.by else "kept"
    return _masking(name, attribute, plan)


def _steering(name: str, plan: Plan) -> list[str]:
    """Say how a column that is not masked bears on the groups."""
    tables = [table for table in plan.steer if name in table.columns]
    words = [f"steers the groups ({table.kind}, weight {table.weight:g})" for table in tables]
    if plan.dependence is not None and name in plan.dependence_names():
        words.append(f"groups are alike in it (dependence {plan.dependence.weight:g})")
    return words


def _masking(name: str, attribute: Attribute, plan: Plan) -> str:
    words = [f"{attribute.operator.value.replace('_', ' ')} of the group"]
    if attribute.kind in CONTINUOUS:
        words.append(f"compared by {(attribute.scale or plan.scale).value}")
    if attribute.weight is not None:
        words.append(f"weight {attribute.weight:g}")
    words.append(f"missing: {plan.missing_policy(name).value}")
    return ", ".join(words)
