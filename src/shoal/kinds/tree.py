"""A nominal column with a tree: one nominal coordinate for each level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, counted
from shoal.kinds.missing import first_row
from shoal.kinds.spec import Spec
from shoal.kinds.taxonomy import Taxonomy
from shoal.kinds.text import category_text

if TYPE_CHECKING:
    from shoal.kinds.column import Column

_MISSING = "\x00missing"
"""The path of missing cells, where they are a category: like nothing else in any level."""


@dataclass(frozen=True)
class Taxonomic:
    """A nominal column whose codes have a tree, as several weighted nominal coordinates.

    Parameters
    ----------
    name, weight
        The column, and what multiplies squared differences.
    taxonomy
        The tree, as a plan writes it.
    nodes
        What tells nodes apart in each level, the lowest first, in category order; new ones come after them.
    stand_in
        The most frequent code of the observed cells, at which a missing one stands.
    """

    name: str
    weight: float
    taxonomy: Mapping[str, Any] = field(repr=False)
    nodes: tuple[tuple[str, ...], ...] = field(repr=False)
    stand_in: str = field(repr=False)

    @classmethod
    def fit(cls, column: Column, records: NDArray[np.int64] | None = None) -> Self:
        """Learn nodes and stand-in from the observed cells, each of which may stand for several records."""
        taxonomy = column.spec.taxonomy
        assert taxonomy is not None, "a column with a tree is encoded here"
        paths = level_paths(taxonomy, column.levels)
        nodes = tuple(tuple(dict.fromkeys(path[level] for path in paths)) for level in range(taxonomy.height))
        counts = count_levels(column, records)
        stand_in = _text(column.levels[int(counts.argmax())]) if column.levels else _MISSING
        return cls(column.name, column.spec.weight, taxonomy.to_dict(), nodes, stand_in)

    @property
    def width(self) -> int:
        """How many coordinates there are."""
        return len(self.nodes)

    @property
    def weights(self) -> list[float]:
        """What a difference in each coordinate adds to a squared distance."""
        return [self.weight * weight for weight in self._tree.weights]

    @cached_property
    def _tree(self) -> Taxonomy:
        return Taxonomy.of(self.taxonomy)

    def apply(self, column: Column) -> list[NDArray[np.int32]]:
        """Return the codes of a column in each level."""
        texts = [*map(_text, column.levels), self.stand_in]
        paths = level_paths(self._tree, texts)
        places = column.values if column.missing is None else np.where(column.missing, len(texts) - 1, column.values)
        parts = []
        for level, known in enumerate(self.nodes):
            numbers = {node: number for number, node in enumerate(known)}
            of_text = np.array([numbers.setdefault(path[level], len(numbers)) for path in paths], dtype=np.int32)
            parts.append(of_text[places])
        return parts


def count_levels(column: Column, records: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Count the records of each category; without a number of records for each cell, a cell is one."""
    count = max(1, len(column.levels))
    if records is None:
        return np.bincount(column.observed, minlength=count)
    there = records if column.missing is None else records[~column.missing]
    counts = np.zeros(count, dtype=np.int64)
    np.add.at(counts, column.observed, there)  # whole numbers, which doubles might not hold
    return counts


def level_paths(taxonomy: Taxonomy, levels: Sequence[Any]) -> list[tuple[str, ...]]:
    """Return the path of each category; one that the tree does not name is like nothing else."""
    texts = map(_text, levels)
    return [(_MISSING,) * taxonomy.height if text == _MISSING else _path(taxonomy, text) for text in texts]


def _path(taxonomy: Taxonomy, text: str) -> tuple[str, ...]:
    return taxonomy.path(text) or (f"{text}\x00",) * taxonomy.height


def _text(level: Any) -> str:
    return _MISSING if level is None else category_text(level)


def require_codes(spec: Spec, levels: Sequence[Any], codes: NDArray[np.int32]) -> None:
    """Refuse a column with codes outside its tree.

    Raises
    ------
    DataError
        It says how many cells and codes, and the first row, never which.
    """
    taxonomy = spec.taxonomy
    assert taxonomy is not None, "a column with a tree is checked here"
    texts = map(category_text, levels)
    known = [taxonomy.path(text) is not None if spec.generalized else taxonomy.is_code(text) for text in texts]
    outside = ~np.array([*known, True], dtype=np.bool_)[codes]
    cells, count = int(outside.sum()), len(np.unique(codes[outside]))
    if cells:
        rule = "" if taxonomy.tree is not None else f", which needs at least {taxonomy.lengths[0]} characters"
        values, kinds = counted(cells, "value"), counted(count, "code")
        raise DataError(
            f"column {spec.name!r} has {values} of {kinds} outside its hierarchy{rule}, the first in row "
            f"{first_row(outside)}: add the codes to the hierarchy, or mend the data"
        )
