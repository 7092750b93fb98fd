"""What may be told of a sum over classes: nothing that one class alone could be solved for.

A reader of the release knows each class: its size m and its mean c. That leaves every value of the class free, from the
smallest value of the column, A, up to c + (m - 1) · (c - A), where all others of the class are at A. Whatever else a
reader learns of the original values is a sum over the classes: of squares (what variance was lost), or of records
above an edge (a histogram). Let class g add at least l_g to such a sum and at most l_g + w_g, by the release alone. Who
is told that the sum lies between two bounds knows of class g that it adds what the others can leave of them. That is
all of l_g … l_g + w_g again, for each class, if and only if the bounds lie where the others can make up for it:

    Σl + max w  ≤  bound  ≤  Σl + Σw - max w.

So a bound may be told only in that range, here with the widest class taken twice; a sum between no two such bounds
is not told at all. The range follows from the release alone, so that where it lies tells nothing either.

Readers believe different things of a column: that no value lies below some A, that none lies above some B, both or
neither, and perhaps that all are multiples of a step, or one or more of it apart. The rule must hold for each belief by
itself. Who believes more leaves a class fewer values, so that it adds at least as much and at most as little as to any
who believes less. A lies at or below the smallest mean and B at or above the greatest one, and a step divides the sum
of each class, or the differences of classes of one size. Who believes in these two ends and in the coarsest such step
therefore believes most: let l and l + w be what a class adds then, wherever the steps begin, and v_g the width of what
it adds by the belief that leaves it most. By any belief b, l_g(b) ≤ l_g and l_g(b) + w_g(b) ≥ l_g + w_g, so that the
rule holds for b in

    Σl + max v  ≤  bound  ≤  Σl + Σw - max v:

at the upper end, for example, the others add Σ(l + w) - (l_g + w_g) or more by b, and class g at its least adds l_g(b),
which is (l_g(b) + w_g(b)) - w_g(b) or l_g + w_g - v_g at the least.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

WIDEST = 2.0
"""How often the class that leaves most open must fit beside a bound that is told."""

MOST_DECIMALS = 6
"""Decimals of the finest step that readers can make out in sums of classes, in decimal numbers."""

MOST_PARTS = 1000
"""How many steps the smallest sum has at the most from which readers can make out a step that is no decimal number."""


class Steps(NamedTuple):
    """What the means of classes show of the steps in which a column counts.

    Parameters
    ----------
    step
        The coarsest of which all values may be multiples; 0 where none is seen.
    half
        How far a mean may have been rounded, up or down.
    apart
        The coarsest step that may lie between values, from wherever they begin; 0 where none is seen.
    """

    step: float = 0.0
    half: float = 0.0
    apart: float = 0.0

    @classmethod
    def of(cls, means: NDArray[np.float64], sizes: NDArray[np.int64], *, rounded: bool = False) -> Steps:
        """Find the coarsest step that divides the sum of each class, or each mean, if means were rounded.

        Values that are multiples of a step have sums that are; which other steps there may be, rounded means do not
        show. A step that is too coarse, as a few classes have it by chance, leaves less open than there is.

        Examples
        --------
        >>> Steps.of(np.array([20.5, 31.0, 40 + 1 / 3]), np.array([2, 3, 3]))
        Steps(step=1.0, half=0.0, apart=0.0)
        >>> Steps.of(np.array([20.0, 30.0, 45.0]), np.array([2, 3, 3]), rounded=True)
        Steps(step=5.0, half=2.5, apart=0.0)
        >>> Steps.of(np.array([1.0, 2.5, 4.0, 5.5]), np.array([2, 2, 2, 2]))  # 1, 4 and 7
        Steps(step=1.0, half=0.0, apart=3.0)
        """
        if rounded:
            step = coarsest_step(means)
            return cls(step, step / 2)
        sums = means * sizes
        step = coarsest_step(sums)
        # Classes of one size differ by whole steps, wherever these begin; they have one between the ends, at least.
        order = np.lexsort((sums, sizes))
        gaps = np.diff(sums[order])[np.diff(sizes[order]) == 0]
        apart = coarsest_step(gaps[gaps > 1e-12 * np.abs(sums).max()])
        return cls(step, 0.0, apart if apart <= means.max() - means.min() else 0.0)

    @property
    def are_seen(self) -> bool:
        """Whether there are any."""
        return self.step > 0 or self.apart > 0

    def from_on(self, edge: float) -> float:
        """Return the least value from an edge on; the greatest that it can be, where steps may begin anywhere."""
        first = edge if self.step == 0 else float(np.ceil(edge / self.step - 1e-9)) * self.step
        return max(first, edge + self.apart)

    def below(self, edge: float) -> float:
        """Return the greatest value below an edge, or the least that it can be; without steps the edge itself."""
        last = edge if self.step == 0 else (float(np.ceil(edge / self.step - 1e-9)) - 1) * self.step
        return min(last, edge - self.apart)


def coarsest_step(numbers: NDArray[np.float64]) -> float:
    """Return the coarsest step of which all numbers are multiples, as far as doubles tell; 0 where none is seen.

    Examples
    --------
    >>> coarsest_step(np.array([1.5, 0.0, 4.0])), coarsest_step(np.array([2 / 3, 5 / 3])) * 3
    (0.5, 1.0)
    >>> coarsest_step(np.array([0.0])), coarsest_step(np.sqrt([2.0, 3.0, 5.0]))
    (0.0, 0.0)
    """
    amounts = np.unique(np.abs(numbers))
    amounts = amounts[amounts > 1e-12 * amounts.max(initial=0.0)]
    if not len(amounts) or amounts[-1] > _LARGEST:
        return 0.0
    decimals = (10.0**-decimals for decimals in range(MOST_DECIMALS + 1))
    for unit in (*decimals, *(amounts[0] / np.arange(1, MOST_PARTS + 1))):
        if not amounts[-1] / unit < 1e15:  # digits that doubles do not have
            continue
        units = np.rint(amounts[:_SOME] / unit)
        if _are_near(amounts[:_SOME] / unit, units) and _are_near(amounts / unit, units := np.rint(amounts / unit)):
            return float(np.gcd.reduce(units.astype(np.int64)) * unit)
    return 0.0


_LARGEST = 1e150
"""What has no square among doubles is not looked at."""
_SOME = 64
"""Numbers that are tried first: most units do not fit the first few."""


def _are_near(numbers: NDArray[np.float64], units: NDArray[np.float64]) -> bool:
    """Whether numbers are whole but for rounding; what is small beside 1 must be so, too."""
    return bool((np.abs(numbers - units) <= 1e-6 * np.minimum(1.0, numbers) + 1e-14 * units).all())


ANY = Steps()
"""Any number may occur, and means are as they are."""


@dataclass(frozen=True)
class Absorption:
    """What a released column leaves open of a sum over its classes.

    Parameters
    ----------
    least
        What the sum is at the least, by the belief that leaves least open.
    widest
        The most that one class can add to it, by the belief that leaves most open.
    total
        The most that all classes together can add to it, by the belief that leaves least open.
    """

    least: float
    widest: float
    total: float

    def hides_share(self, percent: int, records: int) -> bool:
        """Whether the sum may be told as a whole percent of the records."""
        return all(self.hides((percent + half) * records / 100) for half in (-0.5, 0.5))

    def hides(self, bound: float) -> bool:
        """Whether to know on which side of a bound the sum lies tells nothing of any one class.

        Examples
        --------
        >>> open_sum = Absorption(least=0.0, widest=1.0, total=100.0)
        >>> [open_sum.hides(bound) for bound in (1.0, 5.0, 99.0)]
        [False, True, False]
        """
        room = WIDEST * self.widest
        return self.least + room <= bound <= self.least + self.total - room


def squares(
    means: NDArray[np.float64], sizes: NDArray[np.int64], steps: Steps = ANY, *, amounts: bool = False
) -> Absorption:
    """Return what classes leave open of the sum of squares around their means.

    Parameters
    ----------
    means, sizes
        The released value of each class in a column, and its records.
    steps
        In which steps the column counts.
    amounts
        They count from 0, as dates do not: where none is negative, everybody takes that for an end, and so from above.

    Notes
    -----
    *Most open.* A class of m values, none below A, with mean c has most squares where all but one are at A:
    m · (m - 1) · (c - A)². The same from above. A is the smallest released value here, or 0. Who believes in an end
    further out, or in none, leaves more open, and is told an end by any bound on the squares: that no value is further
    from its mean than their root. As the widest class fits twice below a bound, that end lies beyond all that the
    others think possible: √2 · (m - 1) · (c - A) away or further.

    *Least open.* Between A and B squares are a convex function of values that have a given sum, and such a function is
    greatest in a corner: all values are at an end but one, which makes up the sum. Multiples of a step have fewest
    squares where they are the two around c: f of m of them at the upper one, m · f · (1 - f) · step² if f is how far
    c has come from one to the other. A mean that was rounded may have stood for another, so that the ends are as near
    to each other as its halves allow, and a mean beyond one of them has squares in any case.

    Examples
    --------
    >>> squares(np.array([0.0, 2.0, 3.0]), np.array([2, 2, 2]))  # 0, 0 and 1, 3 and 3, 3
    Absorption(least=0.0, widest=18.0, total=2.0)
    """
    start, end = float(means.min()), float(means.max())
    outer = (min(start, 0.0), max(end, 0.0)) if amounts else (start, end)
    reach = np.maximum(means - outer[0], outer[1] - means) + 2 * steps.half
    widths = sizes * (sizes - 1.0) * reach**2 + sizes * steps.half**2
    low, high = min(start + steps.half, (start + end) / 2), max(end - steps.half, (start + end) / 2)
    centres = np.clip(means, low, high)
    least = sizes * (means - centres) ** 2
    if steps.step > 0 and steps.half == 0:
        share = means / steps.step % 1.0
        least = least + sizes * share * (1 - share) * steps.step**2
    most = _most_squares(centres, sizes, low, high)
    least = np.maximum(least, np.minimum(sizes * steps.apart**2 / 4, most))  # halfway between values, wherever they are
    return Absorption(float(least.sum()), float(widths.max()), float((most - least).sum()))


def _most_squares(means: NDArray[np.float64], sizes: NDArray[np.int64], low: float, high: float) -> NDArray[np.float64]:
    """Return the most squares that values between two ends have around their mean."""
    if high <= low:
        return np.zeros(len(means))
    upper = np.minimum(np.floor(sizes * (means - low) / (high - low) + 1e-9), sizes - 1)
    other = low + sizes * (means - low) - upper * (high - low)
    most: NDArray[np.float64] = (
        upper * (high - means) ** 2 + (sizes - 1 - upper) * (means - low) ** 2 + (other - means) ** 2
    )
    return most


def above(edge: float, means: NDArray[np.float64], sizes: NDArray[np.int64], steps: Steps = ANY) -> Absorption:
    """Return what classes leave open of the number of original values from an edge on.

    Notes
    -----
    At most m · (c - A) / (edge - A) values of a class can lie from the edge on, if none is below A, and fewer than
    m · (B - c) / (B - edge) below it, if none is above B. Where values are multiples of a step, the least of them from
    the edge on stands for it in the first, and the greatest below it, which may be reached, in the second. Whatever is
    believed, one value at least is on the side of its mean, unless that was rounded.

    Examples
    --------
    >>> above(5.0, np.array([0.0, 4.0, 10.0]), np.array([2, 2, 2]))
    Absorption(least=2.0, widest=1.0, total=1.0)
    >>> above(5.0, np.array([0.0, 7.5, 10.0]), np.array([2, 2, 2])).least  # not 5 and 10, but for one below 5
    4.0
    """
    least = sizes - _most_below(edge, means, sizes, steps)
    most = _most_from(edge, means, sizes, steps)
    widest = sizes.max() - (steps.half == 0)
    return Absorption(float(least.sum()), float(widest), float((most - least).sum()))


def between(
    low: float | None,
    high: float | None,
    means: NDArray[np.float64],
    sizes: NDArray[np.int64],
    steps: Steps = ANY,
) -> Absorption:
    """Return what classes leave open of the number of original values from one edge to another; None is no edge.

    Notes
    -----
    Of a class no more values lie there than can lie from the first edge on, and than can lie below the second; all but
    those that can lie outside do. As many as can lie on either side can do so at once: who lies on one side makes room
    for others on the other.

    Examples
    --------
    >>> between(3.0, 5.0, np.array([0.0, 4.0, 10.0]), np.array([2, 2, 2]))
    Absorption(least=0.0, widest=2.0, total=2.0)
    """
    if low is not None and high is not None and steps.from_on(low) > steps.below(high):
        return Absorption(0.0, float(sizes.max()), 0.0)  # no multiple of the step lies there
    below = np.zeros_like(sizes) if low is None else _most_below(low, means, sizes, steps)
    beyond = np.zeros_like(sizes) if high is None else _most_from(high, means, sizes, steps)
    most = np.minimum(
        sizes if low is None else _most_from(low, means, sizes, steps),
        sizes if high is None else _most_below(high, means, sizes, steps),
    )
    least = np.maximum(0, sizes - below - beyond)
    return Absorption(float(least.sum()), float(sizes.max()), float((most - least).sum()))


def _most_from(edge: float, means: NDArray[np.float64], sizes: NDArray[np.int64], steps: Steps) -> NDArray[Any]:
    """Return how many values of each class can lie from an edge on, if none is beyond the outermost means."""
    low, high, first = float(means.min()), float(means.max()), steps.from_on(edge)
    if first <= low or first > high - steps.half:
        return sizes if first <= low else np.zeros_like(sizes)
    return np.minimum(sizes, np.floor(sizes * (means - low) / (first - low) + 1e-9))


def _most_below(edge: float, means: NDArray[np.float64], sizes: NDArray[np.int64], steps: Steps) -> NDArray[Any]:
    """Return how many values of each class can lie below an edge, if none is beyond the outermost means."""
    low, high, last = float(means.min()), float(means.max()), steps.below(edge)
    reached = steps.are_seen
    if last < low + steps.half or (last == low and not reached):
        return np.zeros_like(sizes)
    if last >= high:
        return sizes if last > high or reached else np.where(means < high, sizes, 0)
    many = sizes * (high - means) / (high - last)
    return np.clip(np.floor(many + 1e-9) if reached else np.ceil(many - 1e-9) - 1, 0, sizes)


def safe_bounds(value: float, bounds: Iterable[float], left_open: Absorption) -> tuple[float, float] | None:
    """Return the nearest bounds around a sum that may be told; the sum reaches the first and stays under the second.

    Returns
    -------
    None where no bound may be told; ``-inf`` or ``inf`` where none is on that side.

    Examples
    --------
    >>> safe_bounds(7.0, [0.5, 5, 10, 20, 99], Absorption(0.0, 1.0, 100.0))
    (5, 10)
    >>> safe_bounds(7.0, [0.5, 5, 10, 20, 99], Absorption(0.0, 40.0, 100.0)) is None
    True
    """
    safe = sorted(bound for bound in bounds if left_open.hides(bound))
    if not safe:
        return None
    below = [bound for bound in safe if bound <= value]
    beyond = [bound for bound in safe if bound > value]
    return (below[-1] if below else -float("inf"), beyond[0] if beyond else float("inf"))
