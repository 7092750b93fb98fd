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
from shoal.run.recoded import recoded_columns
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
    """Decide in which order the rows of a table leave, from the table and its plan alone."""
    followed = followed_columns(table, plan) if plan.order == "auto" else ()
    if plan.order != "shuffle" and not followed:
        return RowOrder(plan.order, (), np.arange(len(table)), shuffled=False)
    return RowOrder(plan.order, followed, shuffled_rows(table, plan), shuffled=True)


def shuffled_rows(table: Table, plan: Plan) -> NDArray[np.int64]:
    """Return the original position of each released row where they are shuffled; only who has the table can."""
    # As a permutation of records, an order is only as secret as its seed: the original table itself is part of it.
    return np.random.default_rng(table.secret(f"order {plan.seed}")).permutation(len(table))


def followed_columns(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return the columns that do not leave as they are and that the rows follow."""
    return tuple(name for rows, name in _hidden(table, plan) if follows(rows, name))


def columns_disclosed_by_order(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return the columns whose hidden values rows tell by their order: those too that few rows are sorted by."""
    return tuple(name for rows, name in _hidden(table, plan) if is_sorted(rows, name) or follows(rows, name))


def will_shuffle(table: Table, plan: Plan) -> bool:
    """Whether the rows of a table leave in a random order."""
    return plan.order == "shuffle" or (plan.order == "auto" and bool(followed_columns(table, plan)))


def order_sentence(followed: tuple[str, ...], *, done: bool) -> str:
    """Say that rows were, or will be, shuffled, and why."""
    verb = "were" if done else "will be"
    why = f"they follow{'ed' if done else ''} {listed(followed)}" if followed else "the plan asks for it"
    return f"the rows {verb} shuffled: {why}"


def _hidden(table: Table, plan: Plan) -> Iterator[tuple[Table, str]]:
    """Return the columns that are dropped, masked, permuted or recoded, each in the rows whose order could tell it.

    Notes
    -----
    Not ``by``: a group has one value of it, so that masking changes nothing. Pseudonyms tell anyway which rows are of
    one subject, so that of what is the same in all of them the order of subjects is looked at, not that of rows.
    """
    names = dict.fromkeys((*plan.names(Role.IDENTIFIER), *changed_columns(plan), *recoded_columns(plan)))
    first, whose = _first_rows(table, plan)
    for name in names:
        if name not in table.names or name == plan.by:
            continue
        if first is not None and table.dtype(name) not in ("duration", "other"):
            codes = table.class_codes(name)
            if (codes == codes[first][whose]).all():
                yield table.select([name]).take(np.sort(first)), name
                continue
        yield table, name


def _first_rows(table: Table, plan: Plan) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """Return the first row of each subject that leaves as a pseudonym, and whose row each is."""
    name = plan.pseudonym_column()
    if name is None or name not in table.names:
        return None, None
    _, first, whose = np.unique(table.class_codes(name), return_index=True, return_inverse=True)
    return first, whose
