"""What the one-dimension family asks of its input: attributes whose values have an order."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import DataError
from shoal.points import Points


def in_order(values: ArrayLike | Points) -> NDArray[np.float64]:
    """Take numeric and ordinal attributes as one column-major matrix (n, d); refuse nominal ones.

    Examples
    --------
    >>> in_order([3.0, 1.0]).shape
    (2, 1)
    """
    points = Points.of(values)
    if points.has_nominal:
        from shoal.partitioners.registry import nominal_methods  # it lists the methods that ask here

        raise DataError(
            f"values must be in an order here, but {points.codes.shape[1]} of the attributes are nominal: "
            f"take {nominal_methods()}"
        )
    return points.numeric()
