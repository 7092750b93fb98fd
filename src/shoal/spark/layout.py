"""Layout: which fragment the records of a cell go to, counted so that fragments are of one size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

BY_ITSELF = 0.25
"""A cell of more than this share of a fragment is divided where it reaches into the next one."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Domains and strata as parts of a table, each with its fragments.

    Parameters
    ----------
    strata
        How many strata each domain has.
    first, fragments
        The first fragment of each domain, and how many it has. Small domains share one.
    exact
        Every cell that reaches from one fragment into the next is divided, so that each fragment holds equally many
        records of each part.
    starts, sizes
        (parts, cells) records of the part before those of a cell, and records of each part, once they are counted.
    """

    strata: int
    first: NDArray[np.int64]
    fragments: NDArray[np.int64]
    exact: bool
    starts: NDArray[np.int64] | None = None
    sizes: NDArray[np.int64] | None = None
    cells: NDArray[np.int64] | None = None

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

    def counted(self, cells: NDArray[np.int64]) -> Layout:
        """Return the layout of a table with so many records in each cell of each part."""
        ends = np.cumsum(cells, axis=1)
        return replace(self, starts=ends - cells, sizes=ends[:, -1], cells=cells)

    def place(
        self, part: NDArray[np.int64], cell: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the first fragment of each record's cell, how many it reaches into, and where it starts.

        Of a cell that is not divided, the fragment in which its middle lies.
        """
        assert self.starts is not None, "cells are counted first"
        assert self.sizes is not None
        assert self.cells is not None
        domain = part // self.strata
        start, own, size = self.starts[part, cell], self.cells[part, cell], np.maximum(self.sizes[part], 1)
        count = self.fragments[domain]
        low, high = start * count // size, (start + np.maximum(own, 1) - 1) * count // size
        if not self.exact:
            middle = np.minimum((2 * start + own) * count // (2 * size), count - 1)
            small = own * count < BY_ITSELF * size
            low, high = np.where(small, middle, low), np.where(small, middle, high)
        return self.first[domain] + low, high - low + 1, start
