"""Apply: new records masked by the groups of an earlier release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Generic

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal import _core
from shoal.encode import Column, read_column, to_frame_columns
from shoal.encode.category_text import category_text
from shoal.errors import DataError, PlanError, counted
from shoal.frames import DTYPE_WORDS, Categories, FrameColumn, Table
from shoal.plan import Plan
from shoal.plan.gaps import open_table
from shoal.points import Points
from shoal.protect import GUARANTEES, Rule
from shoal.protect.rules import met, of_records
from shoal.protect.t_closeness import TCloseness
from shoal.run.inputs import check_columns, check_index, read_subjects_of
from shoal.run.model.model import Model, close_names, require_applicable, texts_of
from shoal.run.persons import subject_averages
from shoal.run.recoded import recoded
from shoal.run.release import FrameT

NEAREST = 64
"""Groups that are tried for a record before it is left out, the nearest first."""


@dataclass(frozen=True, eq=False)
class Applied(Generic[FrameT]):
    """New records, masked.

    Parameters
    ----------
    data
        The masked frame: identifiers gone, quasi-identifiers those of a group.
    rows
        The position that each row had in the table that came, from 0.
    groups
        The group of the model that each row was masked by.
    left_out
        How many records no group could take and stay close.
    promise, not_promised
        What holds of the records, and what does not, in a sentence each.
    """

    data: FrameT
    rows: NDArray[np.int64]
    groups: NDArray[np.int64]
    left_out: int
    promise: str
    not_promised: str

    def __repr__(self) -> str:
        gone = f", {self.left_out:,} left out" if self.left_out else ""
        where = counted(len(np.unique(self.groups)), "group")
        head = f"{counted(len(self.rows), 'new record')} in {where}{gone}"
        return f"{head}\n  {self.promise}\n  not promised: {self.not_promised}"


def apply_model(model: Model, frame: FrameT, *, close: bool) -> Applied[FrameT]:
    """Mask new records by the groups of a model; see `Model.apply`."""
    plan = model.plan
    require_applicable(plan)
    if close and not close_names(plan):
        raise PlanError("close keeps groups within t, and the plan of the model asks for no t-closeness: leave it out")
    came = open_table(frame, plan)
    check_columns(came.names, plan)
    check_index(came.index_names, plan)
    if len(came) == 0:
        raise DataError("the table has no records: there is nothing to mask")
    table = recoded(came, plan).table
    columns = [read_column(table, plan.spec(name)) for name in plan.masked_names()]
    search = _Search.of(model, table, columns, plan)
    groups = _closest(search, _Judge.of(model, table, plan)) if close else search.nearest(1)[:, 0]
    rows = np.flatnonzero(groups >= 0)
    if len(rows) == 0:
        raise DataError("no group of the model can take any of the records and stay within t: release the table again")
    chosen = groups[rows]
    released = {name: part for column in model.columns for name, part in to_frame_columns(column.take(chosen)).items()}
    kept = table if len(rows) == len(table) else table.take(rows)
    _require_room(kept, released)
    return Applied(
        kept.replace(released, drop=plan.dropped_names()),
        rows,
        chosen,
        len(table) - len(rows),
        *_words(plan, close=close),
    )


def _require_room(table: Table, released: Mapping[str, FrameColumn]) -> None:
    """Refuse a column of another type, which would lose the released categories or could not hold them."""
    for name, column in released.items():
        if isinstance(column, Categories) and column.labels and not _has_room(table, name, column):
            raise DataError(
                f"column {name!r} holds {DTYPE_WORDS[table.dtype(name)]}, and cannot take the categories that it was "
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


@dataclass(eq=False)
class _Search:
    """Which groups are near to new records: those of the same value of ``by`` whose values k subjects share.

    Parameters
    ----------
    points
        The groups, and the new records after them; where records have subjects, one point for each of those.
    whose
        The point of each new record.
    places
        The groups that may be chosen, by the value of ``by``.
    domains
        The value of ``by`` of each point of new records.
    """

    points: Points
    groups: int
    whose: NDArray[np.int64]
    places: dict[str | None, NDArray[np.int32]]
    domains: list[str | None]

    @classmethod
    def of(cls, model: Model, table: Table, columns: list[Column], plan: Plan) -> _Search:
        """Turn groups and records into points."""
        mine, new = model.encoder.apply(model.columns), model.encoder.apply(columns)
        subjects = read_subjects_of(table, plan)
        whose = np.arange(len(table)) if subjects is None else subjects.numbers.astype(np.int64)
        first = np.arange(len(table)) if subjects is None else subjects.first_rows
        if subjects is not None:
            new = subject_averages(replace(new, subjects=subjects.numbers))
        able = np.flatnonzero(model.sizes >= plan.k).astype(np.int32)
        if model.domains is None:
            return cls(_below(mine, new), len(mine), whose, {None: able}, [None] * len(new))
        assert plan.by is not None
        texts = texts_of(table, plan.by)
        places = {text: able[[model.domains[i] == text for i in able]] for text in set(model.domains)}
        unknown = sum(text not in places or len(places[text]) == 0 for text in texts)
        if unknown:
            raise DataError(
                f"by = {plan.by!r} has values in {counted(unknown, 'record')} that no group of the model has: leave "
                "them out, or release the table again"
            )
        if subjects is not None and any(texts[row] != texts[first[number]] for row, number in enumerate(whose)):
            raise DataError(
                f"by = {plan.by!r} differs between records of one subject, who is masked by one group alone"
            )
        return cls(_below(mine, new), len(mine), whose, places, [texts[row] for row in first])

    def nearest(self, count: int) -> NDArray[np.int64]:
        """Return the nearest groups of each record, nearest first; -1 where there are no more."""
        records = self.points.records()
        trees = {domain: _core.KdTree(records, places) for domain, places in self.places.items()}
        found = np.full((len(self.domains), count), -1, dtype=np.int64)
        for i, domain in enumerate(self.domains):
            near = trees[domain].nearest(self.groups + i, min(count, len(self.places[domain])))
            found[i, : len(near)] = near
        return found[self.whose]


@dataclass(eq=False)
class _Judge:
    """Whether groups stay close with new records: all they have taken so far are in them.

    Notes
    -----
    Compared with the released table and all new records together, which is the whole that an outsider then sees.
    """

    rules: tuple[Rule, ...]
    labels: list[NDArray[np.int64]]
    count: int

    @classmethod
    def of(cls, model: Model, table: Table, plan: Plan) -> _Judge:
        """Put the histograms of the groups and the new records into one table."""
        whole = pl.DataFrame([histogram.beside(table) for histogram in model.confidential.values()])
        rules = GUARANTEES[TCloseness.name].rules(plan.demand(), Table.of(whole))
        labels = [histogram.labels for histogram in model.confidential.values()]
        return cls(rules, labels, len(model))

    def takes(self, rows: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say for each group whether it is close with these new records in these groups."""
        verdict = np.ones(self.count, dtype=np.bool_)
        for rule, labels in zip(self.rules, self.labels, strict=True):
            everybody = np.concatenate([np.arange(len(labels)), len(labels) + rows])
            verdict &= met(of_records([rule], everybody), np.concatenate([labels, groups]), self.count)
        return verdict


def _closest(search: _Search, judge: _Judge) -> NDArray[np.int64]:
    """Return the nearest group of each record that stays close with it, -1 where none of the nearest ones does.

    Notes
    -----
    Record by record, as far as they meet in a group: in each round a group is asked for one record, the first in the
    order of rows, beside those that it has taken. Records of one subject are taken together.
    """
    near = search.nearest(min(NEAREST, search.groups))
    whose, subjects = search.whose, len(search.domains)
    first = np.full(subjects, len(whose))
    np.minimum.at(first, whose, np.arange(len(whose)))
    turn, placed = np.zeros(subjects, dtype=np.int64), np.full(subjects, -1, dtype=np.int64)
    waiting = np.arange(subjects)
    while len(waiting):
        wished = near[first[waiting], turn[waiting]]
        _, lead = np.unique(wished, return_index=True)
        asking, groups = waiting[lead], wished[lead]
        tried = placed.copy()
        tried[asking] = groups
        rows = np.flatnonzero(tried[whose] >= 0)
        kept = judge.takes(rows, tried[whose][rows])[groups]
        placed[asking[kept]] = groups[kept]
        turn[asking[~kept]] += 1
        turn[placed >= 0] = 0
        over = turn >= near.shape[1]
        over[~over] = near[first[~over], turn[~over]] < 0
        waiting = np.flatnonzero((placed < 0) & ~over)
    return placed[whose]


def _below(upper: Points, lower: Points) -> Points:
    """Return the records of two tables, one below the other."""
    return Points.build(
        coords=np.vstack([upper.coords, lower.coords]),
        ranks=np.vstack([upper.ranks, lower.ranks]),
        rank_steps=upper.rank_steps,
        rank_levels=upper.rank_levels,
        rank_convex=upper.rank_convex,
        codes=np.vstack([upper.codes, lower.codes]),
        code_weights=upper.code_weights,
        code_levels=np.maximum(upper.code_levels, lower.code_levels),
    )


def _words(plan: Plan, *, close: bool) -> tuple[str, str]:
    """Say what holds of the new records, and what does not."""
    whom = "records" if plan.subject_column() is None else "subjects"
    within = (
        ", and its confidential values, with those of the new records, stay within t of the released table and the new "
        "records together"
        if close
        else ""
    )
    return (
        f"each new record has the quasi-identifiers of a group that at least k = {plan.k} {whom} of the release share: "
        f"it is one of k + 1 or more{within}",
        "whoever has the release, and knows who is new, finds a new record among the new ones of its group alone; "
        + ("no other guarantee of the plan" if close else "no guarantee of the plan but k")
        + " is checked for new records. Release the table again with the previous model where that matters",
    )
