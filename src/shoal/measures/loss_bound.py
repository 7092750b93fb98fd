"""How far a release is from the best possible: the bound of `shoal.refinement` on the scales of `il_percent`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike

from shoal.errors import DataError, PlanError, counted
from shoal.measures.linkage import points_of
from shoal.measures.matching import MatchedTables
from shoal.measures.pair import Pair
from shoal.measures.squared_error import il_percent, sse
from shoal.measures.tables import pair_matched, pair_tables
from shoal.plan import Plan
from shoal.plan.missing_values import open_table
from shoal.points import Points
from shoal.progress import Progress
from shoal.refinement import LowerBound, lower_bound


@dataclass(frozen=True, eq=False)
class LossBound:
    """The least ``sse`` and ``il_percent`` of any release by groups of at least k, and those of one release."""

    bound: LowerBound
    released: float | None = None
    released_percent: float | None = None

    @property
    def gap(self) -> float | None:
        """By how many percent the release loses more than the best one can, at most."""
        return None if self.released is None else self.bound.gap(self.released)

    @property
    def sentence(self) -> str | None:
        """The gap in words, for a report."""
        return None if self.released is None else self.bound.sentence(self.released)


def bound_loss(
    original: Any,
    plan: Plan,
    *,
    released: Any = None,
    key_column: str | None = None,
    rows: ArrayLike | None = None,
    method: Any = "auto",
    seconds: float | None = None,
    progress: Progress | bool | None = None,
) -> LossBound:
    """Bound ``sse`` and ``il_percent`` of every release of a table by groups of at least k, and compare one with it.

    Parameters
    ----------
    original, plan
        The table, and which columns are quasi-identifiers, of what kind, and k; nothing else of the plan counts.
    released
        A release by shoal or by any other tool, to compare.
    key_column, rows
        How its records are matched, as for `measure`: by row order if None. Where some were dropped, the bound is about
        those that left.
    method, seconds, progress
        As for `shoal.refinement.lower_bound`.

    Raises
    ------
    DataError
        The release has equivalence classes of fewer than k records: the bound says nothing about it. Or its rows are
        those of the original in another order, and nothing says in which.
    PlanError
        As `shoal.refinement.lower_bound` raises it, or the release is matched and there is none.

    Notes
    -----
    The bound is about the table that is released, whatever made it: records of an equivalence class are all at one
    place, so their squared errors are at least those to their mean, mode or best category: in a hierarchy in each level
    by itself, and for places and cycles to the mean of their unit vectors, wherever that is. What a release promises
    beyond k (t-closeness, subjects, `by`) leaves fewer partitions to choose from, and the bound stays one.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67], "pay": [20, 24, 40, 30]})
    >>> numeric = {"role": "quasi_identifier", "kind": "numeric"}
    >>> plan = Plan(k=2, attributes={"age": numeric, "pay": numeric})
    >>> coarse = pl.DataFrame({"age": [32, 32, 64, 64], "pay": [22, 22, 35, 35]})
    >>> bound_loss(frame, plan, released=coarse, method="ascent").sentence
    'the best possible'
    """
    if released is None:
        if key_column is not None or rows is not None:
            raise PlanError("key_column and rows say which records of a release are which, and released is None")
        table = open_table(original, plan)
        pair = pair_tables(table, table, plan)
    else:
        matched = MatchedTables.read(original, released, plan, key_column=key_column, rows=rows)
        pair = pair_matched(matched)
        matched.require_known_order()
        smallest = int(pair.sizes.min())
        if smallest < plan.k:
            raise DataError(
                f"the release has equivalence classes of {counted(smallest, 'record')}, so a bound for groups of at "
                f"least {plan.k} says nothing about it"
            )
    points = points_as_measured(pair)
    if method == "univariate" and (points.has_nominal or points.dimension != 1):
        named = ", ".join(f"{column.name!r} ({column.kind})" for column in pair.columns)  # points have no names
        raise PlanError(f'method "univariate" bounds one numeric, date or ordinal column, not {named}: take "auto"')
    bound = lower_bound(points, plan.k, method=method, seconds=seconds, progress=progress)
    if any(column.is_directional for column in pair.columns):
        bound = replace(bound, percent=_share_of_total(bound.sse, pair))
    if released is None:
        return LossBound(bound)
    return LossBound(bound, sse(pair).value, il_percent(pair).value)


def _share_of_total(least: float, pair: Pair) -> float:
    """Return a bound in percent of the SST, rounded down, where that is more than the points vary around their mean.

    The average of places and of a cycle is released as a direction, which is farther from them than the mean inside.
    """
    total = math.fsum(column.total for column in pair.columns)
    return 100.0 * least / total * (1.0 - 2.0**-52 * (len(pair.columns[0]) + 16)) if total > 0 else 0.0


def points_as_measured(pair: Pair) -> Points:
    """Return the original records as points whose squared distances are those that ``sse`` adds up.

    >>> points_as_measured(Pair.of([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])).coords.T.tolist()
    [[-1.0, 0.0, 1.0]]
    """
    return points_of(pair.columns, "original", unit="original", centred=False)
