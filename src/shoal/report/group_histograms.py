"""How the classes of a release are spread over their sizes, and over their distances from the table."""

from __future__ import annotations

from collections.abc import Mapping

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


def size_histogram(sizes: NDArray[np.int64], guard: Guard, *, subjects: NDArray[np.int64] | None = None) -> Histogram:
    """Return how many classes (for external readers: what share of the records) have which size.

    Parameters
    ----------
    sizes
        The number of records of each class.
    guard
        Who reads it.
    subjects
        The number of different subjects of each class, where records have subjects: the size is counted in them.
    """
    counts, of = (sizes, "record") if subjects is None else (subjects, "subject")
    distinct = np.unique(counts).astype(np.float64)
    if guard.external:
        below = [1.0] if distinct[0] < guard.k else []
        distinct = np.array([*below, *(guard.k * times for times in TIMES_K)])  # not the sizes that there are
    elif len(distinct) > MOST_BARS:
        distinct = _edges(distinct[0], distinct[-1], whole=True)
    bars = _bars(counts.astype(np.float64), distinct, sizes, guard, whole=True)
    return Histogram(f"{of}s in the class", _unit(guard), bars, _size_sentence(counts, guard, of))


def distance_histograms(
    distances: Mapping[str, NDArray[np.float64]],
    sizes: NDArray[np.int64],
    guard: Guard,
    limits: Mapping[str, float],
) -> tuple[Histogram, ...]:
    """Return how far the classes' confidential values are from the table's, by attribute, and what was asked."""
    return tuple(
        _distance_histogram(name, values, sizes, guard, limits.get(name)) for name, values in distances.items()
    )


def _distance_histogram(
    name: str, values: NDArray[np.float64], sizes: NDArray[np.int64], guard: Guard, limit: float | None
) -> Histogram:
    edges = _edges(0.0, max(float(values.max()), limit or 0.0, 1e-9), whole=False)
    bars = _bars(values, edges, sizes, guard, whole=False)
    asked = "" if limit is None else f" (asked: at most {number(limit)})"
    farthest = number(guard.bound(float(values.max())))
    sentence = f"No class is farther than {farthest} from the whole table{asked}"
    if not guard.external:
        sentence += f"; half of them are within {number(float(np.median(values)))}"
    return Histogram(name, _unit(guard), bars, f"{sentence}.", limit)


def _edges(low: float, high: float, *, whole: bool) -> NDArray[np.float64]:
    """Return round starts of intervals that cover a range, the first at or below its start."""
    step_out = (high - low) / MOST_BARS
    edges = round_edges(low - step_out, high, MOST_BARS, whole=whole)
    below = edges[edges <= low]
    return edges[edges >= below[-1]] if len(below) else np.concatenate([[low], edges])


def _bars(
    values: NDArray[np.float64],
    starts: NDArray[np.float64],
    sizes: NDArray[np.int64],
    guard: Guard,
    *,
    whole: bool,
) -> tuple[Bar, ...]:
    """Count classes between consecutive starts; externally, records, merged until enough of both share a bar."""
    place = np.clip(np.searchsorted(starts, values, side="right") - 1, 0, len(starts) - 1)
    step = float(starts[-1] - starts[-2]) if len(starts) > 1 and not whole else 1.0
    # Where the last bar ends is where the largest class is: not for external readers.
    ends: list[float | None] = [*starts.tolist()[1:], None if guard.external else float(starts[-1]) + step]
    groups = np.bincount(place, minlength=len(starts))
    records = np.bincount(place, sizes, minlength=len(starts)).astype(np.int64)
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


def _size_sentence(sizes: NDArray[np.int64], guard: Guard, of: str) -> str:
    smallest, largest = int(sizes.min()), int(sizes.max())
    if guard.external:
        return f"Every record is in a class of at least {plural(smallest, of)}."
    if smallest == largest:
        return f"All {plural(len(sizes), 'class', 'classes')} have {plural(smallest, of)}."
    least = int((sizes == smallest).sum())
    return (
        f"{least:,} of {plural(len(sizes), 'class', 'classes')} {'has' if least == 1 else 'have'} the smallest size, "
        f"{smallest}; the largest has {plural(largest, of)}."
    )
