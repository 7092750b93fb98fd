"""Close: new records in the nearest groups that stay within t of all that leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.frames import Table
from shoal.plan import Plan
from shoal.protect import GUARANTEES
from shoal.protect.rules import Rule, met, of_records
from shoal.protect.t_closeness import TCloseness
from shoal.run.model.model import Model
from shoal.run.model.nearest_groups import Search

NEAREST = 64
"""Groups that are tried for a record before it is left out, the nearest first."""


def closest_groups(model: Model, table: Table, plan: Plan, search: Search) -> NDArray[np.int64]:
    """Return the nearest group of each new record that stays close with all that it takes; -1 for who is left out.

    Notes
    -----
    Groups are compared with all that leaves: the released table and the new records that some group takes. Who is left
    out is no part of it, and without them it is another whole, from which groups may be too far. Those give back, and
    what they gave back is placed anew, until nobody more is left out: fewer leave each time, so this ends.
    """
    whole = pl.DataFrame([histogram.beside(table) for histogram in model.confidential.values()])
    placing = _Placing.of(search)
    leaving = np.ones(len(search.domains), dtype=np.bool_)
    while True:
        judge = _Judge.of(model, whole, plan, np.flatnonzero(leaving[search.whose]))
        placing.give_back(judge)
        placing.take(leaving, judge)
        if (placing.groups[leaving] >= 0).all():
            return placing.groups[search.whose]
        leaving = placing.groups >= 0


@dataclass(eq=False)
class _Judge:
    """Whether groups stay close with new records: all they have taken so far are in them.

    Parameters
    ----------
    rules
        What must stay within t of the released table and some new records together.
    labels
        The group of each released record, in the order in which each attribute has them.
    new
        These new records, ascending.
    count
        The number of groups.
    """

    rules: tuple[Rule, ...]
    labels: list[NDArray[np.int64]]
    new: NDArray[np.int64]
    count: int

    @classmethod
    def of(cls, model: Model, whole: pl.DataFrame, plan: Plan, new: NDArray[np.int64]) -> _Judge:
        """Compare with the released records, which stand first in a table of all, and some of the new ones."""
        labels = [histogram.labels for histogram in model.confidential.values()]
        released = np.arange(len(labels[0]))
        rules = GUARANTEES[TCloseness.name].rules(
            plan.demand(), Table.of(whole[np.concatenate([released, len(released) + new])])
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
    """Which subjects are in which groups.

    Parameters
    ----------
    near
        The nearest groups of each subject, nearest first; -1 where there are no more.
    whose
        The subject of each new record.
    groups
        The group of each subject; -1 for none.
    since
        The round in which it was taken.
    """

    near: NDArray[np.int64]
    whose: NDArray[np.int64]
    groups: NDArray[np.int64]
    since: NDArray[np.int64]

    @classmethod
    def of(cls, search: Search) -> _Placing:
        """Begin with nobody in a group."""
        count = len(search.domains)
        first = np.full(count, len(search.whose))
        np.minimum.at(first, search.whose, np.arange(len(search.whose)))
        near = search.nearest(min(NEAREST, search.groups))[first]
        return cls(near, search.whose, np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=np.int64))

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

        Notes
        -----
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
            kept = judge.takes(tried[self.whose])[groups]
            self.groups[asking[kept]] = groups[kept]
            self.since[asking[kept]] = self.since.max() + 1
            turn[asking[~kept]] += 1
            over = turn >= self.near.shape[1]
            over[~over] = self.near[np.flatnonzero(~over), turn[~over]] < 0
            waiting = np.flatnonzero(asks & (self.groups < 0) & ~over)
