"""Nominal categories in a tree: one nominal coordinate for each level, medoids, and the nodes above groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.errors import DataError, counted
from shoal.frames import Categories, FrameColumn, Table, Text
from shoal.kinds.attribute_kind import Members
from shoal.kinds.categories import count_levels
from shoal.kinds.column import Column, Spec, first_row
from shoal.kinds.nominal import NominalColumn, NominalKind
from shoal.kinds.taxonomy import NO_CODE, Taxonomy, level_paths, level_text, number_nodes
from shoal.kinds.text import category_text
from shoal.kinds.vocabulary import Form, Missing, Operator


@dataclass(frozen=True)
class Taxonomic:
    """A nominal column whose codes have a tree, as several weighted nominal coordinates."""

    # name, weight: the column, and what multiplies squared differences
    name: str
    weight: float
    taxonomy: Mapping[str, Any] = field(repr=False)  # the tree, as a plan writes it
    # what tells nodes apart in each level, the lowest first, in category order; new ones come after them
    nodes: tuple[tuple[str, ...], ...] = field(repr=False)
    stand_in: str = field(repr=False)  # the most frequent code of the observed cells, at which a missing one stands

    form = Form.CODE

    @classmethod
    def fit(cls, column: Column, records: NDArray[np.int64] | None = None) -> Self:
        """Learn nodes and stand-in from the observed cells, each of which may stand for several records."""
        taxonomy = column.spec.taxonomy
        assert taxonomy is not None, "a column with a tree is encoded here"
        paths = level_paths(taxonomy, column.levels)
        nodes = tuple(tuple(dict.fromkeys(path[level] for path in paths)) for level in range(taxonomy.height))
        counts = count_levels(column, records)
        stand_in = level_text(column.levels[int(counts.argmax())]) if column.levels else NO_CODE
        return cls(column.name, column.spec.weight, taxonomy.to_dict(), nodes, stand_in)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what was learnt, of the plain values of its fields."""
        return cls(**{**values, "nodes": tuple(tuple(nodes) for nodes in values["nodes"])})

    @property
    def width(self) -> int:
        """How many levels there are."""
        return len(self.nodes)

    @property
    def code_weights(self) -> list[float]:
        """What a difference in each level adds to a squared distance."""
        return [self.weight * weight for weight in self._tree.weights]

    @property
    def code_levels(self) -> list[int]:
        """How many nodes each level has."""
        return [len(nodes) for nodes in self.nodes]

    @cached_property
    def _tree(self) -> Taxonomy:
        return Taxonomy.of(self.taxonomy)

    def codes(self, column: Column) -> list[NDArray[np.int32]]:
        """Return the codes of a column in each level."""
        texts = [*map(level_text, column.levels), self.stand_in]
        paths = level_paths(self._tree, texts)
        places = column.values if column.missing is None else np.where(column.missing, len(texts) - 1, column.values)
        numbers = (number_nodes(paths, level, known) for level, known in enumerate(self.nodes))
        return [np.array(of_text, dtype=np.int32)[places] for of_text in numbers]


class TaxonomicColumn(NominalColumn):
    """Codes of the texts of each level: the code itself, the node above it, and so on."""

    def __init__(self, spec: Spec, **how: Any) -> None:
        super().__init__(spec, **how)
        assert spec.taxonomy is not None, "a column with a tree is read here"
        self.taxonomy: Taxonomy = spec.taxonomy
        self.in_the_tree = spec.operator.needs_tree

    @property
    def width(self) -> int:
        """As many as the tree has levels."""
        return self.taxonomy.height

    @property
    def shares(self) -> tuple[float, ...]:
        """What a difference in each level adds to the squared distance."""
        return self.taxonomy.weights

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
        require_codes(self.spec, categories)
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

        A tie is drawn by the plan's seed and the number of the group.
        """
        as_category = self.spec.missing is Missing.CATEGORY
        texts = [None if self.is_missing(value) else category_text(value) for value in values]
        present = [place for place, text in enumerate(texts) if text is not None or as_category]
        if not present:
            return 0, None
        levels = tuple(dict.fromkeys(texts[place] for place in present))
        codes = np.array([levels.index(texts[place]) for place in present], dtype=np.int32)
        group = Column(self.name, self.spec, codes, levels=levels)
        lots = np.random.default_rng((seed, _core.text_code(self.name), number))
        centre = KIND.average(group, Members(np.zeros(len(codes), dtype=np.int64), 1, lots=lots))
        if self.spec.operator is Operator.MEDOID:
            return present[int(np.flatnonzero(codes == centre.values[0])[0])], None
        name = centre.levels[int(centre.values[0])]
        return present[0], None if name is None else str(name)


class TreeKind(NominalKind):
    """Categories in a tree: two are as near as the lowest node above both."""

    name = "tree"
    streamed = TaxonomicColumn
    encoded = Taxonomic

    def categories(self, table: Table, spec: Spec) -> Categories:
        """Return the categories of a column, all of them codes of the tree."""
        categories = table.categories(spec.name)
        require_codes(spec, categories)
        return categories

    def to_categories(self, codes: NDArray[np.int32], labels: tuple[Any, ...], column: Column) -> FrameColumn:
        """Return labels, or names of nodes, which are text whatever the codes are."""
        if column.spec.operator is not Operator.ANCESTOR:
            return super().to_categories(codes, labels, column)
        # The last label is that of missing cells.
        return Text(np.where(codes < 0, np.int32(len(labels)), codes), (*map(category_text, labels), None))


KIND = TreeKind()


def require_codes(spec: Spec, categories: Categories) -> None:
    """Refuse a column with codes outside its tree: say how many cells and codes, and the first row, never which."""
    taxonomy = spec.taxonomy
    assert taxonomy is not None, "a column with a tree is checked here"
    texts = map(category_text, categories.labels)
    in_tree = [taxonomy.path(text) is not None if spec.generalized else taxonomy.is_code(text) for text in texts]
    outside = ~np.array([*in_tree, True], dtype=np.bool_)[categories.codes]
    cells, count = int(outside.sum()), len(np.unique(categories.codes[outside]))
    if cells:
        rule = "" if taxonomy.tree is not None else f", which needs at least {taxonomy.lengths[0]} characters"
        values, kinds = counted(cells, "value"), counted(count, "code")
        raise DataError(
            f"column {spec.name!r} has {values} of {kinds} outside its hierarchy{rule}, the first in row "
            f"{first_row(outside)}: add the codes to the hierarchy, or mend the data"
        )
