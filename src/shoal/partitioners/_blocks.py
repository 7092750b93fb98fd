"""Blocks of attributes: which are partitioned together, and any partitioner on each block by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import PlanError
from shoal.partitioners._mdav import mdav
from shoal.partitioners.axis import correlations
from shoal.points import Points
from shoal.pool import in_threads
from shoal.progress import Progress

Blocks = tuple[tuple[int, ...], ...]

WAYS = ("correlated", "spread")


def blocks(
    points: ArrayLike | Points, how: str | Sequence[Sequence[int]], *, size: int | None = None, count: int | None = None
) -> Blocks:
    """Divide attributes into blocks.

    Parameters
    ----------
    points
        Records: an array (n, d), or `Points`; their attributes are numbered continuous first, then ordinal, then
        nominal.
    how
        ``"correlated"``: a block holds attributes that are correlated, so that little is lost. ``"spread"``: correlated
        attributes go to different blocks, so that blocks are alike and records meet again in several (Nin 2014, section
        4.1). Or the blocks themselves, lists of attribute numbers.
    size, count
        The most attributes in a block, or the number of blocks: one of them, unless the blocks are given. Blocks differ
        by one attribute at most.

    Returns
    -------
    blocks
        Attribute numbers, every attribute in one block. Given blocks stay as they are; made ones are sorted.

    Notes
    -----
    Nin 2014, section 4.1. *Correlated* is greedy: the two free attributes of largest absolute correlation start a
    block, and the free attribute with the largest mean correlation to the block joins it until it is full. *Spread*
    makes correlated layers of as many attributes as there are blocks, and deals each layer out, one attribute to each
    block. Equal correlations: the lowest numbers first. A nominal or constant attribute is correlated with none.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(2, 100, 1))
    >>> table = np.hstack([a, b, a + 0.1, 2 * b])
    >>> blocks(table, "correlated", size=2)
    ((0, 2), (1, 3))
    >>> blocks(table, "spread", size=2)
    ((0, 1), (2, 3))
    """
    points = Points.of(points)
    if not isinstance(how, str):
        if size is not None or count is not None:
            raise PlanError("size and count do not apply where the blocks are given")
        return _given(how, points.dimension)
    if how not in WAYS:
        raise PlanError(f"blocks must be {', '.join(WAYS)} or lists of attributes, not {how!r}")
    strength = np.zeros((points.dimension, points.dimension))
    ordered = points.coords.shape[1] + points.ranks.shape[1]
    strength[:ordered, :ordered] = np.abs(correlations(points.numeric()))
    return make_blocks(strength, how, block_count(points.dimension, size, count))


_made = blocks  # which is also what `blocked` calls its parameter


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
    chosen = _made(points, blocks, size=size, count=count)
    labels = np.empty((len(points), len(chosen)), dtype=np.int64, order="F")

    def work(block: int, report: Progress) -> None:
        labels[:, block] = partition(points.select(chosen[block]), k, progress=report, **options)

    in_threads(work, range(len(chosen)), labels.size, progress)
    return labels


def block_count(attributes: int, size: int | None, count: int | None) -> int:
    """Return the number of blocks that a size or a count asks for."""
    if (size is None) == (count is None):
        raise PlanError("blocks need either size, the most attributes in a block, or count, the number of blocks")
    for name, value in (("size", size), ("count", count)):
        if value is not None and not 1 <= value <= attributes:
            raise PlanError(f"{name} must be from 1 to the number of attributes, which is {attributes}, not {value}")
    return count if count is not None else -(-attributes // size)  # type: ignore[operator]  # one of them is there


def make_blocks(strength: NDArray[np.float64], how: str, count: int) -> Blocks:
    """Divide attributes into so many blocks by the absolute correlations of each with each."""
    attributes = len(strength)
    if how == "correlated":
        even_sizes = [attributes // count + (block < attributes % count) for block in range(count)]
        return _sorted(_greedy(strength, even_sizes))
    layers = _greedy(strength, [count] * (attributes // count) + [attributes % count] * (attributes % count > 0))
    dealt: list[list[int]] = [[] for _ in range(count)]
    for layer in layers:
        for block, attribute in zip(dealt, sorted(layer), strict=False):
            block.append(attribute)
    return _sorted(dealt)


def _greedy(strength: NDArray[np.float64], sizes: list[int]) -> list[list[int]]:
    """Fill blocks of these sizes one after the other, each with what is most correlated among the free attributes."""
    free = list(range(len(strength)))
    result = []
    for size in sizes:
        block = _start(strength, free) if size > 1 else free[:1]
        while len(block) < size:
            others = [attribute for attribute in free if attribute not in block]
            means = strength[np.ix_(others, block)].mean(axis=1)
            block.append(others[int(np.argmax(means))])
        free = [attribute for attribute in free if attribute not in block]
        result.append(block)
    return result


def _start(strength: NDArray[np.float64], free: list[int]) -> list[int]:
    """Return the two most correlated free attributes."""
    pairs = np.triu(strength[np.ix_(free, free)] + 1.0, k=1)  # a pair of uncorrelated attributes is still a pair
    first, second = np.unravel_index(int(np.argmax(pairs)), pairs.shape)
    return [free[int(first)], free[int(second)]]


def _given(given: Sequence[Sequence[int]], attributes: int) -> Blocks:
    flat = [int(attribute) for block in given for attribute in block]
    if sorted(flat) != list(range(attributes)) or not all(len(block) for block in given):
        raise PlanError(
            f"blocks must hold each of the {attributes} attributes, numbered from 0, once, and none may be empty"
        )
    return tuple(tuple(int(attribute) for attribute in block) for block in given)


def _sorted(unsorted: Sequence[Sequence[int]]) -> Blocks:
    return tuple(sorted(tuple(sorted(int(attribute) for attribute in block)) for block in unsorted))
