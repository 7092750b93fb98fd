"""The cheapest cut of ordered rows into runs of k to 2k - 1, or of at least k subjects, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray


def whole(table: NDArray[np.float64]) -> list[list[int]]:
    """Scale doubles by one power of two so that all are whole numbers."""
    fractions = [[Fraction(value) for value in row] for row in table.tolist()]
    unit = max((value.denominator for row in fractions for value in row), default=1)
    return [[int(value * unit) for value in row] for row in fractions]


def sse(rows: Sequence[Sequence[int]]) -> Fraction:
    """Squared distances to the mean, summed."""
    columns = list(zip(*rows, strict=True))
    return sum((sum(Fraction(x) ** 2 for x in c) - Fraction(sum(c)) ** 2 / len(c) for c in columns), Fraction(0))


def starts_of_records(j: int, k: int) -> Iterator[int]:
    """Yield where a run of k to 2k - 1 rows that ends before row j may start, the latest first."""
    yield from range(j - k, max(j - 2 * k, -1), -1)


def starts_of_subjects(j: int, k: int, subjects: Sequence[int], *, uncut: bool) -> Iterator[int]:
    """Yield where a run with at least k subjects may start, the latest first: every one, or those of runs that are
    ``uncut``, because no place in them has k subjects on both sides.
    """
    last: set[int] = set()
    before: set[int] = set()
    for i in range(j - 1, -1, -1):
        (before if len(last) >= k else last).add(subjects[i])
        if uncut and len(before) >= k:
            return
        if len(last) >= k:
            yield i


def cheapest_runs(
    table: NDArray[np.float64], k: int, subjects: Sequence[int] | None = None, *, uncut: bool = False
) -> list[int]:
    """Return the row after the last of each run; among equal costs the last run is the shortest, and so on."""
    rows = whole(table)
    n = len(rows)
    longest = 2 * k - 1 if subjects is None else n
    sums = [[0] * len(rows[0])]
    squares = [0]
    for row in rows:
        sums.append([a + b for a, b in zip(sums[-1], row, strict=True)])
        squares.append(squares[-1] + sum(x * x for x in row))
    multiple = lcm(*range(k, longest + 1))  # costs are kept times this, so that they are whole numbers
    share = {size: multiple // size for size in range(k, longest + 1)}

    def cost(i: int, j: int) -> int:
        between = sum((b - a) ** 2 for a, b in zip(sums[i], sums[j], strict=True))
        return multiple * (squares[j] - squares[i]) - share[j - i] * between

    least: dict[int, int] = {0: 0}
    start = {}
    for j in range(k, n + 1):
        starts = starts_of_records(j, k) if subjects is None else starts_of_subjects(j, k, subjects, uncut=uncut)
        for i in starts:  # the greatest i first: it wins ties
            if i in least and (j not in least or least[i] + cost(i, j) < least[j]):
                least[j] = least[i] + cost(i, j)
                start[j] = i
    ends = [n]
    while start[ends[-1]] > 0:
        ends.append(start[ends[-1]])
    return ends[::-1]


def partitions(n: int, k: int) -> Iterator[list[list[int]]]:
    """Every way to divide records 0 ... n - 1 into groups of at least k."""

    def place(row: int, groups: list[list[int]]) -> Iterator[list[list[int]]]:
        if row == n:
            if all(len(group) >= k for group in groups):
                yield groups
            return
        for g in range(len(groups)):
            yield from place(row + 1, [*groups[:g], [*groups[g], row], *groups[g + 1 :]])
        yield from place(row + 1, [*groups, [row]])

    yield from place(0, [])
