"""Numbers and dates before and after: intervals, summary, one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.encode import Column
from shoal.kinds import Kind
from shoal.moments import moments
from shoal.report.data import Bin, Plain
from shoal.report.edition import Guard
from shoal.report.histogram_cells import intervals
from shoal.report.wording import number, percent_change

_SECONDS = {"D": 86_400.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_DAY = 86_400.0


def as_numbers(column: Column) -> NDArray[np.float64]:
    """Return the observed values as numbers; dates as seconds from 1970."""
    return _in_seconds(column, column.observed)


def changed_records(before: Column, after: Column) -> int:
    """Return the number of records that have another value than before; missing is a value."""
    same = _in_seconds(before, before.values) == _in_seconds(after, after.values)
    absent = [np.zeros(len(c), dtype=np.bool_) if c.missing is None else c.missing for c in (before, after)]
    return int((~np.where(absent[0] | absent[1], absent[0] & absent[1], same)).sum())


def _in_seconds(column: Column, values: NDArray[Any]) -> NDArray[np.float64]:
    numbers = values.astype(np.float64)
    return (numbers + column.origin) * _SECONDS[column.unit] if column.kind is Kind.DATE else numbers


def interval_bins(before: Column, after: Column, guard: Guard) -> tuple[Bin, ...]:
    """Return the records in each interval, as far as the edition may show them.

    For external readers as shares of the records that have a value: of all records they would add up to less than
    100 %, and what is lacking counts the missing cells.
    """
    dates = before.kind is Kind.DATE
    x, y = as_numbers(before), as_numbers(after)
    cells = intervals(x, y, guard, dates=dates, whole=before.whole)
    ends = sorted({end for cell in cells for end in (cell.low, cell.high) if end is not None})
    written: dict[float | None, str] = dict(zip(ends, _labels(ends, dates=dates), strict=True))
    return tuple(
        Bin(
            label=_named(written.get(cell.low), written.get(cell.high)),
            low=as_shown(cell.low, dates=dates),
            high=as_shown(cell.high, dates=dates),
            before=guard.amount(cell.before, of=len(x)),
            after=guard.amount(cell.after, of=len(y)),
        )
        for cell in cells
    )


def summary(before: Column, after: Column, guard: Guard) -> tuple[tuple[str, Plain, Plain], ...]:
    """Return named numbers before and after; for external readers only what compares the two."""
    x, y = as_numbers(before), as_numbers(after)
    if not len(x) or not len(y):
        return ()
    found = [moments([side]) for side in (x, y)]
    means, deviations = [float(m.mean[0]) for m in found], [float(m.deviation[0]) for m in found]
    if guard.external:
        if deviations[0] == 0 or len(x) < guard.fewest:
            return ()
        shift, kept = (means[1] - means[0]) / deviations[0], deviations[1] / deviations[0]
        return (
            ("mean, in original standard deviations from the original mean", 0.0, round(shift, 2) + 0.0),
            ("standard deviation, in percent of the original", 100, round(100 * kept)),
        )
    dates = before.kind is Kind.DATE
    unit = " (days)" if dates else ""
    scale = _DAY if dates else 1.0
    quantiles = [np.quantile(side, [0, 0.25, 0.5, 0.75, 1]).tolist() for side in (x, y)]
    names = ("smallest", "lower quartile", "median", "upper quartile", "greatest")
    return (
        ("missing", len(before) - len(x), len(after) - len(y)),
        ("mean", as_shown(means[0], dates=dates), as_shown(means[1], dates=dates)),
        (f"standard deviation{unit}", deviations[0] / scale, deviations[1] / scale),
        *(
            (name, as_shown(quantiles[0][i], dates=dates), as_shown(quantiles[1][i], dates=dates))
            for i, name in enumerate(names)
        ),
    )


def sentence(before: Column, after: Column) -> str:
    """Say what masking did to mean and spread, in units of the spread: safe for anybody to know."""
    x, y = (moments([as_numbers(column)]) for column in (before, after))
    deviations = float(x.deviation[0]), float(y.deviation[0])
    if deviations[0] == 0:
        return "The original column is constant."
    shift = round(float(y.mean[0] - x.mean[0]) / deviations[0], 2)
    mean = "The mean stays" if shift == 0 else f"The mean moves by {shift:+.2f} standard deviations"
    change = percent_change(100.0, round(100 * deviations[1] / deviations[0]))
    return f"{mean}; the standard deviation is {change}{'' if change == 'unchanged' else ' than before'}."


def as_shown(value: float | None, *, dates: bool) -> float | str | None:
    """Return a number as it is, or seconds from 1970 as the date that they are."""
    if value is None or not dates:
        return value
    stamp = np.datetime64(round(value), "s")
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
