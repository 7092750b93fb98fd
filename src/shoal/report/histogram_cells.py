"""Cells of a histogram: counted before and after, merged where too few records share one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shoal.report.edges import calendar_edges, round_edges
from shoal.report.edition import Guard
from shoal.report.spread import Spread

MOST_INTERVALS = 24
MOST_INTERVALS_OUTSIDE = 10
TAIL_OUTSIDE = 0.05
"""Share of the records that an external edition keeps beyond the outermost edges, on each side."""


@dataclass(frozen=True)
class Cell:
    """Consecutive intervals: from an edge (None: open) to an edge, and the records there before and after."""

    low: float | None
    high: float | None
    before: int
    after: int

    def __add__(self, other: Cell) -> Cell:
        return Cell(self.low, other.high, self.before + other.before, self.after + other.after)


def intervals(before: Spread, after: Spread, guard: Guard, *, dates: bool = False, whole: bool = False) -> list[Cell]:
    """Count numbers in intervals between round edges; the outermost intervals may be open.

    Notes
    -----
    An internal edition spends its intervals where the records are: edges lie within three quartile ranges of the
    quartiles, what is beyond is counted in the open intervals. An external edition keeps enough released records beyond
    the outermost edges, and merges intervals until enough records share each.

    Examples
    --------
    >>> import numpy as np
    >>> from shoal.report.edition import Edition
    >>> from shoal.report.spread import ArraySpread
    >>> ages = ArraySpread(np.arange(20.0, 80.0))
    >>> [(c.low, c.high, c.before) for c in intervals(ages, ages, Guard(Edition.EXTERNAL, 60, 5))]
    [(None, 30.0, 10), (30.0, 40.0, 10), (40.0, 50.0, 10), (50.0, 60.0, 10), (60.0, None, 20)]
    """
    if not len(before) or not len(after):
        return []
    # Where the edges lie tells external readers where the values are: those that they have anyway.
    low, high = _bulk_outside(after, guard) if guard.external else _bulk(before)
    most = MOST_INTERVALS_OUTSIDE if guard.external else MOST_INTERVALS
    edges = calendar_edges(low, high, most) if dates else round_edges(low, high, most, whole=whole)
    counts = [side.counts(edges) for side in (before, after)]
    ends: list[float | None] = [None, *edges.tolist(), None]
    cells = [Cell(ends[i], ends[i + 1], int(counts[0][i]), int(counts[1][i])) for i in range(len(edges) + 1)]
    if guard.external:
        return merged(cells, lambda cell: cell.before >= guard.fewest and guard.shows(cell.after))
    first = next((i for i, cell in enumerate(cells) if cell.before or cell.after), 0)
    last = next((i for i, cell in enumerate(reversed(cells)) if cell.before or cell.after), 0)
    return cells[first : len(cells) - last]


def merged(cells: Sequence[Cell], enough: Callable[[Cell], bool]) -> list[Cell]:
    """Join neighbours until each cell is enough; no cells where not even two remain."""
    joined: list[Cell] = []
    pending: Cell | None = None
    for cell in cells:
        pending = cell if pending is None else pending + cell
        if enough(pending):
            joined.append(pending)
            pending = None
    if pending is not None and joined:
        joined[-1] = joined[-1] + pending
    return joined if len(joined) > 1 else []


def _bulk(values: Spread) -> tuple[float, float]:
    """Return a range without the far-out values, just wide enough that the smallest value shown gets an interval."""
    least, lower, upper, most = values.quantiles([0, 0.25, 0.75, 1])
    reach = 3 * (upper - lower) or most - least
    low, high = max(least, lower - reach), min(most, upper + reach)
    margin = (high - low) / MOST_INTERVALS
    return low - margin, high + margin


def _bulk_outside(values: Spread, guard: Guard) -> tuple[float, float]:
    """Return a range that leaves enough of the records beyond each of its ends."""
    tail = max(TAIL_OUTSIDE, guard.fewest / len(values))
    if tail >= 0.5:
        return 0.0, 0.0
    low, high = values.quantiles([tail, 1 - tail])
    return low, high
