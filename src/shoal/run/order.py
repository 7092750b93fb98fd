"""The order of rows: kept where it tells nothing, shuffled where rows follow what a release hides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames import Table, follows, is_sorted
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.run.inputs import listed
from shoal.run.released import changed_columns


@dataclass(frozen=True, eq=False)
class RowOrder:
    """Where the rows of a release come from.

    Parameters
    ----------
    asked
        What the plan says: auto, keep or shuffle.
    followed
        The columns for whose sake rows were shuffled.
    rows
        The original position of each released row.
    shuffled
        Whether that is a random order.
    """

    asked: str
    followed: tuple[str, ...]
    rows: NDArray[np.int64]
    shuffled: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the manifest; not the rows, which undo it."""
        return {"asked": self.asked, "shuffled": self.shuffled, "followed": list(self.followed)}


def row_order(table: Table, plan: Plan) -> RowOrder:
    """Decide in which order the rows of a table leave."""
    followed = followed_columns(table, plan) if plan.order == "auto" else ()
    if plan.order != "shuffle" and not followed:
        return RowOrder(plan.order, (), np.arange(len(table)), shuffled=False)
    # As a permutation of records, an order is only as secret as its seed: the original table itself is part of it.
    secret = table.secret(f"order {plan.seed}")
    return RowOrder(plan.order, followed, np.random.default_rng(secret).permutation(len(table)), shuffled=True)


def followed_columns(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return the columns that do not leave as they are and that the rows follow."""
    return tuple(name for name in _hidden(table, plan) if follows(table, name))


def telling_columns(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return the columns whose hidden values rows tell by their order: those too that few rows are sorted by."""
    return tuple(name for name in _hidden(table, plan) if is_sorted(table, name) or follows(table, name))


def warn_of_order(table: Table, plan: Plan) -> Iterator[str]:
    """Warn of rows that leave in an order which tells of what is hidden."""
    telling = telling_columns(table, plan)
    if telling:
        yield (
            f"the rows follow {listed(telling)}, and the release keeps their order: whoever knows the rank of a person "
            'finds the record; order = "shuffle" ends it'
        )


def order_sentence(followed: tuple[str, ...], *, done: bool) -> str:
    """Say that rows were, or will be, shuffled, and why."""
    verb = "were" if done else "will be"
    why = f"they follow{'ed' if done else ''} {listed(followed)}" if followed else "the plan asks for it"
    return f"the rows {verb} shuffled: {why}"


def _hidden(table: Table, plan: Plan) -> list[str]:
    """Return the columns that are dropped, masked or permuted, as far as a table has them.

    Not ``by``: a group has one value of it, so that masking changes nothing.
    """
    names = (*plan.names(Role.IDENTIFIER), *changed_columns(plan))
    return [name for name in names if name in table.names and name != plan.by]
