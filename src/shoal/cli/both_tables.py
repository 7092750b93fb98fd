"""The two tables of a command that compares them: read by one plan, what was generalized said."""

from __future__ import annotations

from shoal.cli.console import stderr
from shoal.cli.sources import parsed_release
from shoal.files import SourceFile
from shoal.plan import Plan
from shoal.run.source import parsed


def both_tables(
    original: SourceFile, released: SourceFile, plan_file: str, *, quiet: bool
) -> tuple[Plan, SourceFile, SourceFile]:
    """Return the plan, and the tables before and after as it declares them.

    A release of another tool may have intervals and stars in its cells; what they were taken for is said, unless
    ``quiet``.
    """
    plan = Plan.load(plan_file)
    before, (after, generalized) = parsed(original, plan), parsed_release(released, plan)
    if not quiet:
        for each in generalized:
            stderr.print(each.sentence)
    return plan, before, after
