"""Partition: any method by its name, arrays in and labels out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import PlanError
from shoal.options import checked
from shoal.partitioners.registry import METHODS
from shoal.points import Points
from shoal.progress import Progress, shown


def partition(
    points: ArrayLike | Points, k: int, *, method: str = "mdav", progress: Progress | bool | None = None, **options: Any
) -> NDArray[np.int64]:
    """Partition records into groups of at least k, by any method.

    Parameters
    ----------
    points
        Records: an array (n, d) or (n,) of scaled coordinates, or `Points` with ordinal and nominal attributes and
        subjects.
    k
        Smallest group; where points have subjects, fewest distinct subjects of a group.
    method
        A name of `METHODS` that forms groups.
    progress
        Called now and then with the number of records settled and the number of records; True for a bar, False for
        none, None for a bar in notebooks and at a prompt.
    options
        Those of the method, as a plan has them: ``gain`` of ``vmdav``, ``axis`` of ``projected``.

    Returns
    -------
    labels
        The group of each record, numbered from 0.

    Raises
    ------
    PlanError, DataError
        There is no such method or option, the method forms no groups, or k and the records do not go together.

    Notes
    -----
    Coordinates are compared as they are: bring columns to one scale first, as ``shoal.scaling.zscores`` does.

    Examples
    --------
    >>> import numpy as np, shoal
    >>> shoal.partition(np.array([[0.0], [0.1], [5.0], [5.1]]), k=2)
    array([0, 0, 1, 1])
    >>> shoal.partition([1.0, 2.0, 8.0, 9.0, 9.5], 2, method="univariate")
    array([0, 0, 1, 1, 1])
    """
    chosen = METHODS.named(method)
    if chosen.attributes in ("each", "mixed"):
        raise PlanError(
            f"method {method} forms no groups of whole records: call shoal.partitioners.{method} for what it gives"
        )
    given = dict(checked(chosen.options, **options))
    with shown(progress, "grouping records") as report:
        labels: NDArray[np.int64] = chosen.partition(points, k, progress=report, **given)
    return labels
