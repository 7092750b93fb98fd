"""Whether the rows of a table follow a column: they stand in its order or by its values, all of them or nearly all."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames.table import Table

STRENGTH = 0.5
"""Half of what a table shows that is sorted by a column: from here on its rows follow it."""

CHANCE = 1e-4
"""And this rarely would an order that has nothing to do with the column show as much."""

_SAMPLE, _STRETCH = 1 << 16, 1 << 8
"""Of larger tables so many rows are looked at, in stretches of so many from the first row to the last."""


@dataclass(frozen=True, eq=False)
class _Order:
    """The present cells of a column as they stand: the rank of each, its row, and the places before a neighbour.

    ``counts`` are the cells of each rank.
    """

    ranks: NDArray[np.int64]
    counts: NDArray[np.int64]
    rows: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    stretches: int

    @cached_property
    def share_of_equal_pairs(self) -> float:
        counts, n = self.counts.astype(np.float64), len(self.ranks)
        return float((counts * (counts - 1)).sum()) / (n * (n - 1))


def follows(table: Table, name: str) -> bool:
    """Tell whether the rows of a table follow a column of text, numbers or dates, missing cells aside.

    Parameters
    ----------
    table
        Of more than 65,536 rows, that many are looked at, in stretches from the first to the last.
    name
        The column.

    Notes
    -----
    There are four signs. Each is about 0 where the order has nothing to do with the column and 1 where it is the
    column's, and comes with a bound on its probability if all orders of the rows are equally likely:

    - rows in the very order of the column;
    - neighbours whose values go one way, up or down, more often than the other: also sorted stretch by stretch;
    - the correlation of ranks and rows against the greatest that the ranks allow: also where neighbours are mixed up;
    - neighbours of equal values: also where the values stand in no order.

    One sign of at least one half, which chance gives less than once in 10,000, is enough. So a few percent of displaced
    rows hide nothing, and what fewer than eight records follow cannot be told from chance.

    Examples
    --------
    >>> import polars as pl
    >>> table = Table.of(pl.DataFrame({"bed": ["8", "9", "10", "11", "12", "13", "14", "15"], "pay": [3, 1, 2, 4] * 2}))
    >>> [follows(table, name) for name in table.names]
    [True, False]
    """
    order = _order(table, name)
    if order is None or len(order.counts) < 2:
        return False
    signs = (look_for(order) for look_for in (_sorted, _steps, _trend, _equals))
    return any(sign.strength >= STRENGTH and sign.log_chance <= math.log(CHANCE) for sign in signs)


def is_sorted(table: Table, name: str) -> bool:
    """Tell whether rows stand in the very order of a column, up or down, missing cells aside, be they ever so few.

    Examples
    --------
    >>> import polars as pl
    >>> table = Table.of(pl.DataFrame({"bed": ["8", "9", "10"], "age": [30, None, 20], "pay": [3, 1, 2]}))
    >>> [is_sorted(table, name) for name in table.names]
    [True, True, False]
    """
    order = _order(table, name)
    return order is not None and len(order.counts) > 1 and _sorted(order).strength == 1.0


@dataclass(frozen=True)
class _Sign:
    """A sign that rows follow a column: from 0 to 1, and the logarithm of a bound on its probability by chance."""

    strength: float
    log_chance: float


_NO_SIGN = _Sign(0.0, 0.0)


def _sorted(order: _Order) -> _Sign:
    """Rows in the very order of the ranks, which one in n! / (c₁! c₂! …) orders is, and as many backwards."""
    steps = np.diff(order.ranks)
    if steps.min() < 0 < steps.max():
        return _NO_SIGN
    same = sum(map(math.lgamma, (order.counts + 1).tolist()))
    return _Sign(1.0, math.log(2) + same - math.lgamma(len(order.ranks) + 1))


def _steps(order: _Order) -> _Sign:
    """Steps from neighbour to neighbour that go one way, less those that go the other.

    Two steps that share no row are independent, and two that share one have the covariance −P(three values are not
    all equal) / 3 ≤ −p / 3, where p is P(two values differ). So the variance of n − 1 steps is at most p (n + 1) / 3.
    """
    steps = np.sign(order.ranks[order.neighbours + 1] - order.ranks[order.neighbours])
    up, down = int((steps > 0).sum()), int((steps < 0).sum())
    if up + down == 0:
        return _NO_SIGN
    variance = (len(steps) + 2 * order.stretches) / 3 * (1 - order.share_of_equal_pairs)
    return _Sign(abs(up - down) / (up + down), _log_tail((up - down) ** 2 / variance))


def _trend(order: _Order) -> _Sign:
    """The covariance of ranks and rows against the greatest with these ranks; equal values are at their mean rank."""
    counts = order.counts
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[order.ranks]
    ranks, rows = ranks - ranks.mean(), order.rows - order.rows.mean()
    covariance = float(ranks @ rows)
    variance = float(ranks @ ranks) * float(rows @ rows) / (len(rows) - 1)
    return _Sign(abs(covariance) / float(np.sort(ranks) @ rows), _log_tail(covariance**2 / variance))


def _equals(order: _Order) -> _Sign:
    """Neighbours of equal values beyond those of chance, against as many as there can be; bounded as Poisson's."""
    ranks, first = order.ranks, order.neighbours
    equal = int((ranks[first] == ranks[first + 1]).sum())
    expected = len(first) * order.share_of_equal_pairs
    most = len(first) - (len(order.counts) - 1)
    if equal <= expected or most <= expected:
        return _NO_SIGN
    return _Sign((equal - expected) / (most - expected), equal - expected - equal * math.log(equal / expected))


def _log_tail(squared: float) -> float:
    """The logarithm of a bound on the probability that a normal number is so far from its mean, on either side."""
    return math.log(2) - squared / 2


def _order(table: Table, name: str) -> _Order | None:
    """Look at a column; None where its values have no order, or no two rows have one."""
    rows, stretches = np.arange(len(table)), 1
    if len(table) > _SAMPLE:
        stretches = _SAMPLE // _STRETCH
        starts = np.linspace(0, len(table) - _STRETCH, stretches).astype(np.int64)
        rows = (starts[:, np.newaxis] + np.arange(_STRETCH)).ravel()
        table = table.select([name]).take(rows)
    values = sort_keys(table, name)
    if values is None:
        return None
    missing = table.missing(name)
    present = np.arange(len(rows)) if missing is None else np.flatnonzero(~missing)
    if len(present) < 2:
        return None
    _, ranks, counts = np.unique(values[present], return_inverse=True, return_counts=True)
    stretch = present // _STRETCH if stretches > 1 else np.zeros(len(present), dtype=np.int64)
    neighbours = np.flatnonzero(stretch[1:] == stretch[:-1])
    return _Order(ranks.astype(np.int64), counts, rows[present], neighbours, stretches)


def sort_keys(table: Table, name: str) -> NDArray[Any] | None:
    """Return something per cell that sorts as the column does; None where it has no order."""
    dtype = table.dtype(name)
    if dtype in ("integer", "float", "boolean"):
        return table.numbers(name).values
    if dtype in ("date", "datetime"):
        return table.instants(name).values
    if dtype in ("duration", "other"):
        return None
    if dtype == "decimal" or table.has_order(name):
        return table.categories(name).codes
    categories = table.categories(name)
    texts = [str(label) for label in categories.labels]
    digits = all(map(str.isdecimal, texts))  # 9 before 10
    if not digits and all(map(operator.le, texts, texts[1:])):
        return categories.codes
    rank = np.full(len(texts) + 1, -1, dtype=np.int64)  # code -1 reads the last entry
    rank[sorted(range(len(texts)), key=lambda i: (len(texts[i]) if digits else 0, texts[i]))] = np.arange(len(texts))
    return rank[categories.codes]
