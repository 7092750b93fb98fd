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
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDEST = 2.0
"""How often the class that leaves most open must fit beside a bound that is told."""


@dataclass(frozen=True)
class Absorption:
    """What a released column leaves open of a sum over its classes.

    Parameters
    ----------
    least
        What the sum is at the least.
    widest
        The most that one class can add to it.
    total
        The most that all classes together can add to it.
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


def squares(means: NDArray[np.float64], sizes: NDArray[np.int64]) -> Absorption:
    """Return what classes leave open of the sum of squares around their means.

    Parameters
    ----------
    means, sizes
        The released value of each class in a column, and its records.

    Notes
    -----
    A class of m values, none below A, with mean c has most squares where all but one are at A:
    m · (m - 1) · (c - A)². The same from above, with the greatest released value.

    Examples
    --------
    >>> squares(np.array([0.0, 3.0]), np.array([2, 2]))
    Absorption(least=0.0, widest=18.0, total=36.0)
    """
    reach = np.maximum(means - means.min(), means.max() - means)
    widths = sizes * (sizes - 1.0) * reach**2
    return Absorption(0.0, float(widths.max()), float(widths.sum()))


def above(edge: float, means: NDArray[np.float64], sizes: NDArray[np.int64]) -> Absorption:
    """Return what classes leave open of the number of original values from an edge on.

    Notes
    -----
    At most m · (c - A) / (edge - A) values of a class can lie from the edge on, if none is below A, and at most
    m · (B - c) / (B - edge) below it, if none is above B.

    Examples
    --------
    >>> above(5.0, np.array([0.0, 4.0, 10.0]), np.array([2, 2, 2]))
    Absorption(least=2.0, widest=1.0, total=1.0)
    """
    least = sizes - _most_below(edge, means, sizes)
    most = _most_from(edge, means, sizes)
    return Absorption(float(least.sum()), float((sizes - 1).max()), float((most - least).sum()))


def between(low: float | None, high: float | None, means: NDArray[np.float64], sizes: NDArray[np.int64]) -> Absorption:
    """Return what classes leave open of the number of original values from one edge to another; None is no edge.

    Notes
    -----
    Of a class no more values lie there than can lie from the first edge on, and than can lie below the second; all but
    those that can lie outside do.

    Examples
    --------
    >>> between(3.0, 5.0, np.array([0.0, 4.0, 10.0]), np.array([2, 2, 2]))
    Absorption(least=0.0, widest=2.0, total=2.0)
    """
    below = np.zeros_like(sizes) if low is None else _most_below(low, means, sizes)
    beyond = np.zeros_like(sizes) if high is None else _most_from(high, means, sizes)
    most = np.minimum(
        sizes if low is None else _most_from(low, means, sizes),
        sizes if high is None else _most_below(high, means, sizes),
    )
    least = np.maximum(0, sizes - below - beyond)
    return Absorption(float(least.sum()), float(sizes.max()), float((most - least).sum()))


def _most_from(edge: float, means: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[Any]:
    """Return how many values of each class can lie from an edge on, if none is below the smallest mean."""
    low = float(means.min())
    return sizes if edge <= low else np.minimum(sizes, np.floor(sizes * (means - low) / (edge - low) + 1e-9))


def _most_below(edge: float, means: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[Any]:
    """Return how many values of each class can lie below an edge, if none is above the greatest mean."""
    high = float(means.max())
    return sizes if edge >= high else np.minimum(sizes, np.floor(sizes * (high - means) / (high - edge) + 1e-9))


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
