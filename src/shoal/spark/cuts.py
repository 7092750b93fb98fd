"""Cells of the space of records: a tree that cuts at medians, learnt on a sample, and the fragment of each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.points import Points


@dataclass(frozen=True, eq=False)
class Cuts:
    """A tree of cuts for each stratum, with the same axes in all.

    A record goes right where it is not less than the point of the cut, by the axis of the node, and where it is equal
    by the next axes in turn: records that share a value with the cut are still divided, and only records that are
    alike in every axis stay together.
    """

    depth: int  # there are 2 to this power of cells
    axes: NDArray[np.int64]  # the axis of each inner node: the root first, then level by level
    values: NDArray[np.float64]  # (strata, nodes, axes) the point of the sample at which a node is cut

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

        ``points``, ``records``: different points, and how many records of the sample each stands for. ``strata``,
        ``count``: the stratum of each point, and how many strata there are. ``depth``: how many times the space is
        halved.

        A node is cut along the axis in which its points differ most, by the expected squared distance of two of them;
        at the median of each stratum, or of all where the sample has fewer than two points of one.
        """
        matrix = axes_of(points)
        nodes = (1 << depth) - 1
        axes = np.zeros(nodes, dtype=np.int64)
        values = np.full((count, nodes, matrix.shape[1]), np.inf)
        parts = {0: np.arange(len(matrix))}
        for node in range(nodes):
            rows = parts.pop(node)
            if len(rows) < 2:
                parts[2 * node + 1], parts[2 * node + 2] = rows, rows[:0]
                continue
            axis = _widest(points, matrix, rows, records)
            axes[node] = axis
            # In the order of the axis, then of the next ones in turn.
            order = rows[np.lexsort(np.roll(matrix[rows], -axis, axis=1).T[::-1])]
            overall = _median(matrix, order, records)
            for stratum in range(count):
                own = order[strata[order] == stratum] if count > 1 else order
                values[stratum, node] = _median(matrix, own, records) if len(own) > 1 else overall
            right = _not_less(matrix[rows], values[strata[rows], node], np.full(len(rows), axis))
            parts[2 * node + 1], parts[2 * node + 2] = rows[~right], rows[right]
        return cls(depth, axes, values)

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


BY_ITSELF = 0.25
"""A cell of more than this share of a fragment is divided where it reaches into the next one."""


@dataclass(frozen=True, eq=False)
class Reach:
    """Where the cell of each record lies."""

    first: NDArray[np.int64]  # its first fragment
    span: NDArray[np.int64]  # how many fragments it reaches into
    start: NDArray[np.int64]  # how many records of its part lie before it


@dataclass(frozen=True, eq=False)
class Layout:
    """Domains and strata as parts of a table, each with its fragments. Small domains share one."""

    strata: int  # how many each domain has
    first: NDArray[np.int64]  # the first fragment of each domain
    fragments: NDArray[np.int64]  # how many fragments each domain has
    # every cell that reaches from one fragment into the next is divided, so that each fragment holds equally many
    # records of each part
    exact: bool
    cells: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))  # (parts, cells) records

    @property
    def count(self) -> int:
        """How many fragments there are."""
        return int((self.first + self.fragments).max())

    @classmethod
    def of(cls, domains: Sequence[int] | NDArray[np.int64], fragment_size: int, strata: int, *, exact: bool) -> Layout:
        """Share out domains of so many records over fragments of about a size.

        Examples
        --------
        >>> layout = Layout.of([10, 500, 20], 100, 1, exact=False)
        >>> layout.first.tolist(), layout.fragments.tolist(), layout.count
        ([0, 1, 0], [1, 5, 1], 6)
        """
        sizes = np.asarray(domains, dtype=np.int64)
        fragments = np.maximum(1, (2 * sizes + fragment_size) // (2 * fragment_size))
        first = np.empty(len(sizes), dtype=np.int64)
        number, filled = -1, fragment_size
        for domain in np.flatnonzero(fragments == 1):
            if filled + sizes[domain] > fragment_size and filled > 0:
                number, filled = number + 1, 0
            first[domain] = number
            filled += sizes[domain]
        for domain in np.flatnonzero(fragments > 1):
            first[domain] = number + 1
            number += fragments[domain]
        return cls(strata, first, fragments, exact)

    @property
    def parts(self) -> int:
        """How many parts there are: the strata of every domain."""
        return len(self.first) * self.strata

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """How many records of its part lie before those of each cell."""
        return np.cumsum(self.cells, axis=1) - self.cells

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many records each part has."""
        return np.asarray(self.cells.sum(axis=1))

    def place(self, part: NDArray[np.int64], cell: NDArray[np.int64]) -> Reach:
        """Return which fragments the cell of each record reaches into.

        Of a cell that is not divided, the fragment in which its middle lies.
        """
        domain = part // self.strata
        start, own, size = self.starts[part, cell], self.cells[part, cell], np.maximum(self.sizes[part], 1)
        count = self.fragments[domain]
        low, high = start * count // size, (start + np.maximum(own, 1) - 1) * count // size
        if not self.exact:
            middle = np.minimum((2 * start + own) * count // (2 * size), count - 1)
            small = own * count < BY_ITSELF * size
            low, high = np.where(small, middle, low), np.where(small, middle, high)
        return Reach(self.first[domain] + low, high - low + 1, start)

    @property
    def has_borders(self) -> bool:
        """Whether a cell reaches from one fragment into the next, so that its records must be counted off."""
        return bool((self.place(*np.nonzero(self.cells)).span > 1).any())
