"""Blocked: any partitioner on each block of attributes by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.partitioners._blocks import blocks as make_blocks
from shoal.partitioners._mdav import mdav
from shoal.points import Points
from shoal.pool import Progress, in_threads


def blocked(
    points: ArrayLike | Points,
    k: int,
    *,
    blocks: str | Sequence[Sequence[int]],
    size: int | None = None,
    count: int | None = None,
    partition: Callable[..., NDArray[np.int64]] = mdav,
    progress: Progress | None = None,
    **options: Any,
) -> NDArray[np.int64]:
    """Partition the records once for each block of attributes.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points`.
    k
        Fewest subjects of a group in each block.
    blocks, size, count
        The blocks, as in `shoal.partitioners.blocks`.
    partition, options
        The partitioner and its options.
    progress
        Called about ten times a second with the number of records settled, summed over blocks, and n times blocks.

    Returns
    -------
    labels
        An array (n, number of blocks): column b is the group of each record in block b.

    Notes
    -----
    Nin 2014, section 2.2, "multivariate microaggregation". With more than one block the masked table is *not*
    k-anonymous: records that share a group in one block need not do so in the next. Blocks run on all processors.

    Examples
    --------
    >>> table = [[0.0, 9.0], [0.1, 1.0], [5.0, 9.1], [5.1, 1.1]]
    >>> blocked(table, 2, blocks=[[0], [1]])
    array([[0, 1],
           [0, 0],
           [1, 1],
           [1, 0]])
    """
    points = Points.of(points)
    chosen = make_blocks(points, blocks, size=size, count=count)
    labels = np.empty((len(points), len(chosen)), dtype=np.int64, order="F")

    def work(block: int, report: Progress) -> None:
        labels[:, block] = partition(points.select(chosen[block]), k, progress=report, **options)

    in_threads(work, range(len(chosen)), labels.size, progress)
    return labels
