"""Apply: new records masked by the groups of an earlier release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, PlanError, counted, listed
from shoal.frames import Categories, FrameColumn, Table
from shoal.giveaways import Giveaway, Survey
from shoal.giveaways.attachments import index, metadata
from shoal.giveaways.telling_order import columns_disclosed_by_order
from shoal.kinds.registry import read_column, to_frame_columns
from shoal.kinds.text import category_text
from shoal.masking.inputs import check_columns, check_index, read_unmasked
from shoal.masking.recoding import recoded
from shoal.plan import Plan
from shoal.plan.missing_values import open_table
from shoal.run.model.model import Model, close_names, require_applicable
from shoal.run.model.placement import Search, closest_groups
from shoal.run.release import FrameT


@dataclass(frozen=True, eq=False)
class Applied(Generic[FrameT]):
    """New records, masked."""

    data: FrameT  # the masked frame: identifiers gone, quasi-identifiers those of a group
    rows: NDArray[np.int64]  # the position that each row had in the table that came, from 0
    groups: NDArray[np.int64]  # the group of the model that each row was masked by
    left_out: int  # how many records no group could take and stay close
    # promise, not_promised: what holds of the records, and what does not, in a sentence each
    promise: str
    not_promised: str
    # what the frame would give away beside its cells or by the order of its rows, for who decides whether it leaves
    giveaways: tuple[Giveaway, ...] = ()

    def __repr__(self) -> str:
        gone = f", {self.left_out:,} left out" if self.left_out else ""
        where = counted(len(np.unique(self.groups)), "group")
        head = f"{counted(len(self.rows), 'new record')} in {where}{gone}"
        warned = [f"warning: {giveaway.sentence}" for giveaway in self.giveaways]
        return "\n  ".join([head, self.promise, f"not promised: {self.not_promised}", *warned])


def apply_model(model: Model, frame: FrameT, *, close: bool) -> Applied[FrameT]:
    """Mask new records by the groups of a model; see `Model.apply`."""
    plan = model.plan
    require_applicable(plan)
    if close and not close_names(plan):
        raise PlanError("close keeps groups within t, and the plan of the model asks for no t-closeness: leave it out")
    original = open_table(frame, plan)
    check_columns(original.names, plan)
    check_index(original.index_names, plan)
    if len(original) == 0:
        raise DataError("the table has no records: there is nothing to mask")
    table = recoded(original, plan).table
    columns = [read_column(table, plan.spec(name)) for name in plan.masked_names()]
    for name in plan.judged_names():
        read_unmasked(table, plan, name)
    search = Search.of(model, table, columns, plan)
    groups = closest_groups(model, table, plan, search) if close else search.nearest(1)[search.whose, 0]
    rows = np.flatnonzero(groups >= 0)
    if len(rows) == 0:
        raise DataError("no group of the model can take any of the records and stay within t: release the table again")
    chosen = groups[rows]
    released = {name: part for column in model.columns for name, part in to_frame_columns(column.take(chosen)).items()}
    remaining = table if len(rows) == len(table) else table.take(rows)
    _require_room(remaining, released)
    data = remaining.replace(released, drop=plan.dropped_names())
    as_they_came = original if remaining is table else original.take(rows)
    return Applied(
        data,
        rows,
        chosen,
        len(table) - len(rows),
        _promise(plan, close=close),
        _not_promised(close=close),
        giveaways=tuple(_giveaways(Survey(as_they_came, plan, released=Table.of(data)))),
    )


def _giveaways(survey: Survey) -> Iterator[Giveaway]:
    """Find what leaves with new records beside their cells, and what their order tells: they stay as they came."""
    yield from index(survey)
    yield from metadata(survey)
    in_any_order = survey.plan.order == "keep" or len(survey) <= 2  # two rows follow every column, up or down
    followed = () if in_any_order else columns_disclosed_by_order(survey.original, survey.plan)
    if followed:
        sentence = (
            f"the rows follow {listed(followed)}, and leave in the order in which they came, which tells it: put them "
            "in another order before"
        )
        yield Giveaway("row_order", sentence, followed, len(survey))


def _require_room(table: Table, released: Mapping[str, FrameColumn]) -> None:
    """Refuse a column of another type, which would lose the released categories or could not hold them."""
    for name, column in released.items():
        if isinstance(column, Categories) and column.labels and not _has_room(table, name, column):
            raise DataError(
                f"column {name!r} holds {table.holds(name)}, and cannot take the categories that it was "
                "released with: convert it to the type that it had then"
            )


def _has_room(table: Table, name: str, column: Categories) -> bool:
    """Whether every released category can be read again from a column of this type."""
    everyone = np.arange(len(column.labels), dtype=np.int32)
    one_each = table.select([name]).take(np.zeros(len(everyone), dtype=np.int64))
    try:
        built = Table.of(one_each.replace({name: replace(column, codes=everyone)})).categories(name)
    except Exception:  # each library has errors of its own, and some name the categories
        return False
    if built.missing is not None:
        return False
    key = Decimal if table.dtype(name) == "decimal" else category_text
    return [key(built.labels[code]) for code in built.codes] == [key(label) for label in column.labels]


def _promise(plan: Plan, *, close: bool) -> str:
    """Say what holds of the new records."""
    whom = "records" if plan.subject_column() is None else "subjects"
    within = (
        ", and its confidential values, with those of the new records that it takes, stay within t of all that leaves: "
        "the released table and the new records that are not left out"
    )
    return (
        f"each new record has the quasi-identifiers of a group that at least k = {plan.k} {whom} of the release share: "
        f"it is one of k + 1 or more{within if close else ''}"
    )


def _not_promised(*, close: bool) -> str:
    """Say what does not hold of them."""
    return (
        "whoever has the release, and knows who is new, finds a new record among the new ones of its group alone; "
        + ("no other guarantee of the plan" if close else "no guarantee of the plan but k")
        + " is checked for new records. Release the table again with the previous model where that matters"
    )
