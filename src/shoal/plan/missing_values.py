"""Gaps in a table by its plan: which values mean "no value", for the table and for single columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator

from shoal.frames import MissingValue, Table, with_gaps

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def _checked(values: tuple[MissingValue, ...]) -> tuple[MissingValue, ...]:
    if len({str(value) for value in values}) < len(values):
        raise ValueError("missing_values must list each value once")
    return values


MissingValues = Annotated[tuple[str | int | float, ...], AfterValidator(_checked)]
"""Values that mean "no value": words, codes or dates."""


def missing_values(plan: Plan, names: Iterable[str]) -> dict[str, tuple[MissingValue, ...]]:
    """Return what means "no value" in each column: its own values, else those of the table; columns without any lack.

    Examples
    --------
    >>> from shoal.plan import Plan
    >>> age = {"role": "quasi_identifier", "kind": "numeric", "missing_values": [-99]}
    >>> plan = Plan(k=2, missing_values=["NA"], attributes={"age": age, "town": {"role": "other"}})
    >>> missing_values(plan, ["age", "town"])
    {'age': (-99,), 'town': ('NA',)}
    """
    own = {name: plan.attributes[name].missing_values if name in plan.attributes else None for name in names}
    meant = {name: plan.missing_values if values is None else values for name, values in own.items()}
    return {name: values for name, values in meant.items() if values}


def open_table(frame: Any, plan: Plan) -> Table:
    """Take a frame as `Table.of` does; cells that hold what the plan calls missing are missing."""
    table = Table.of(frame)
    return with_gaps(table, missing_values(plan, table.names))
