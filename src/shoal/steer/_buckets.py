"""Buckets: numbers that are alike in the quasi-identifiers and spread over a confidential attribute."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.errors import DataError
from shoal.exact import exact
from shoal.points import Points, require_k
from shoal.steer.steering import Artificial, Steering, require_records, require_weight


def buckets(confidential: ArrayLike, weight: float, *, k: int, t: float | Fraction) -> Steering:
    """Let records with different confidential values share a group.

    Parameters
    ----------
    confidential
        (n,) values that can be sorted.
    weight
        ω: bucket numbers span [0, ω], quasi-identifiers [0, 1]. 0 changes nothing.
    k
        Smallest group size.
    t
        The closeness that the number of buckets is made for.

    Returns
    -------
    Steering
        Adds the bucket number, scaled to [0, ω].

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, Algorithm 1, steps 2 to 7. Records are sorted by the confidential value and cut
    into b = `bucket_count` buckets of equal size; the records of a bucket are numbered so that each number is held by
    one record of each bucket, near each other in the quasi-identifiers. The n mod b records in the middle of the order
    are left out and take the number whose holders they are nearest to. The heavier the weight, the more a group gathers
    holders of one number: records of different buckets. `shoal.constrain.steered` turns that into a guarantee.

    Examples
    --------
    >>> pay = [1.0, 2.0, 3.0, 4.0]
    >>> buckets(pay, 5.0, k=2, t=0.5)([[0.0], [1.0], [0.1], [0.9]]).coords[:, 1].tolist()
    [0.0, 5.0, 0.0, 5.0]
    """
    require_weight(weight)
    values = sortable(confidential)

    def make(points: Points) -> Points | None:
        require_records(len(values), points, "confidential")
        if not weight:
            return None
        count = bucket_count(len(points), k, t)
        numbers = number_buckets(points, values, count)
        size = len(points) // count
        return Points.of(_core.join_nearest(points.records(), numbers, size) * (weight / max(size - 1, 1)))

    return Steering((Artificial(make),))


def bucket_count(n: int, k: int, t: float | Fraction) -> int:
    """Return how many buckets t-closeness needs: max(k, ⌈n / (2(n−1)t + 1)⌉), in exact numbers.

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, equation 2, which is Soria-Comas et al. 2015, Proposition 2 solved for the size
    of a group.

    Examples
    --------
    >>> bucket_count(1000, 2, 0.05), bucket_count(1080, 5, 0.25)
    (10, 5)
    """
    k = require_k(k, n)
    return max(k, math.ceil(n / (2 * (n - 1) * exact(t) + 1)))


def number_buckets(
    points: Points,
    values: NDArray[Any],
    count: int,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.int64]:
    """Number the records of ``count`` equal buckets of sorted values; -1 marks the surplus in the middle.

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, Algorithm 1, steps 3 to 6. The records of a bucket are taken in the order of
    the table. Ties are settled by row: among equal values the lower row comes first, and among equally near records the
    lower row is matched. The surplus comes from the middle of the order, where a record more moves a group's
    distribution least.
    """
    order = np.argsort(values, kind="stable").astype(np.int32)
    surplus = len(order) % count
    middle = (len(order) - surplus) // 2
    rows = np.sort(np.delete(order, slice(middle, middle + surplus)).reshape(count, -1), axis=1)
    return _core.match_buckets(points.records(), rows.ravel(), count, progress)


def separating_weight(points: Points, size: int) -> float:
    """Return the weight from which on records of different numbers are farther apart than any of one number.

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, Proposition 1, |B₁|·√m for attributes that span [0, 1], with the spans that the
    attributes really have. Numbers lie ω/(|B₁| − 1) apart, so at this weight already by more than the whole width of
    the quasi-identifiers.

    Examples
    --------
    >>> separating_weight(Points.of([[0.0, 0.0], [1.0, 1.0]]), 100).hex() == (100 * 2**0.5).hex()
    True
    """
    numbers = points.numeric()
    spans = np.ptp(numbers, axis=0) if len(points) else np.zeros(0)
    differ = (points.codes != points.codes[:1]).any(axis=0)
    width = math.sqrt(float((spans**2).sum() + points.code_weights[differ].sum()))
    return size * (width or 1.0)


def sortable(confidential: ArrayLike) -> NDArray[Any]:
    """Take one column of values without missing ones."""
    values = np.asarray(confidential)
    if values.ndim != 1:
        raise DataError(f"confidential must be one column of values, not an array of {values.ndim} dimensions")
    if (values.dtype.kind == "f" and np.isnan(values).any()) or (values.dtype.kind in "mM" and np.isnat(values).any()):
        raise DataError(
            "confidential has missing values, which have no place in an order: fill them or drop the records"
        )
    return values
