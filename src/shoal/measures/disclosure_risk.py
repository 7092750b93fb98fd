"""Disclosure risk: values close around the released ones, linkage, and the score of both with information loss."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from shoal.kinds import CONTINUOUS, Kind
from shoal.measures.column_pair import ColumnPair
from shoal.measures.declaration import CHANCE, QuasiIdentifiers, Value, declare_measure, over_subsets
from shoal.measures.definition import ORDERED
from shoal.measures.linkage import linked_percentage
from shoal.measures.pair import Pair
from shoal.measures.statistics import il
from shoal.moments import row_slices
from shoal.progress import Progress
from shoal.subsets import Known

WIDTHS = range(1, 11)
"""The percentages p."""


@declare_measure(
    "id",
    "Percentage of original values inside a rank interval around the released one: from the released value p % of the "
    "records below it to the released value p % of the records above it in the sorted released column, averaged over "
    "p = 1…10 and over columns.",
    title="originals near the released value, by rank",
    kinds=ORDERED,
    **CHANCE,
)
def id(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the percentage of original values that a rank interval around the released value gives away.

    Notes
    -----
    Nin 2014, section 2.3, after Domingo-Ferrer and Torra (2001): the interval reaches ⌊p·n/100⌋ places down from the
    first and up from the last of the records that share the released value, ends included. The intruder can draw it,
    for it uses the released table alone. Nominal columns have no order and are not covered.

    Examples
    --------
    Ten records in pairs 0, 0, 2, 2, …, 8, 8. With p = 10 the interval reaches one record beyond the pair, so from
    the pair below to the pair above; with p < 10 it is the released value itself. The originals 0, 1, 2, …, 9 are
    inside for p < 10 when even (5 of 10), and for p = 10 all but 9 (9 of 10): (9 · 50 + 90) / 10.

    >>> original = [float(i) for i in range(10)]
    >>> released = [float(i - i % 2) for i in range(10)]
    >>> id(Pair.of(original, released)).value
    54.0
    """
    parts = {column.name: inside_rank_interval(pair, column) for column in columns}
    return Value(math.fsum(parts.values()) / len(columns), attributes=parts)


@declare_measure(
    "id_sd",
    "Percentage of original values within p % of the column's standard deviation (n − 1, original) of the released "
    "one, averaged over p = 1…10 and over columns.",
    title="originals near the released value, by deviation",
    kinds=CONTINUOUS,
    **CHANCE,
)
def id_sd(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the percentage of original values within a small share of a standard deviation of the released value.

    Notes
    -----
    The interval is closed. The column of a constant is always disclosed unless it was changed.

    Examples
    --------
    Values 0, 10, 20 have standard deviation 10; released 0.55, 10, 20, the first is off by 5.5 % of it and disclosed
    for p = 6…10 only: (5 · 2/3 + 5 · 3/3) / 10.

    >>> round(id_sd(Pair.of([0.0, 10.0, 20.0], [0.55, 10.0, 20.0])).value, 4)
    83.3333
    """
    parts = {column.name: _inside_deviation_interval(column) for column in columns}
    return Value(math.fsum(parts.values()) / len(columns), attributes=parts)


def inside_rank_interval(pair: Pair, column: ColumnPair) -> float:
    """Return the percentage of one column's original values inside their rank interval, computed once per pair."""
    return pair.once(("interval", column.name), lambda: _inside_rank_interval(column))


def _inside_rank_interval(column: ColumnPair) -> float:
    n = len(column)
    ranked = np.sort(column.released)
    inside = 0
    for rows in row_slices(n):
        before, after = column.original[rows], column.released[rows]
        first, last = np.searchsorted(ranked, after, "left"), np.searchsorted(ranked, after, "right") - 1
        for p in WIDTHS:
            reach = p * n // 100
            low, high = ranked[np.maximum(first - reach, 0)], ranked[np.minimum(last + reach, n - 1)]
            inside += int(np.count_nonzero((low <= before) & (before <= high)))
    return 100.0 * inside / (n * len(WIDTHS))


def _inside_deviation_interval(column: ColumnPair) -> float:
    n, deviation = len(column), column.spread.deviation
    inside = 0
    for rows in row_slices(n):
        difference = np.abs(column.original[rows] - column.released[rows])
        inside += sum(int(np.count_nonzero(difference <= p * deviation / 100)) for p in WIDTHS)
    return 100.0 * inside / (n * len(WIDTHS))


@declare_measure(
    "dr",
    "Disclosure risk: ½·dld + ½·id on the quasi-identifiers the intruder knows (averaged over subsets of them, where "
    "asked).",
    title="disclosure risk",
    kinds=ORDERED,
    external="withheld",  # with id, the number of linked records follows from it
    **CHANCE,
)
def dr(
    pair: Pair,
    columns: QuasiIdentifiers,
    *,
    subsets: Known | None = None,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Value:
    """Return the disclosure risk: half linkage, half intervals.

    Notes
    -----
    Nin 2014, section 2.3. Linkage uses every quasi-identifier, intervals those with an order. A subset without any
    ordered column has linkage alone. Over subsets it is the mean, with an interval where they are a sample.

    Examples
    --------
    All records are linked and every value lies in its interval when the table is released as it is.

    >>> dr(Pair.of([1.0, 2.0, 4.0], [1.0, 2.0, 4.0])).value
    100.0
    """
    linked: list[float] = []
    inside: list[float] = []

    def risk(names: tuple[str, ...]) -> float:
        ordered = [column for column in pair.columns if column.name in names and column.kind.is_ordered]
        share = linked_percentage(pair, names, progress=progress if subsets is None else None)
        linked.append(share)
        if not ordered:
            return share
        inside.append(math.fsum(inside_rank_interval(pair, column) for column in ordered) / len(ordered))
        return 0.5 * share + 0.5 * inside[-1]

    report = None if subsets is None else progress
    mean = over_subsets(pair, risk, subsets, sample=sample, seed=seed, progress=report)
    parts = {key: math.fsum(each) / len(each) for key, each in (("dld", linked), ("id", inside)) if each}
    return replace(mean, parts={**parts, **mean.parts}, columns=pair.columns)


@declare_measure(
    "score",
    "½·il + ½·dr: il on all numeric quasi-identifiers, dr on those the intruder knows (averaged over subsets of them, "
    "where asked).",
    title="score of loss and risk",
    aspect="balance",
    better="lower",
    kinds=(Kind.NUMERIC,),
    external="withheld",  # il, which divides by single values, is part of it
)
def score(
    pair: Pair,
    columns: QuasiIdentifiers,
    *,
    subsets: Known | None = None,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Value:
    """Return the score of a release: half information loss, half disclosure risk.

    Notes
    -----
    Nin 2014, section 2.3. Releasing a table as it is scores 50: nothing lost, everything disclosed. Over subsets
    the risk is that of `dr`; information loss is always that of the whole table.

    Examples
    --------
    >>> score(Pair.of([1.0, 2.0, 4.0], [1.0, 2.0, 4.0])).value
    50.0
    """
    loss = il(pair)
    risk = dr(pair, subsets=subsets, sample=sample, seed=seed, progress=progress)
    value, *interval = (0.5 * loss.value + 0.5 * each for each in (risk.value, *(risk.interval or ())))
    parts = {key: risk.parts[key] for key in ("dld", "id") if key in risk.parts}
    return Value(
        value,
        columns=pair.columns,
        parts={"il": loss.value, "dr": risk.value} | parts,
        interval=(interval[0], interval[1]) if interval else None,
    )
