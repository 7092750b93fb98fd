"""TreeCodes: codes with a tree, as the weighted nominal coordinates that distances are counted in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kinds.taxonomy import Taxonomy, level_paths


@dataclass(frozen=True, eq=False)
class TreeCodes:
    """The node of each code in each level of their tree, the lowest first, and what a difference there weighs.

    A node of a release that stands higher than a level is like no other there, so that it differs from every code below
    it by its own height. Weights are what a level adds to the squared distance.

    Examples
    --------
    >>> codes = TreeCodes.of(Taxonomy.of({"prefix": [1]}), ["J1", "J2", "K1", "J*"])
    >>> codes.squared(np.array([0, 0, 0, 0]), np.array([0, 1, 2, 3])).tolist()
    [0.0, 0.25, 1.0, 0.25]
    """

    nodes: tuple[NDArray[np.int32], ...]
    weights: tuple[float, ...]

    @classmethod
    def of(cls, taxonomy: Taxonomy, labels: Sequence[Any]) -> TreeCodes:
        """Number the nodes of these codes; None among them is the category of missing cells."""
        paths = level_paths(taxonomy, labels)
        parts = []
        for level in range(taxonomy.height):
            numbers: dict[str, int] = {}
            parts.append(np.array([numbers.setdefault(path[level], len(numbers)) for path in paths], dtype=np.int32))
        return cls(tuple(parts), taxonomy.weights)

    def squared(self, before: NDArray[Any], after: NDArray[Any]) -> NDArray[np.float64]:
        """Return the squared distances of codes."""
        total = np.zeros(len(before))
        for level, weight in zip(self.nodes, self.weights, strict=True):
            total += weight * (level[before] != level[after])
        return total

    def total(self, codes: NDArray[Any], counted: NDArray[np.float64] | None = None) -> float:
        """Return the sum of squared distances to the most frequent node of each level, records counted once or so."""
        records = len(codes) if counted is None else float(counted.sum())
        shares = (records - np.bincount(level[codes], counted).max() for level in self.nodes)
        return float(sum(weight * lost for weight, lost in zip(self.weights, shares, strict=True)))

    def columns(self, codes: NDArray[Any]) -> list[NDArray[np.int32]]:
        """Return the coordinates of records."""
        return [level[codes] for level in self.nodes]

    @property
    def counts(self) -> list[int]:
        """How many nodes there are in each level."""
        return [int(level.max(initial=0)) + 1 for level in self.nodes]
