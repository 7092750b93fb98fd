"""What stands for a group in a tree of categories: its medoid, or the lowest node above all members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.kinds.column import Column
from shoal.kinds.taxonomy import level_paths
from shoal.kinds.text import category_text

Levels = Sequence[NDArray[np.int64]]
"""The node of each category in each level of the tree, the lowest first."""


def nodes_of(column: Column) -> list[NDArray[np.int64]]:
    """Number the nodes above the categories of a column, level by level."""
    taxonomy = column.spec.taxonomy
    assert taxonomy is not None, "operators of trees are for columns that have one"
    paths = level_paths(taxonomy, column.levels)
    nodes = []
    for level in range(taxonomy.height):
        numbers: dict[str, int] = {}
        nodes.append(np.array([numbers.setdefault(path[level], len(numbers)) for path in paths], dtype=np.int64))
    return nodes


def group_medoid(
    codes: NDArray[np.int32], labels: NDArray[np.int64], count: int, nodes: Levels, random: np.random.Generator
) -> NDArray[np.int64]:
    """Return the code of each group with the least total distance to its members, among equals one that is drawn.

    Two codes are as far apart as the number of levels in which their nodes differ. So the total distance of a code is
    least where the members that share its node, added over the levels, are most: no pair is compared.

    >>> codes = np.array([0, 1, 2, 2], dtype=np.int32)  # 0 and 1 share a node, and are two of three there
    >>> group_medoid(codes[:3], np.zeros(3, int), 1, [np.arange(3), np.array([0, 0, 1])], np.random.default_rng(0)) < 2
    array([ True])
    """
    shared = np.zeros(len(codes), dtype=np.int64)
    for level in nodes:
        cells = labels * (int(level.max(initial=0)) + 1) + level[codes]
        _, place, sizes = np.unique(cells, return_inverse=True, return_counts=True)
        shared += sizes[place]
    # One lot for each category of a group, so that a frequent one is not drawn more often among equals.
    cells, first, place = np.unique(labels * len(nodes[0]) + codes, return_index=True, return_inverse=True)
    lots = random.random(len(cells))
    order = np.lexsort((lots, shared[first], labels[first]))  # the last of each group wins
    medoids = np.zeros(count, dtype=np.int64)
    medoids[labels[first[order]]] = codes[first[order]]
    return medoids


def group_ancestor(column: Column, labels: NDArray[np.int64], count: int) -> Column:
    """Return the lowest node above each group: a column whose levels are the categories, and nodes after them.

    >>> from shoal.kinds import Kind
    >>> from shoal.kinds.column import Spec
    >>> from shoal.kinds.taxonomy import Taxonomy
    >>> spec = Spec(name="code", kind=Kind.NOMINAL, taxonomy=Taxonomy.of({"prefix": [1]}))
    >>> column = Column("code", spec, np.array([0, 1, 2], dtype=np.int32), levels=("J1", "J2", "K1"))
    >>> nodes = group_ancestor(column, np.array([0, 0, 1]), 2)
    >>> [nodes.levels[place] for place in nodes.values]
    ['J*', 'K1']
    """
    taxonomy = column.spec.taxonomy
    assert taxonomy is not None, "operators of trees are for columns that have one"
    codes, nodes = column.observed, nodes_of(column)
    height = np.full(count, len(nodes), dtype=np.int64)  # of the lowest node above all; the root's if none below is
    first = np.zeros(count, dtype=np.int64)
    first[labels] = codes
    for level in range(len(nodes) - 1, -1, -1):
        differs = np.zeros(count, dtype=np.bool_)
        differs[labels[nodes[level][codes] != nodes[level][first[labels]]]] = True
        height[~differs & (height == level + 1)] = level
    names = list(column.levels)
    places = {_written(name): place for place, name in enumerate(names)}
    lengths = {len(category_text(level)) for level in column.levels if level is not None}
    centres = first.astype(np.int32)
    for group in np.flatnonzero(height > 0).tolist():
        name = taxonomy.node(_written(column.levels[first[group]]), int(height[group]), lengths)
        if name not in places:
            places[name] = len(names)
            names.append(name)
        centres[group] = places[name]
    return replace(column, values=centres, missing=None, levels=tuple(names))


def _written(level: object) -> str:
    return "" if level is None else category_text(level)
