"""Cuts: a tree that divides the space of records into cells, learnt on a sample, at the medians of each stratum.

The cells of a tree stand in a line, left before right, so that neighbours on the line are near each other in space. A
fragment is a stretch of that line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.points import Points


@dataclass(frozen=True, eq=False)
class Cuts:
    """A tree of cuts for each stratum, with the same axes in all.

    Parameters
    ----------
    depth
        There are 2 to this power of cells.
    axes
        The axis of each inner node: the root first, then level by level.
    values
        (strata, nodes, axes) the point of the sample at which a node is cut.

    Notes
    -----
    A record goes right where it is not less than the point of the cut, by the axis of the node, and where it is equal
    by the next axes in turn: records that share a value with the cut are still divided, and only records that are
    alike in every axis stay together.
    """

    depth: int
    axes: NDArray[np.int64]
    values: NDArray[np.float64]

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return 1 << self.depth

    @classmethod
    def learn(
        cls,
        points: Points,
        records: NDArray[np.int64],
        strata: NDArray[np.int64],
        count: int,
        depth: int,
    ) -> Cuts:
        """Learn a tree from a sample.

        Parameters
        ----------
        points, records
            Different points, and how many records of the sample each stands for.
        strata, count
            The stratum of each point, and how many strata there are.
        depth
            How many times the space is halved.

        Notes
        -----
        A node is cut along the axis in which its points differ most, by the expected squared distance of two of them;
        at the median of each stratum, or of all where the sample has fewer than two points of one.
        """
        matrix = axes_of(points)
        nodes = cls(depth, np.zeros((1 << depth) - 1, dtype=np.int64), np.empty((0, 0, 0)))
        values = np.full((count, (1 << depth) - 1, matrix.shape[1]), np.inf)
        parts = {0: np.arange(len(matrix))}
        for node in range((1 << depth) - 1):
            rows = parts.pop(node)
            if len(rows) < 2:
                parts[2 * node + 1], parts[2 * node + 2] = rows, rows[:0]
                continue
            axis = _widest(points, matrix, rows, records)
            nodes.axes[node] = axis
            order = rows[_lexicographic(matrix[rows], axis)]
            overall = _median(matrix, order, records)
            for stratum in range(count):
                own = order[strata[order] == stratum] if count > 1 else order
                values[stratum, node] = _median(matrix, own, records) if len(own) > 1 else overall
            right = _not_less(matrix[rows], values[strata[rows], node], np.full(len(rows), axis))
            parts[2 * node + 1], parts[2 * node + 2] = rows[~right], rows[right]
        return cls(depth, nodes.axes, values)

    def locate(self, points: Points, strata: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the cell of each record."""
        matrix = axes_of(points)
        rows, width = matrix.shape
        flat, starts = matrix.ravel(), np.arange(rows) * width
        nodes = len(self.axes)
        # One number a node, by its own axis, decides for all records but those that share it.
        firsts = np.take_along_axis(self.values, self.axes[None, :, None], axis=2).ravel()
        node = np.zeros(rows, dtype=np.int64)
        for _ in range(self.depth):
            here = flat.take(starts + self.axes.take(node))
            there = firsts.take(node if len(self.values) == 1 else strata * nodes + node)
            right = here > there
            equal = np.flatnonzero(here == there)
            if len(equal):
                at = node[equal]
                right[equal] = _not_less(matrix[equal], self.values[strata[equal], at], self.axes[at])
            node = 2 * node + 1 + right
        return node - (self.cells - 1)


def axes_of(points: Points) -> NDArray[np.float64]:
    """Return one number for each axis of each record: coordinates, ranks in their steps, codes."""
    return np.column_stack([points.coords, points.ranks * points.rank_steps, points.codes])


def _widest(points: Points, matrix: NDArray[np.float64], rows: NDArray[np.int64], records: NDArray[np.int64]) -> int:
    weights = records[rows] / records[rows].sum()
    numbers = points.coords.shape[1] + points.ranks.shape[1]
    part = matrix[rows]
    mean = weights @ part
    spread = 2 * (weights @ (part - mean) ** 2)
    for j in range(points.codes.shape[1]):
        shares = np.bincount(points.codes[rows, j], weights)
        spread[numbers + j] = points.code_weights[j] * (1 - shares @ shares)
    return int(np.argmax(spread))


def _lexicographic(part: NDArray[np.float64], axis: int) -> NDArray[np.int64]:
    """Return the rows in the order of an axis, then of the next ones in turn."""
    turned = np.roll(part, -axis, axis=1)
    return np.lexsort(turned.T[::-1])


def _median(matrix: NDArray[np.float64], order: NDArray[np.int64], records: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the first point of the right half, which is never the first of all."""
    reached = np.cumsum(records[order])
    place = int(np.searchsorted(reached, reached[-1] / 2, side="right"))
    return np.asarray(matrix[order[min(max(place, 1), len(order) - 1)]])


def _not_less(matrix: NDArray[np.float64], values: NDArray[np.float64], axes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether rows are not less than their cuts, by their axis and then the next ones in turn."""
    width = matrix.shape[1]
    right = np.zeros(len(matrix), dtype=np.bool_)
    equal = np.arange(len(matrix))
    for step in range(width):
        if not len(equal):
            break
        axis = (axes[equal] + step) % width
        here, there = matrix[equal, axis], values[equal, axis]
        right[equal[here > there]] = True
        equal = equal[here == there]
    right[equal] = True
    return right
