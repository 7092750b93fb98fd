"""Numbers and dates before and after: intervals, summary, one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from shoal.kinds import Kind
from shoal.kinds.column import Column
from shoal.report.absorption import above, between
from shoal.report.classes_of_column import ClassesOfColumn
from shoal.report.data import Bin, Plain
from shoal.report.edition import Guard
from shoal.report.histogram_cells import Cell, intervals
from shoal.report.numbers import as_numbers, in_seconds, whole_days
from shoal.report.spread import ArraySpread, Spread
from shoal.report.wording import number, percent_change

_DAY = 86_400.0


@dataclass(frozen=True, eq=False)
class Continuous:
    """A column of numbers or dates in both tables; dates in seconds from 1970.

    Parameters
    ----------
    name, kind
        The column.
    whole, days
        Whether the original has whole numbers, or dates without a time of day.
    before, after
        The observed cells.
    missing
        Cells without a value, before and after.
    changed
        Records that have another value than before.
    classes, lost
        Its classes, if their means and sizes are all that an external reader knows of them, and between which percents
        the lost share of the variance lies, as far as that may be told.
    """

    name: str
    kind: Kind
    whole: bool
    days: bool
    before: Spread
    after: Spread
    missing: tuple[int, int]
    changed: int
    classes: ClassesOfColumn | None = None
    lost: tuple[int, int] | None = None

    @classmethod
    def of(cls, before: Column, after: Column, classes: ClassesOfColumn | None = None) -> Continuous:
        """Take the column of two tables that are at hand."""
        x, y = as_numbers(before), as_numbers(after)
        return cls(
            before.name,
            before.kind,
            before.whole,
            whole_days(before),
            ArraySpread(x),
            ArraySpread(y),
            (len(before) - len(x), len(after) - len(y)),
            changed_records(before, after),
            classes,
            None if classes is None else classes.variance_lost(x, y),
        )

    @property
    def empty(self) -> bool:
        """Whether one of the tables has no value of it."""
        return not len(self.before) or not len(self.after)

    @property
    def dates(self) -> bool:
        """Whether its numbers are dates."""
        return self.kind.is_date


def changed_records(before: Column, after: Column) -> int:
    """Return the number of records that have another value than before; missing is a value."""
    same = in_seconds(before, before.values) == in_seconds(after, after.values)
    absent = [np.zeros(len(c), dtype=np.bool_) if c.missing is None else c.missing for c in (before, after)]
    return int((~np.where(absent[0] | absent[1], absent[0] & absent[1], same)).sum())


def interval_bins(column: Continuous, guard: Guard, *, changed: bool) -> tuple[Bin, ...]:
    """Return the records in each interval, as far as the edition may show them.

    For external readers as shares of the records that have a value: of all records they would add up to less than
    100 %, and what is lacking counts the missing cells. Of a column that changed they see the shares of the original
    only where nothing of a single class follows from them.
    """
    dates, x, y = column.dates, column.before, column.after
    shares: list[tuple[int | None, int]]
    if guard.external and changed:
        # Neither how many originals an interval has, nor whether they are whole, decides where intervals end.
        cells = intervals(y, y, guard, dates=dates)
        safe = safe_cells(counted(cells, x), column.classes, guard) if cells and column.classes is not None else []
        cells = safe or cells
        afterwards = _shares([cell.after for cell in cells])
        first: Sequence[int | None] = _shares([cell.before for cell in cells]) if safe else [None] * len(cells)
        shares = list(zip(first, afterwards, strict=True))
    else:
        cells = intervals(x, y, guard, dates=dates, whole=column.whole)
        shares = [(guard.amount(cell.before, of=len(x)), guard.amount(cell.after, of=len(y))) for cell in cells]
    ends = sorted({end for cell in cells for end in (cell.low, cell.high) if end is not None})
    written: dict[float | None, str] = dict(zip(ends, _labels(ends, dates=dates), strict=True))
    return tuple(
        Bin(
            label=_named(written.get(cell.low), written.get(cell.high)),
            low=as_shown(cell.low, dates=dates),
            high=as_shown(cell.high, dates=dates),
            before=share[0],
            after=share[1],
        )
        for cell, share in zip(cells, shares, strict=True)
    )


def counted(cells: Sequence[Cell], before: Spread) -> list[Cell]:
    """Count original values in the cells of released ones."""
    edges = np.array([cell.low for cell in cells if cell.low is not None])
    return [replace(cell, before=int(many)) for cell, many in zip(cells, before.counts(edges), strict=True)]


def safe_cells(cells: Sequence[Cell], classes: ClassesOfColumn, guard: Guard) -> list[Cell]:
    """Join cells at every edge where the share of the original above it, or in a cell, would tell of a single class.

    Notes
    -----
    The share above an edge is told in whole percent, so that the number of records lies between two bounds; both must
    be such that any class could have made the difference (`shoal.report.absorption`). The share in a cell is the
    difference of two of these, and told within a percent. A cell of which it may not be told is joined with the next:
    that tells of each class no more, because a bound may lie where two of the widest classes fit beside it.
    """
    records = sum(cell.before for cell in cells)
    joined = list(cells[:1])
    for cell in cells[1:]:
        before = joined[-1]
        beyond = records - sum(each.before for each in joined)
        if _safe_edge(cell.low, beyond, records, classes) and _safe_cell(before, joined[:-1], records, classes, guard):
            joined.append(cell)
        else:
            joined[-1] = before + cell
    while len(joined) > 1 and not _safe_cell(joined[-1], joined[:-1], records, classes, guard):
        joined[-2:] = [joined[-2] + joined[-1]]
    return joined if len(joined) > 1 else []


def _safe_edge(edge: float | None, beyond: int, records: int, classes: ClassesOfColumn) -> bool:
    """Whether the share of the original from an edge on may be told."""
    assert edge is not None, "only the first interval is open below"
    percent = round(100 * beyond / records)
    left_open = classes.left_open(partial(above, edge))
    return left_open.hides_share(percent, records)


def _safe_cell(cell: Cell, below: Sequence[Cell], records: int, classes: ClassesOfColumn, guard: Guard) -> bool:
    """Whether the share of the original in a cell, which follows from those above its ends, may be told."""
    under = sum(each.before for each in below)
    share = round(100 * (records - under) / records) - round(100 * (records - under - cell.before) / records)
    bounds = [(share + one) * records / 100 for one in (-1, 1)]
    left_open = classes.left_open(partial(between, cell.low, cell.high))
    return bounds[0] >= guard.fewest and all(left_open.hides(bound) for bound in bounds)


def _shares(counts: Sequence[int]) -> list[int]:
    """Return counts in percent such that what lies above each edge is a whole percent, and nothing more is told."""
    total = sum(counts)
    beyond = [*(round(100 * sum(counts[i:]) / total) for i in range(len(counts))), 0]
    return [share - further for share, further in pairwise(beyond)]


def summary(column: Continuous, guard: Guard) -> tuple[tuple[str, Plain, Plain], ...]:
    """Return named numbers before and after; for external readers only what compares the two, as far as it is told."""
    if guard.external:
        if column.lost is None:
            return ()
        return (("variance, in percent of the original", 100, f"{100 - column.lost[1]} to {100 - column.lost[0]}"),)
    if column.empty:
        return ()
    sides = (column.before, column.after)
    means, deviations = zip(*(side.mean_and_deviation for side in sides), strict=True)
    dates = column.dates

    def shown(values: Sequence[float]) -> tuple[Plain, Plain]:
        one, other = (as_shown(value, dates=dates, days=column.days) for value in values)
        return one, other

    unit = " (days)" if dates else ""
    scale = _DAY if dates else 1.0
    quantiles = [side.quantiles([0, 0.25, 0.5, 0.75, 1]) for side in sides]
    names = ("smallest", "lower quartile", "median", "upper quartile", "greatest")
    return (
        ("missing", *column.missing),
        ("mean", *shown(means)),
        (f"standard deviation{unit}", deviations[0] / scale, deviations[1] / scale),
        *((name, *shown([side[i] for side in quantiles])) for i, name in enumerate(names)),
    )


def variance_sentence(lost: tuple[int, int] | None) -> str:
    """Say what masking took of the variance, as far as external readers may know."""
    if lost is None:
        return "What masking took of its variance is not told: a single value could be found from it."
    low, high = lost
    share = f"under {high}" if low == 0 else f"{low} to {high}" if high < 100 else f"at least {low}"
    return f"Masking took {share}\N{NO-BREAK SPACE}% of its variance."


def sentence(column: Continuous) -> str:
    """Say what masking did to mean and spread, in units of the spread; from it single values can be found."""
    if column.empty:
        return "One of the two columns has no value."
    means, deviations = zip(*(side.mean_and_deviation for side in (column.before, column.after)), strict=True)
    if deviations[0] == 0:
        return "The original column is constant."
    shift = round((means[1] - means[0]) / deviations[0], 2)
    mean = "The mean stays" if shift == 0 else f"The mean moves by {shift:+.2f} standard deviations"
    change = percent_change(100.0, round(100 * deviations[1] / deviations[0]))
    return f"{mean}; the standard deviation is {change}{'' if change == 'unchanged' else ' than before'}."


def as_shown(value: float | None, *, dates: bool, days: bool = False) -> float | str | None:
    """Return a number as it is, or seconds from 1970 as the date that they are; of a column of days as the nearest.

    Examples
    --------
    >>> as_shown(86_400 * 1.5, dates=True), as_shown(86_400 * 1.4, dates=True, days=True)
    ('1970-01-02T12:00:00', '1970-01-02')
    """
    if value is None or not dates:
        return value
    stamp = np.datetime64(round(value / _DAY) * int(_DAY) if days else round(value), "s")
    day = stamp.astype("datetime64[D]")
    return str(day if stamp == day else stamp)


def _labels(ends: Sequence[float], *, dates: bool) -> list[str]:
    """Write the ends of intervals; dates as years or months where all of them start one."""
    if not dates:
        return [number(end, 6) for end in ends]
    stamps = np.array([round(end) for end in ends], dtype="datetime64[s]")
    unit = next(unit for unit in ("Y", "M", "D", "m", "s") if (stamps.astype(f"datetime64[{unit}]") == stamps).all())
    return [str(stamp) for stamp in stamps.astype(f"datetime64[{unit}]")]


def _named(low: str | None, high: str | None) -> str:
    if low is None:
        return "all" if high is None else f"under {high}"
    return f"{low} to {high}" if high is not None else f"{low} and over"
