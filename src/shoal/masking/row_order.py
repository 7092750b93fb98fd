"""The order of rows: kept where it tells nothing, shuffled where rows follow what a release hides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import listed
from shoal.frames import Table
from shoal.giveaways.telling_order import followed_columns
from shoal.plan import Plan


@dataclass(frozen=True, eq=False)
class RowOrder:
    """Where the rows of a release come from."""

    asked: str  # what the plan says: auto, keep or shuffle
    followed: tuple[str, ...]  # the columns for whose sake rows were shuffled
    rows: NDArray[np.int64]  # the original position of each released row
    shuffled: bool  # whether that is a random order

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the manifest; not the rows, which undo it."""
        return {"asked": self.asked, "shuffled": self.shuffled, "followed": list(self.followed)}


def row_order(table: Table, plan: Plan) -> RowOrder:
    """Decide in which order the rows of a table leave, from the table and its plan alone."""
    followed = followed_columns(table, plan)
    if plan.order != "shuffle" and not followed:
        return RowOrder(plan.order, (), np.arange(len(table)), shuffled=False)
    return RowOrder(plan.order, followed, shuffled_rows(table, plan), shuffled=True)


def shuffled_rows(table: Table, plan: Plan) -> NDArray[np.int64]:
    """Return the original position of each released row where they are shuffled; only who has the table can."""
    # As a permutation of records, an order is only as secret as its seed: the original table itself is part of it.
    return np.random.default_rng(table.secret(f"order {plan.seed}")).permutation(len(table))


def order_sentence(followed: tuple[str, ...], *, done: bool) -> str:
    """Say that rows were, or will be, shuffled, and why."""
    verb = "were" if done else "will be"
    why = f"they follow{'ed' if done else ''} {listed(followed)}" if followed else "the plan asks for it"
    return f"the rows {verb} shuffled: {why}"
