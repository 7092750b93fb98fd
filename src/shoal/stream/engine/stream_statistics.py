"""What a stream did so far, exactly; and what may be told of it while it runs: nothing that gives one group away.

A sum of errors at full precision gives a group away as soon as two readings of it differ by that group: of two records
and their mean, the error tells both. The same holds for a mean since the start, which times a count is a sum, and for
delays, which tell when a record came. So what is told covers `WINDOW` groups at once, none of them twice but for those
that a restart repeats; it is a middle value, which no single group drives however far out it lies, and it comes in
coarse steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames import Table
from shoal.kinds import Missing
from shoal.kinds.stream_column import StreamColumn
from shoal.masking.kept_gaps import count_gaps
from shoal.plan import Plan
from shoal.stream.engine.rows import Record
from shoal.stream.engine.stream_engine import Released

WINDOW = 100
"""Groups that a published figure covers."""

QUANTILES = ("0.5", "0.9", "0.99")


@dataclass(frozen=True)
class StreamStats:
    """What a stream did so far."""

    # arrived, buffered, released: tuples that came, that wait, that left
    arrived: int
    buffered: int
    released: int
    # tuples that were dropped, by reason: ``too_few_subjects``, ``not_close``. Always ``arrived == buffered +
    # released + sum(dropped.values())``
    dropped: Mapping[str, int]
    groups: int  # released groups
    merged: int  # released tuples that joined the class of a group that had left before
    # mse, mae: mean of the squared distance, and of the distance, from a tuple to what was released for it: every
    # quasi-identifier on [0, 1] by the bounds in force when it left (Domingo-Ferrer and Soria-Comas 2017, section
    # VI.B)
    mse: float
    mae: float
    # position_difference_max, position_difference_avg: positions between the first and the last tuple of a group:
    # the largest, and the mean over groups
    position_difference_max: int
    position_difference_avg: float
    # delay_max, delay_avg, delay_quantiles: arrivals that tuples waited for: the longest, the mean, and the
    # quantiles 0.5, 0.9, 0.99
    delay_max: int
    delay_avg: float
    delay_quantiles: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON. Errors and delays among them: two readings tell of the groups between them."""
        return asdict(self)

    def counts(self) -> dict[str, Any]:
        """Return what can be told while a stream runs: how many, and nothing of what they were."""
        counts = ("arrived", "buffered", "released", "dropped", "groups", "merged")
        return {name: getattr(self, name) for name in counts}

    @classmethod
    def of(cls, tally: Mapping[str, Any]) -> StreamStats:
        """Sum up what the engine counted."""
        released, groups = tally["released"], tally["groups"]
        delays: NDArray[np.int64] = tally["delays"]
        waited = np.flatnonzero(delays)
        return cls(
            arrived=tally["arrived"],
            buffered=tally["buffered"],
            released=released,
            dropped={"too_few_subjects": tally["dropped_subjects"], "not_close": tally["dropped_close"]},
            groups=groups,
            merged=tally["joined"],
            mse=tally["squared_error"] / max(1, released),
            mae=tally["absolute_error"] / max(1, released),
            position_difference_max=tally["largest_spread"],
            position_difference_avg=tally["total_spread"] / max(1, groups),
            delay_max=int(waited[-1]) if len(waited) else 0,
            delay_avg=float(delays @ np.arange(len(delays))) / max(1, released),
            delay_quantiles={q: _quantile(delays, float(q)) for q in QUANTILES},
        )


def _quantile(counts: NDArray[np.int64], share: float) -> int:
    """Return the smallest delay that at least this share of the tuples did not exceed."""
    below = counts.cumsum()
    return int(np.searchsorted(below, share * below[-1])) if below[-1] else 0


@dataclass(frozen=True)
class PublishedFigures:
    """Figures over the latest full window of groups, rounded up to steps of 1, 2 or 5 times a power of ten."""

    groups: int
    # Half of the groups have a root mean squared error of at most this, every quasi-identifier on [0, 1].
    error_at_most: float
    # Arrivals that the tuples of a group waited for on average, by quantile of the groups. A quantile of all tuples
    # could be a single group's: of pairs, half of them waited as long as they may.
    delay_quantiles: Mapping[str, int]
    # Cells that were filled and that were suppressed, from where this process began to the end of the window, and no
    # fewer than groups; nothing where the plan refuses gaps.
    gaps_at_most: Mapping[str, int]


class Publisher:
    """Collects groups until there are enough to tell of them."""

    def __init__(self) -> None:
        self._errors: list[float] = []
        self._delays: list[int] = []
        self._gaps_before: Mapping[str, int] | None = None
        self.figures: PublishedFigures | None = None

    def take(self, released: Released, gaps: Mapping[str, int]) -> None:
        """Take what one call released, and the gaps of all that left before; a tuple that joined a group is none.

        Gaps are told at the ends of windows: processes that begin alike and end a group apart, as by a message that
        does not fit, would tell of that group.
        """
        self._gaps_before = gaps if self._gaps_before is None else self._gaps_before
        since = {what: count - self._gaps_before[what] for what, count in gaps.items()}
        start = 0
        groups = zip(released.sizes.tolist(), released.errors.tolist(), released.at.tolist(), strict=True)
        for size, error, at in groups:
            if size > 1:
                self._errors.append(math.sqrt(error / size))
                self._delays.append(math.ceil((at - released.positions[start : start + size]).mean()))
            start += size
            if len(self._errors) == WINDOW:
                self._publish(since)

    def _publish(self, gaps: Mapping[str, int]) -> None:
        delays = np.sort(self._delays)
        self.figures = PublishedFigures(
            groups=WINDOW,
            error_at_most=step_above(float(np.sort(self._errors)[WINDOW // 2])),
            delay_quantiles={q: int(step_above(float(delays[int(float(q) * (len(delays) - 1))]))) for q in QUANTILES},
            gaps_at_most={what: int(step_above(float(max(WINDOW, count)))) for what, count in gaps.items()},
        )
        self._errors.clear()
        self._delays.clear()


def step_above(value: float) -> float:
    """Return the least of 1, 2 and 5 times a power of ten that is not below a value; 0 for 0.

    >>> step_above(0.013), step_above(0.02), step_above(37), step_above(0.0)
    (0.02, 0.02, 50.0, 0.0)
    """
    if value == 0.0:
        return 0.0
    exponent = math.floor(math.log10(value))
    steps = (float(f"{digit}e{power}") for power in (exponent - 1, exponent, exponent + 1) for digit in (1, 2, 5))
    return next(step for step in steps if step >= value)


_GAP_COUNTS = ("missing", "filled", "suppressed")


class GapTally:
    """Counts cells of tuples that left: missing, filled, suppressed. Where every gap is refused, there are none."""

    def __init__(self, plan: Plan, columns: Sequence[StreamColumn]) -> None:
        self._plan = plan
        # A place is one column of the plan's comparisons, and two of its records.
        self._columns = {
            name: column for column in columns if column.spec.missing is not Missing.ERROR for name in column.names
        }
        self.counts: dict[str, dict[str, int]] = {}

    def records(self, before: Sequence[Record], after: Sequence[Record]) -> None:
        """Count the gaps of records before and after."""
        for name, column in self._columns.items():
            was = [column.is_missing(record[name]) for record in before]
            now = [column.is_missing(record[name]) for record in after]
            both = sum(gap and still for gap, still in zip(was, now, strict=True))
            self._add(name, {"missing": sum(was), "filled": sum(was) - both, "suppressed": sum(now) - both})

    def tables(self, before: Table, after: Table) -> None:
        """Count the gaps of a table before and after."""
        if self._columns:
            for name, counts in count_gaps(before, after, self._plan).items():
                self._add(name, counts)

    def totals(self) -> dict[str, int]:
        """Return the cells that were filled and suppressed in all columns; nothing where every gap is refused."""
        names = _GAP_COUNTS[1:] if self._columns else ()
        return {what: sum(counts[what] for counts in self.counts.values()) for what in names}

    def load(self, counts: Any) -> None:
        """Go on from saved counts; refuse those of other columns."""
        fits = isinstance(counts, dict) and counts.keys() <= self._columns.keys()
        for of_column in counts.values() if fits else ():
            fits = fits and isinstance(of_column, dict) and of_column.keys() == set(_GAP_COUNTS)
            fits = fits and all(type(count) is int and count >= 0 for count in of_column.values())
        if not fits:
            raise DataError("the state of the stream cannot be restored: its counts of gaps are none of this plan")
        self.counts = {name: dict(of_column) for name, of_column in counts.items()}

    def _add(self, name: str, counts: Mapping[str, int]) -> None:
        if any(counts.values()):
            before = self.counts.get(name, dict.fromkeys(counts, 0))
            self.counts[name] = {what: before[what] + number for what, number in counts.items()}
