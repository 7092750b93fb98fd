"""Nominal columns of a stream whose codes have a tree: one axis for each level, and what stands for a group in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.encode import Column, Spec, Taxonomy, category_text
from shoal.errors import DataError
from shoal.frames import Table
from shoal.kinds import IN_A_TREE, Missing, Operator
from shoal.kinds.tree import require_codes
from shoal.kinds.tree_operators import group_ancestor, group_medoid, nodes_of
from shoal.stream.engine.categorical import NominalColumn


class TaxonomicColumn(NominalColumn):
    """Codes of the texts of each level: the code itself, the node above it, and so on."""

    def __init__(self, spec: Spec, *, text: bool = False, confidential: bool = False) -> None:
        super().__init__(spec, text=text, confidential=confidential)
        assert spec.taxonomy is not None, "a column with a tree is read here"
        self.taxonomy: Taxonomy = spec.taxonomy

    @property
    def width(self) -> int:
        """As many as the tree has levels."""
        return self.taxonomy.height

    @property
    def in_the_tree(self) -> bool:
        """Whether the engine does not know what stands for a group."""
        return self.spec.operator in IN_A_TREE

    def is_node(self, name: object) -> bool:
        """Whether this can be the name of what stands for a group, None where a member's value does."""
        if name is None:
            return True
        if not isinstance(name, str) or self.spec.operator is not Operator.ANCESTOR:
            return False
        return self.taxonomy.path(name) is not None or name == self.taxonomy.root

    def axes(self, record: Mapping[str, Any]) -> Sequence[float]:
        """Return the code of the node of each level; a missing cell is the same in all of them."""
        value = record[self.name]
        cell = self.cell(value)
        if self.is_missing(value):
            return [cell] * self.width
        return [cell, *(float(_core.text_code(node)) for node in self._path(category_text(value))[1:])]

    def axes_of(self, table: Table) -> Sequence[NDArray[np.float64]]:
        """Return the codes of a column, level by level."""
        cells = self.cells(table)
        categories = table.categories(self.name)
        require_codes(self.spec, categories.labels, categories.codes)
        paths = [self._path(category_text(label)) for label in categories.labels]
        parts = [cells]
        for level in range(1, self.width):
            nodes = np.array([*(_core.text_code(path[level]) for path in paths), 0], dtype=np.float64)
            parts.append(np.where(categories.codes < 0, cells, nodes[categories.codes]))
        return parts

    def _path(self, text: str) -> tuple[str, ...]:
        path = self.taxonomy.path(text) if self.taxonomy.is_code(text) else None
        if path is None:
            raise DataError(f"column {self.name!r} has a code outside its hierarchy: add it, or mend the data")
        return path

    def group_value(self, values: Sequence[Any], seed: int, number: int) -> tuple[int, str | None]:
        """Return the member whose value stands for a group and, where a node does, its name.

        Parameters
        ----------
        values
            Those of the members.
        seed, number
            What a tie is drawn by: the plan's seed and the number of the group.
        """
        as_category = self.spec.missing is Missing.CATEGORY
        texts = [None if self.is_missing(value) else category_text(value) for value in values]
        there = [place for place, text in enumerate(texts) if text is not None or as_category]
        if not there:
            return 0, None
        levels = tuple(dict.fromkeys(texts[place] for place in there))
        codes = np.array([levels.index(texts[place]) for place in there], dtype=np.int32)
        group = Column(self.name, self.spec, codes, levels=levels)
        labels = np.zeros(len(codes), dtype=np.int64)
        if self.spec.operator is Operator.MEDOID:
            lots = np.random.default_rng((seed, _core.text_code(self.name), number))
            medoid = group_medoid(codes, labels, 1, nodes_of(group), lots)
            return there[int(np.flatnonzero(codes == medoid[0])[0])], None
        places, names = group_ancestor(codes, labels, 1, group)
        name = names[int(places[0])]
        return there[0], None if name is None else str(name)
