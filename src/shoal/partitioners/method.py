"""Method: a partitioner as a plan can name it, with what it reads and promises, and what methods ask of their input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import DataError, PlanError
from shoal.labels import rows_of_each
from shoal.options import Options
from shoal.points import Points
from shoal.pool import in_threads
from shoal.progress import Progress


@dataclass(frozen=True)
class Method:
    """A partitioner: ``partition(points, k, *, progress, **options) -> labels``."""

    name: str  # in plans and messages
    partition: Callable[..., NDArray[Any]]  # the function
    summary: str  # what its groups are, in a few words
    options: type[Options] = Options  # the keyword arguments that a plan may set, with their rules and defaults
    nominal: bool = True  # it takes nominal attributes
    # how it treats those of a block: ``together`` as points in space, ``one`` where there may be only one, ``each``
    # by itself, or ``mixed`` in one line; it then returns masked values instead of labels
    attributes: Literal["together", "one", "each", "mixed"] = "together"
    # groups end at borders that averages of groups may show, such as those of cells or of runs along a line:
    # readers of a release then know more of a value than the average of its group
    borders: bool = True

    @property
    def masks_values(self) -> bool:
        """Whether it masks values, so that there are no groups of records."""
        return self.attributes == "mixed"


Engine = Literal["auto", "tree", "scan"]


def require_engine(engine: Engine) -> Engine:
    """Return the engine, or refuse a name that is none."""
    if engine not in get_args(Engine):
        raise PlanError(f'engine must be "auto", "tree" or "scan", not "{engine}"')
    return engine


def in_order(values: ArrayLike | Points) -> NDArray[np.float64]:
    """Take numeric and ordinal attributes as one column-major matrix (n, d); refuse nominal ones.

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


def partition_each(
    numbers: NDArray[np.int64],
    work: Callable[[NDArray[np.int64], Progress], NDArray[np.int64]],
    progress: Progress | None,
) -> NDArray[np.int64]:
    """Partition the records of each number on their own, on threads; number the groups part after part."""
    parts = rows_of_each(numbers)
    labels = np.empty(len(numbers), dtype=np.int64)
    count = 0
    for rows, own in zip(parts, in_threads(work, parts, len(numbers), progress), strict=True):
        labels[rows] = own + count
        count += int(own.max()) + 1
    return labels
