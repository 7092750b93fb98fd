"""Scaling: where the zero and the unit of a continuous attribute lie, so that attributes can be compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import DataError

__all__ = ["Scaling", "finite_columns", "minmax", "unit_range", "unscaled", "zscore", "zscores"]


@dataclass(frozen=True)
class Scaling:
    """A zero and a unit, told on [-1, 1]; a constant has no unit and is the coordinate 0.

    Values first go to [-1, 1] around one of them: a large common offset must not eat the digits of the deviation, nor
    very large or very small values its square.
    """

    # base, reach: the value that goes to 0, and the greatest difference from it
    base: float = 0.0
    reach: float = 0.0
    # zero, unit: where the coordinate is 0, and how much makes it 1
    zero: float = 0.0
    unit: float = 0.0
    mean: float = 0.0  # the mean of the values

    def __call__(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values as coordinates."""
        if self.unit == 0.0:
            return np.zeros(len(values))
        coordinates: NDArray[np.float64] = (values - self.base) / self.reach
        coordinates -= self.zero
        coordinates /= self.unit
        return coordinates

    def back(self, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values that coordinates stand for, without the last few digits that the way there and back costs.

        Examples
        --------
        >>> values = np.array([0.1, 7.0, 30.3])
        >>> zscore(values).back(zscore(values)(values)).tolist()
        [0.1, 7.0, 30.3]
        """
        if self.unit == 0.0:
            return np.full(len(coordinates), self.base)
        if (self.base, self.reach, self.zero, self.unit) == (0.0, 1.0, 0.0, 1.0):
            return coordinates
        values: NDArray[np.float64] = self.base + (coordinates * self.unit + self.zero) * self.reach
        # Twelve digits of the unit, but none that a double of this size does not have.
        finest = 12 - np.log10(self.reach) - np.log10(self.unit)
        digits = int(min(finest, 15 - np.log10(np.abs(values).max(initial=1e-300))))
        return values if abs(digits) > 300 else np.round(values, digits)

    @property
    def centre(self) -> float:
        """The coordinate of the mean, where a missing value stands."""
        return 0.0 if self.unit == 0.0 else (self.mean - self.zero) / self.unit


def zscore(values: NDArray[np.float64]) -> Scaling:
    """Zero at the mean, the deviation (n − 1) as the unit."""
    return _around_one(values, lambda near, mean: (mean, near.std(ddof=1)))


def minmax(values: NDArray[np.float64]) -> Scaling:
    """Zero at the least value, the range as the unit."""
    return _around_one(values, lambda near, _: (near.min(), near.max() - near.min()))


def unscaled(values: NDArray[np.float64]) -> Scaling:
    """Zero at zero, one as the unit: the values as they are."""
    near = _around_one(values, lambda *_: (0.0, 1.0))
    return Scaling(0.0, 1.0, 0.0, 1.0, near.base + near.reach * near.mean) if near.unit else near


def zscores(values: ArrayLike) -> NDArray[np.float64]:
    """Standardise each column of an array: mean 0, deviation 1 (with n − 1); a constant column is 0.

    Examples
    --------
    >>> zscores([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]).tolist()
    [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    return _each_column(values, zscore)


def unit_range(values: ArrayLike) -> NDArray[np.float64]:
    """Scale each column of an array to [0, 1]; a constant column is 0.

    Examples
    --------
    >>> unit_range([1.0, 2.0, 5.0]).tolist()
    [[0.0], [0.25], [1.0]]
    """
    return _each_column(values, minmax)


def finite_columns(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Take numbers, or dates as the time since the first, as a finite float array of records by attributes."""
    array = np.asarray(values)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.dtype.kind not in "fiubmM":
        raise DataError(
            f"{name} must be a table of numbers or dates, records by attributes; encode categories as Points"
        )
    if array.dtype.kind in "mM":
        gone = np.isnat(array)
        counts = array.view(np.int64)
        array = np.where(gone, np.nan, counts - counts[~gone].min(initial=np.iinfo(np.int64).max))
    array = array.astype(np.float64)
    require_finite(array, name)
    return array


def require_finite(array: NDArray[np.float64], name: str) -> None:
    """Refuse records by attributes with a missing or an infinite value."""
    if not np.isfinite(array).all():
        column = int(np.flatnonzero(~np.isfinite(array).all(axis=0))[0])
        raise DataError(
            f"{name} must be finite, but column {column} has a missing or infinite value: "
            "fill it or drop the record first"
        )


def _each_column(values: ArrayLike, scaling: Callable[[NDArray[np.float64]], Scaling]) -> NDArray[np.float64]:
    array = finite_columns(values, "values")
    result = np.empty(array.shape, order="F")
    for j, column in enumerate(array.T):
        result[:, j] = scaling(column)(column)
    return result


def _around_one(
    values: NDArray[np.float64], zero_and_unit: Callable[[NDArray[np.float64], float], tuple[float, float]]
) -> Scaling:
    """Return the scaling of values that lie on [-1, 1] around their first, by these and their mean."""
    if len(values) == 0 or values.min() == values.max():
        return Scaling(base=float(values[0])) if len(values) else Scaling()
    base = values[0]
    reach = max(values.max() - base, base - values.min())
    near = (values - base) / reach
    mean = near.mean()
    return Scaling(base, reach, *zero_and_unit(near, mean), mean)
