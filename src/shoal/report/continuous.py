"""Numbers and dates before and after: intervals, summary, one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.kinds import Kind
from shoal.kinds.column import Column
from shoal.report.report_data import Bin, Plain
from shoal.report.spread import SECONDS, ArraySpread, Spread, as_numbers, in_seconds, round_bulk, whole_days
from shoal.report.wording import number


@dataclass(frozen=True, eq=False)
class Continuous:
    """A column of numbers or dates in both tables; dates in seconds from 1970."""

    name: str
    kind: Kind
    whole: bool  # the original has whole numbers
    days: bool  # the original has dates without a time of day
    # before, after: the observed cells
    before: Spread
    after: Spread
    missing: tuple[int, int]  # cells without a value, before and after
    changed: int  # records that have another value than before

    @classmethod
    def of(cls, before: Column, after: Column) -> Continuous:
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
        )

    @property
    def empty(self) -> bool:
        """Whether one of the tables has no value of it."""
        return not len(self.before) or not len(self.after)

    def bins(self) -> tuple[Bin, ...]:
        """Return the records in each interval between round edges; the outermost may be open."""
        if self.empty:
            return ()
        dates = self.kind.is_date
        edges = round_bulk(self.before, dates=dates, integers=self.whole)
        counts = np.stack([side.counts(edges) for side in (self.before, self.after)])
        filled = np.flatnonzero(counts.any(axis=0))
        shown = slice(filled[0], filled[-1] + 1)
        ends = [None, *edges.tolist(), None][shown.start : shown.stop + 1]
        inner = [end for end in ends if end is not None]
        texts: dict[float | None, str] = dict(zip(inner, _labels(inner, dates=dates), strict=True))
        return tuple(
            Bin(
                label=_named(texts.get(low), texts.get(high)),
                low=as_shown(low, dates=dates),
                high=as_shown(high, dates=dates),
                before=before,
                after=after,
            )
            for (low, high), before, after in zip(pairwise(ends), *counts[:, shown].tolist(), strict=True)
        )

    def summary(self) -> tuple[tuple[str, Plain, Plain], ...]:
        """Return named numbers before and after."""
        if self.empty:
            return ()
        dates, sides = self.kind.is_date, (self.before, self.after)
        unit, scale = (" (days)", SECONDS["D"]) if dates else ("", 1.0)
        names = ("mean", "smallest", "lower quartile", "median", "upper quartile", "greatest")
        mean, *quantiles = (
            (name, *(as_shown(value, dates=dates, days=self.days) for value in values))
            for name, *values in zip(
                names, *([side.location.mean, *side.quantiles([0, 0.25, 0.5, 0.75, 1])] for side in sides), strict=True
            )
        )
        deviations = (side.location.deviation / scale for side in sides)
        return (("missing", *self.missing), mean, (f"standard deviation{unit}", *deviations), *quantiles)

    def sentence(self) -> str:
        """Say what masking did to mean and spread, in units of the spread."""
        before, after = self.before.location, self.after.location
        if before.deviation == 0:
            return "The original column is constant."
        shift = round((after.mean - before.mean) / before.deviation, 2)
        mean = "The mean stays" if shift == 0 else f"The mean moves by {shift:+.2f} standard deviations"
        change = float(round(100 * after.deviation / before.deviation) - 100)
        if change == 0:
            return f"{mean}; the standard deviation is unchanged."
        more = "more" if change > 0 else "less"
        return f"{mean}; the standard deviation is {number(abs(change), 2)}\N{NO-BREAK SPACE}% {more} than before."


def changed_records(before: Column, after: Column) -> int:
    """Return the number of records that have another value than before; missing is a value."""
    same = in_seconds(before, before.values) == in_seconds(after, after.values)
    absent = [np.zeros(len(c), dtype=np.bool_) if c.missing is None else c.missing for c in (before, after)]
    return int((~np.where(absent[0] | absent[1], absent[0] & absent[1], same)).sum())


def as_shown(value: float | None, *, dates: bool, days: bool = False) -> float | str | None:
    """Return a number as it is, or seconds from 1970 as the date that they are; of a column of days as the nearest.

    Examples
    --------
    >>> as_shown(86_400 * 1.5, dates=True), as_shown(86_400 * 1.4, dates=True, days=True)
    ('1970-01-02T12:00:00', '1970-01-02')
    """
    if value is None or not dates:
        return value
    stamp = np.datetime64(round(value / SECONDS["D"]) * int(SECONDS["D"]) if days else round(value), "s")
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
