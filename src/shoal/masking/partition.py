"""Partition: how the records of a release were grouped."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Block:
    """Attributes that were partitioned together, and the group of each record."""

    columns: tuple[str, ...]
    labels: NDArray[np.int64] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Partition:
    """How records were grouped: in one block of all quasi-identifiers, in several, or in none where values were mixed.

    ``labels`` is the group of each record; with several blocks, records share one when they do in every block; with
    none, when all their masked values are equal.
    """

    blocks: tuple[Block, ...]
    labels: NDArray[np.int64] = field(repr=False)

    def take(self, rows: NDArray[np.int64]) -> Partition:
        """Return the partition of other rows, or of the same in another order."""
        return Partition(tuple(Block(block.columns, block.labels[rows]) for block in self.blocks), self.labels[rows])
