"""Placement: the group that takes a new record, the nearest or the nearest that stays within t of all that leaves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal import _core
from shoal.errors import DataError, counted
from shoal.frames import Table
from shoal.kinds.column import Column
from shoal.masking.average_points import subject_averages
from shoal.masking.inputs import read_subjects_of
from shoal.plan import Plan
from shoal.points import Points
from shoal.protect import GUARANTEES
from shoal.protect.rules import Rule, met, of_records
from shoal.protect.t_closeness import TCloseness
from shoal.republish.contributions import column_texts
from shoal.run.model.model import Model


@dataclass(eq=False)
class Search:
    """Which groups are near to new records: those of the same value of ``by`` whose values k subjects share."""

    # the groups, and the new records after them; where records have subjects, one point for each of those
    points: Points
    groups: int
    whose: NDArray[np.int64]  # the point of each new record
    places: dict[str | None, NDArray[np.int32]]  # the groups that may be chosen, by the value of ``by``
    domains: list[str | None]  # the value of ``by`` of each point of new records

    @classmethod
    def of(cls, model: Model, table: Table, columns: list[Column], plan: Plan) -> Search:
        """Turn groups and records into points."""
        mine, new = model.encoder.apply(model.columns), model.encoder.apply(columns)
        subjects = read_subjects_of(table, plan)
        whose = first = np.arange(len(table))
        if subjects is not None:
            whose, first = subjects.numbers.astype(np.int64), subjects.first_rows
            new = subject_averages(replace(new, subjects=subjects.numbers))
        able = np.flatnonzero(model.sizes >= plan.k).astype(np.int32)
        if model.domains is None:
            return cls(mine.above(new), len(mine), whose, {None: able}, [None] * len(new))
        assert plan.by is not None
        texts = column_texts(table, plan.by)
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
        return cls(mine.above(new), len(mine), whose, places, [texts[row] for row in first])

    def nearest(self, count: int) -> NDArray[np.int64]:
        """Return the nearest groups of each point of new records, nearest first; -1 where there are no more."""
        records = self.points.records()
        trees = {domain: _core.KdTree(records, places) for domain, places in self.places.items()}
        nearest_groups = np.full((len(self.domains), count), -1, dtype=np.int64)
        for i, domain in enumerate(self.domains):
            near = trees[domain].nearest(self.groups + i, min(count, len(self.places[domain])))
            nearest_groups[i, : len(near)] = near
        return nearest_groups


NEAREST = 64
"""Groups that are tried for a record before it is left out, the nearest first."""


def closest_groups(model: Model, table: Table, plan: Plan, search: Search) -> NDArray[np.int64]:
    """Return the nearest group of each new record that stays close with all that it takes; -1 for who is left out.

    Groups are compared with all that leaves: the released table and the new records that some group takes. Who is left
    out is no part of it, and without them it is another whole, from which groups may be too far. Those give back, and
    what they gave back is placed anew, until nobody more is left out: fewer leave each time, so this ends.
    """
    all_values = pl.DataFrame([histogram.beside(table) for histogram in model.confidential.values()])
    placing = _Placing(search.nearest(min(NEAREST, search.groups)), search.whose)
    leaving = np.ones(len(search.domains), dtype=np.bool_)
    while True:
        judge = _Judge.of(model, all_values, plan, np.flatnonzero(leaving[search.whose]))
        placing.give_back(judge)
        placing.take(leaving, judge)
        if (placing.groups[leaving] >= 0).all():
            return placing.groups[search.whose]
        leaving = placing.groups >= 0


@dataclass(eq=False)
class _Judge:
    """Whether groups stay close with new records: all they have taken so far are in them."""

    rules: tuple[Rule, ...]  # what must stay within t of the released table and some new records together
    labels: list[NDArray[np.int64]]  # the group of each released record, in the order in which each attribute has them
    new: NDArray[np.int64]  # these new records, ascending
    count: int  # the number of groups

    @classmethod
    def of(cls, model: Model, all_values: pl.DataFrame, plan: Plan, new: NDArray[np.int64]) -> _Judge:
        """Compare with the released records, which stand first in a table of all, and some of the new ones."""
        labels = [histogram.labels for histogram in model.confidential.values()]
        released = np.arange(len(labels[0]))
        rules = GUARANTEES[TCloseness.name].rules(
            plan.demand(), Table.of(all_values[np.concatenate([released, len(released) + new])])
        )
        return cls(rules, labels, new, len(model))

    def takes(self, groups: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say for each group whether it is close with the new records that are in it; the group of each, -1 for none.

        The last of them is for those in none.
        """
        verdict = np.ones(self.count + 1, dtype=np.bool_)
        rows = np.flatnonzero(groups >= 0)
        places = np.searchsorted(self.new, rows)
        for rule, labels in zip(self.rules, self.labels, strict=True):
            everybody = np.concatenate([np.arange(len(labels)), len(labels) + places])
            everywhere = np.concatenate([labels, groups[rows]])
            verdict[:-1] &= met(of_records([rule], everybody), everywhere, self.count)
        return verdict


@dataclass(eq=False)
class _Placing:
    """Which subjects are in which groups."""

    near: NDArray[np.int64]  # the nearest groups of each subject, nearest first; -1 where there are no more
    whose: NDArray[np.int64]  # the subject of each new record
    groups: NDArray[np.int64] = field(init=False)  # the group of each subject; -1 for none, as all begin
    since: NDArray[np.int64] = field(init=False)  # the round in which it was taken

    def __post_init__(self) -> None:
        self.groups = np.full(len(self.near), -1, dtype=np.int64)
        self.since = np.zeros(len(self.near), dtype=np.int64)

    def give_back(self, judge: _Judge) -> None:
        """Let groups that are not close give back whom they took, the last first, until they are, or took nobody."""
        while True:
            far = np.flatnonzero(~judge.takes(self.groups[self.whose])[self.groups])
            if len(far) == 0:
                return
            latest = far[np.argsort(-self.since[far], kind="stable")]
            _, last = np.unique(self.groups[latest], return_index=True)
            self.groups[latest[last]] = -1

    def take(self, asks: NDArray[np.bool_], judge: _Judge) -> None:
        """Place each subject that asks for a group, and has none, in the nearest that stays close with it.

        Record by record, as far as they meet in a group: in each round a group is asked for one record, the first in
        the order of rows, beside those that it has taken. Records of one subject are taken together.
        """
        turn = np.zeros(len(self.near), dtype=np.int64)
        waiting = np.flatnonzero(asks & (self.groups < 0))
        while len(waiting):
            wished = self.near[waiting, turn[waiting]]
            _, lead = np.unique(wished, return_index=True)
            asking, groups = waiting[lead], wished[lead]
            tried = self.groups.copy()
            tried[asking] = groups
            accepted = judge.takes(tried[self.whose])[groups]
            self.groups[asking[accepted]] = groups[accepted]
            self.since[asking[accepted]] = self.since.max() + 1
            turn[asking[~accepted]] += 1
            over = turn >= self.near.shape[1]
            over[~over] = self.near[np.flatnonzero(~over), turn[~over]] < 0
            waiting = np.flatnonzero(asks & (self.groups < 0) & ~over)
