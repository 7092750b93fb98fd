"""What a release gives away beside what its guarantees speak of: for the person who decides whether it leaves.

k-anonymity is about the quasi-identifiers of a plan. It does not see what a plan calls something else by mistake, what
the order of rows tells, or what leaves along with the cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes
from shoal.frames import Table
from shoal.kinds import Kind
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.run.inputs import listed
from shoal.run.order import warn_of_index, warn_of_order
from shoal.run.pseudonyms import warn_of_row_counts
from shoal.run.release import Partition
from shoal.run.released import changed_columns

INDEX_LEAVES = "the frame's index leaves with it: reset it if its labels could name people"
METADATA_LEAVES = "the frame's own metadata (attrs, Arrow schema) leave with it: remove what could name people"
ONE_GROUP = "all records form one group, so the quasi-identifiers tell nothing any more: ask for less"

_HEAD = 1024
"""Records that are looked at first: what does not hold for them does not hold for all, and most columns end here."""


def find_giveaways(
    original: Table, released: Table, partition: Partition, plan: Plan, *, shuffled: bool = False
) -> list[str]:
    """Return what a person should know before using a release that keeps its guarantees; no value of a record.

    Parameters
    ----------
    original, released
        The table that came in and the one that would leave, row by row the same records.
    partition
        How records were grouped.
    plan
        What was asked.
    shuffled
        The release leaves with its rows in a random order, and not as they stand here.
    """
    return [
        *([INDEX_LEAVES] if released.has_index else []),
        *([METADATA_LEAVES] if released.has_metadata else []),
        *([ONE_GROUP] if len(partition.labels) >= 2 * plan.k and not partition.labels.any() else []),
        *_undeclared(released, plan),
        *(warn_of_index(original) if shuffled else warn_of_order(original, plan)),
        *_single_values(released, plan),
        *warn_of_row_counts(released, plan),
        *_copies(original, released, plan),
    ]


def _undeclared(released: Table, plan: Plan) -> Iterator[str]:
    """Columns that should not be there; only a release by another tool has them."""
    for name in released.names:
        if name not in plan.attributes:
            yield f"{name!r} is in the release, and the plan does not declare it"
        elif name in plan.dropped_names():
            yield f"{name!r} is in the release, and the plan calls it an identifier"


def _single_values(released: Table, plan: Plan) -> Iterator[str]:
    """Columns released as they are whose values belong to one record."""
    others = [name for name in plan.names(Role.OTHER) if name != plan.by]
    single = {name: count for name in others if (count := int((_sizes(released, name) == 1).sum()))}
    if single:
        total = sum(single.values())
        are, they, their = ("is", "it", "its") if len(single) == 1 else ("are", "they", "their")
        yield (
            f"{listed(list(single))} {are} released as {they} {are}, and {total:,} of {their} values "
            f"belong{'s' if total == 1 else ''} to a single record: whoever knows the value finds the person; "
            f"{are} {they} really neither known from elsewhere nor confidential?"
        )
    for name in plan.names(Role.CONFIDENTIAL):
        if plan.attributes[name].kind is Kind.NOMINAL and len(_sizes(released, name)) == len(released) > 1:
            yield f"every record has a value of {name!r} of its own, and it is released: is it an identifier?"


def _copies(original: Table, released: Table, plan: Plan) -> Iterator[str]:
    """Columns released as they are that tell the original value of one that is hidden."""
    hidden = {*plan.names(Role.IDENTIFIER), *changed_columns(plan)}
    kept = [name for name in released.names if name in plan.attributes and name not in hidden and name != plan.by]
    if plan.release == "permute":  # quasi-identifiers are known to everybody anyway
        kept = [name for name in kept if plan.attributes[name].role is Role.OTHER]
    comparable = {name for name in plan.attributes if name in original.names and _comparable(original, name)}
    masked = [name for name in plan.attributes if name in hidden & comparable]
    kinds = np.array([original.dtype(name) for name in masked])
    few = original.head(_HEAD)
    first = np.array([few.class_codes(name) for name in masked]).reshape(len(masked), len(few))
    for name in filter(comparable.__contains__, kept):
        codes = original.class_codes(name)
        repeats = 2 * _count(codes) <= len(codes)
        likely = _tells(few.class_codes(name), first, repeats=repeats) & (repeats | (kinds == original.dtype(name)))
        revealed = [
            other
            for other, hidden_codes in ((other, original.class_codes(other)) for other in compress(masked, likely))
            if _tells(codes, hidden_codes[np.newaxis], repeats=repeats).all()
            and _count(hidden_codes) > 1  # what is the same for all tells nothing
            and (repeats or _same_labels(original, name, other))
        ]
        if revealed:
            yield (
                f"{name!r} is released as it is, and tells the original {listed(revealed)} of every record: give it "
                "the same role"
            )


def _tells(codes: NDArray[np.int64], hidden: NDArray[np.int64], *, repeats: bool) -> NDArray[np.bool_]:
    """Tell which columns, one per row of ``hidden``, follow from another: equal, or one value for each of its values.

    The latter says nothing of a column whose values hardly repeat: anything follows from it.
    """
    if not repeats:
        return np.asarray((hidden == codes).all(axis=1))
    _, first, value = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray((hidden == hidden[:, first[value]]).all(axis=1))


def _same_labels(table: Table, one: str, other: str) -> bool:
    """Tell whether equal codes of two columns of one kind are equal values: those of text are ranks among labels."""
    if table.dtype(one) not in ("string", "categorical", "decimal"):
        return True
    return table.categories(one).labels == table.categories(other).labels


def _count(*codes: NDArray[np.int64]) -> int:
    return int(equivalence_classes(codes).max()) + 1


def _sizes(table: Table, name: str) -> NDArray[np.int64]:
    """Return how many records share each value of a column; nothing where it cannot be compared or is not there."""
    if name not in table.names or not _comparable(table, name):
        return np.empty(0, dtype=np.int64)
    return np.bincount(equivalence_classes([table.class_codes(name)]))


def _comparable(table: Table, name: str) -> bool:
    return table.dtype(name) not in ("duration", "other")
