"""How the classes of a release are spread over their sizes, and over their distances from the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.report.report_data import Bar, Histogram
from shoal.report.spread import round_edges
from shoal.report.wording import number, plural

MOST_BARS = 20


@dataclass(frozen=True, eq=False)
class ClassSpread:
    """A number of every class, such as its size or its distance from the table."""

    values: NDArray[np.float64]  # in any order; one may occur more than once
    classes: NDArray[np.int64]  # how many have each value

    @classmethod
    def of(cls, values: NDArray[np.float64 | np.int64]) -> ClassSpread:
        """Take the number of each class."""
        return cls(values.astype(np.float64), np.ones(len(values), dtype=np.int64))

    @property
    def count(self) -> int:
        """How many classes there are."""
        return int(self.classes.sum())

    @property
    def median(self) -> float:
        """The number of the class in the middle, or between the two that are.

        Examples
        --------
        >>> ClassSpread(np.array([7.0, 1.0]), np.array([1, 3])).median
        1.0
        """
        order = np.argsort(self.values, kind="stable")
        reached = np.cumsum(self.classes[order])
        middle = [np.searchsorted(reached, place, side="right") for place in ((self.count - 1) // 2, self.count // 2)]
        return float(self.values[order][middle].mean())


def class_sizes(record_sizes: ClassSpread, subject_sizes: ClassSpread | None) -> Histogram:
    """Return how many classes have which size, by subjects where there are some."""
    sizes, of = (record_sizes, "record") if subject_sizes is None else (subject_sizes, "subject")
    distinct = np.unique(sizes.values)
    if len(distinct) > MOST_BARS:
        distinct = _edges(distinct[0], distinct[-1], integers=True)
    return Histogram(f"{of}s in the class", "classes", _bars(sizes, distinct, integers=True), _size_sentence(sizes, of))


def class_distances(name: str, spread: ClassSpread, limit: float | None) -> Histogram:
    """Return how far the classes' values of a confidential attribute are from the table's, and what was asked."""
    greatest = float(spread.values.max())
    bars = _bars(spread, _edges(0.0, max(greatest, limit or 0.0, 1e-9), integers=False), integers=False)
    asked = "" if limit is None else f" (asked: at most {number(limit)})"
    sentence = (
        f"No class is farther than {number(greatest)} from the whole table{asked}; half of them are within "
        f"{number(spread.median)}."
    )
    return Histogram(name, "classes", bars, sentence, limit)


def _edges(low: float, high: float, *, integers: bool) -> NDArray[np.float64]:
    """Return round starts of intervals that cover a range, the first at or below its start."""
    step_out = (high - low) / MOST_BARS
    edges = round_edges(low - step_out, high, MOST_BARS, integers=integers)
    below = edges[edges <= low]
    return edges[edges >= below[-1]] if len(below) else np.concatenate([[low], edges])


def _bars(spread: ClassSpread, starts: NDArray[np.float64], *, integers: bool) -> tuple[Bar, ...]:
    """Count classes between consecutive starts."""
    place = np.clip(np.searchsorted(starts, spread.values, side="right") - 1, 0, len(starts) - 1)
    step = float(starts[-1] - starts[-2]) if len(starts) > 1 and not integers else 1.0
    lows = starts.tolist()
    highs = [*lows[1:], lows[-1] + step]
    amounts = np.bincount(place, spread.classes, minlength=len(starts)).astype(np.int64).tolist()
    return tuple(
        Bar(_label(low, high, integers=integers), low, high, amount)
        for low, high, amount in zip(lows, highs, amounts, strict=True)
    )


def _label(low: float, high: float, *, integers: bool) -> str:
    if not integers:
        return f"{number(low)} to {number(high)}"
    return number(low) if low == high - 1 else f"{number(low)} to {number(high - 1)}"


def _size_sentence(sizes: ClassSpread, of: str) -> str:
    smallest, largest = int(sizes.values.min()), int(sizes.values.max())
    if smallest == largest:
        return f"All {plural(sizes.count, 'class', 'classes')} have {plural(smallest, of)}."
    least = int(sizes.classes[sizes.values == smallest].sum())
    return (
        f"{least:,} of {plural(sizes.count, 'class', 'classes')} {'has' if least == 1 else 'have'} the smallest size, "
        f"{smallest}; the largest has {plural(largest, of)}."
    )
