"""How the classes of a release are spread over their sizes, and over their distances from the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.report.data import Bar, Histogram
from shoal.report.edges import round_edges
from shoal.report.edition import Guard
from shoal.report.histogram_cells import Cell, merged
from shoal.report.wording import number, plural

MOST_BARS = 20
TIMES_K = (1, 2, 3, 5, 10, 20, 50, 100)
FEWEST_CLASSES = 3
"""Classes that a bar of an external edition must stand for: none is shown by itself."""


@dataclass(frozen=True, eq=False)
class ClassSpread:
    """A number of every class, such as its size or its distance from the table.

    Parameters
    ----------
    values
        In any order; a value may occur more than once.
    classes, records
        How many classes have each value, and how many records are in them.
    """

    values: NDArray[np.float64]
    classes: NDArray[np.int64]
    records: NDArray[np.int64]

    @classmethod
    def of(cls, values: NDArray[np.float64 | np.int64], sizes: NDArray[np.int64]) -> ClassSpread:
        """Take the number of each class, and how many records it has."""
        return cls(values.astype(np.float64), np.ones(len(sizes), dtype=np.int64), sizes)

    @property
    def count(self) -> int:
        """How many classes there are."""
        return int(self.classes.sum())

    @property
    def median(self) -> float:
        """The number of the class in the middle, or between the two that are.

        Examples
        --------
        >>> ClassSpread(np.array([7.0, 1.0]), np.array([1, 3]), np.array([5, 9])).median
        1.0
        """
        order = np.argsort(self.values, kind="stable")
        reached = np.cumsum(self.classes[order])
        middle = [np.searchsorted(reached, place, side="right") for place in ((self.count - 1) // 2, self.count // 2)]
        return float(self.values[order][middle].mean())


def size_histogram(sizes: ClassSpread, guard: Guard, *, of: str = "record") -> Histogram:
    """Return how many classes (for external readers: what share of the records) have which size.

    Parameters
    ----------
    sizes
        How many records, or subjects, the classes have.
    guard
        Who reads it.
    of
        What is counted.
    """
    distinct = np.unique(sizes.values)
    if guard.external:
        below = [1.0] if distinct[0] < guard.k else []
        distinct = np.array([*below, *(guard.k * times for times in TIMES_K)])  # not the sizes that there are
    elif len(distinct) > MOST_BARS:
        distinct = _edges(distinct[0], distinct[-1], whole=True)
    bars = _bars(sizes, distinct, guard, whole=True)
    return Histogram(f"{of}s in the class", _unit(guard), bars, _size_sentence(sizes, guard, of))


def distance_histograms(
    distances: Mapping[str, ClassSpread], guard: Guard, limits: Mapping[str, float]
) -> tuple[Histogram, ...]:
    """Return how far the classes' confidential values are from the table's, by attribute, and what was asked."""
    return tuple(_distance_histogram(name, spread, guard, limits.get(name)) for name, spread in distances.items())


def _distance_histogram(name: str, spread: ClassSpread, guard: Guard, limit: float | None) -> Histogram:
    greatest = float(spread.values.max())
    edges = _edges(0.0, max(greatest, limit or 0.0, 1e-9), whole=False)
    bars = _bars(spread, edges, guard, whole=False)
    asked = "" if limit is None else f" (asked: at most {number(limit)})"
    farthest = number(guard.bound(greatest))
    sentence = f"No class is farther than {farthest} from the whole table{asked}"
    if not guard.external:
        sentence += f"; half of them are within {number(spread.median)}"
    return Histogram(name, _unit(guard), bars, f"{sentence}.", limit)


def _edges(low: float, high: float, *, whole: bool) -> NDArray[np.float64]:
    """Return round starts of intervals that cover a range, the first at or below its start."""
    step_out = (high - low) / MOST_BARS
    edges = round_edges(low - step_out, high, MOST_BARS, whole=whole)
    below = edges[edges <= low]
    return edges[edges >= below[-1]] if len(below) else np.concatenate([[low], edges])


def _bars(spread: ClassSpread, starts: NDArray[np.float64], guard: Guard, *, whole: bool) -> tuple[Bar, ...]:
    """Count classes between consecutive starts; externally, records, merged until enough of both share a bar."""
    place = np.clip(np.searchsorted(starts, spread.values, side="right") - 1, 0, len(starts) - 1)
    step = float(starts[-1] - starts[-2]) if len(starts) > 1 and not whole else 1.0
    # Where the last bar ends is where the largest class is: not for external readers.
    ends: list[float | None] = [*starts.tolist()[1:], None if guard.external else float(starts[-1]) + step]
    groups, records = (
        np.bincount(place, amounts, minlength=len(starts)).astype(np.int64)
        for amounts in (spread.classes, spread.records)
    )
    if guard.external:
        cells = [Cell(float(starts[i]), ends[i], int(records[i]), int(groups[i])) for i in range(len(starts))]
        cells = merged(cells, lambda cell: cell.before >= guard.fewest and cell.after >= FEWEST_CLASSES)
        return tuple(Bar(_label(c, whole=whole), c.low, c.high, guard.share(c.before)) for c in cells)
    cells = [Cell(float(starts[i]), ends[i], int(groups[i]), 0) for i in range(len(starts))]
    return tuple(Bar(_label(c, whole=whole), c.low, c.high, c.before) for c in cells)


def _label(cell: Cell, *, whole: bool) -> str:
    low = number(cell.low)
    if cell.high is None:
        return f"{low} or more"
    if not whole:
        return f"{low} to {number(cell.high)}"
    return low if cell.low == cell.high - 1 else f"{low} to {number(cell.high - 1)}"


def _unit(guard: Guard) -> str:
    return "percent of records" if guard.external else "classes"


def _size_sentence(sizes: ClassSpread, guard: Guard, of: str) -> str:
    smallest, largest = int(sizes.values.min()), int(sizes.values.max())
    if guard.external:
        return f"Every record is in a class of at least {plural(smallest, of)}."
    if smallest == largest:
        return f"All {plural(sizes.count, 'class', 'classes')} have {plural(smallest, of)}."
    least = int(sizes.classes[sizes.values == smallest].sum())
    return (
        f"{least:,} of {plural(sizes.count, 'class', 'classes')} {'has' if least == 1 else 'have'} the smallest size, "
        f"{smallest}; the largest has {plural(largest, of)}."
    )
