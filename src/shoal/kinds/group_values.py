"""What stands for a group of values: mean, median, convex median, mode, the value of a member who is drawn, and in a
tree of categories the medoid or the lowest node above all members.

Each operator takes the present values of a column with their groups and gives one value per group; a group with no
present value gets whatever fills the array, and the caller marks it missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.kinds.column import Column
from shoal.kinds.taxonomy import level_paths, number_nodes
from shoal.kinds.text import category_text

Codes: TypeAlias = NDArray[np.int32]
Labels: TypeAlias = NDArray[np.int64]
Levels: TypeAlias = Sequence[NDArray[np.int64]]
"""The node of each category in each level of the tree, the lowest first."""


def group_mean(
    values: NDArray[np.float64], labels: Labels, count: int, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return the (weighted) mean of each group.

    Sums are taken of differences to one value of the group, so a constant group keeps its value to the last bit and
    a large common offset does not eat digits.

    >>> group_mean(np.array([1.0, 3.0, 10.0]), np.array([0, 0, 1]), 2).tolist()
    [2.0, 10.0]
    """
    base = np.zeros(count)
    base[labels] = values
    differences = values - base[labels]
    if weights is not None:
        weights = in_group_units(weights, labels, count)
        differences *= weights
    total: NDArray[Any] = np.bincount(labels, weights, minlength=count)
    sums = np.bincount(labels, differences, minlength=count)
    return np.asarray(base + np.divide(sums, total, out=np.zeros(count), where=total > 0))


def in_group_units(weights: NDArray[np.float64], labels: Labels, count: int) -> NDArray[np.float64]:
    """Return weights in units of the group's largest, so that neither huge nor tiny ones leave the range of numbers."""
    largest = np.zeros(count)
    np.maximum.at(largest, labels, weights)
    return np.asarray(weights / largest[labels])


def group_median(values: NDArray[np.float64], labels: Labels, count: int) -> NDArray[np.float64]:
    """Return the lower median of each group.

    >>> group_median(np.array([4.0, 1.0, 2.0, 9.0]), np.array([0, 0, 0, 0]), 1).tolist()
    [2.0]
    """
    sizes = np.bincount(labels, minlength=count)
    return _member_of_each(values[np.lexsort((values, labels))], sizes, np.maximum(sizes - 1, 0) // 2)


def _member_of_each(values: NDArray[Any], sizes: Labels, places: Labels) -> NDArray[Any]:
    """Return the value at a place in each group, of values that stand group after group; 0 of an empty one."""
    chosen = np.zeros(len(sizes), dtype=values.dtype)
    there = sizes > 0
    chosen[there] = values[(np.cumsum(sizes) - sizes + places)[there]]
    return chosen


def group_convex_median(ranks: Codes, labels: Labels, count: int, levels: int) -> NDArray[np.int64]:
    """Return the convex median of each group, which may be a category that nobody in the group has.

    Domingo-Ferrer and Torra 2005: the frequency of a category becomes the smaller of the largest
    frequency at or below it and the largest at or above it; then the (lower) median. Lifted frequencies are equal from
    one category of the group to the next, so the work does not depend on the number of categories.

    >>> group_convex_median(np.array([0, 4], dtype=np.int32), np.array([0, 0]), 1, 5).tolist()
    [2]
    """
    cells, frequencies = np.unique(labels * levels + ranks, return_counts=True)
    groups, categories = np.divmod(cells, levels)
    medians = np.zeros(count, dtype=np.int64)
    if len(cells) == 0:
        return medians
    below, above = _greatest_so_far(groups, frequencies), _greatest_so_far(groups[::-1], frequencies[::-1])[::-1]
    last = np.append(groups[1:] != groups[:-1], True)
    # A category that the group has, then those up to the next one that it has: runs of equal lifted frequencies.
    lifted = np.column_stack([np.minimum(below, above), np.minimum(below, np.append(above[1:], 0))]).ravel()
    following = np.where(last, 0, np.append(categories[1:], 0) - categories - 1)
    lengths = np.column_stack([np.ones_like(following), following]).ravel()
    reached = np.cumsum(lifted * lengths)
    ends = reached[1::2][last]
    starts = np.append(0, ends[:-1])
    middles = starts + (ends - starts + 1) // 2
    runs = np.searchsorted(reached, middles)
    inside = (middles - (reached[runs] - lifted[runs] * lengths[runs]) - 1) // lifted[runs]
    medians[groups[last]] = categories[runs // 2] + runs % 2 + inside
    return medians


def _greatest_so_far(groups: NDArray[np.int64], frequencies: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the greatest of the frequencies of its group up to each; the groups stand one after the other."""
    turns = np.cumsum(np.append(0, groups[1:] != groups[:-1]))
    above_all = int(frequencies.max()) + 1
    return np.asarray(np.maximum.accumulate(frequencies + turns * above_all) - turns * above_all)


def group_mode(
    codes: Codes, labels: Labels, count: int, levels: int, random: np.random.Generator | None = None
) -> NDArray[np.int64]:
    """Return the most frequent code of each group, among equals the one that is farthest behind its share.

    If a tie went to the first category, the first ones would grow at the cost of all others: among 1,000 postcodes many
    groups of five have five different ones. So the groups with a tie choose one after the other, in an order that is
    drawn, and each takes the category that lacks most records of what a fair draw would have given it, or groups
    without a tie took from it; a category stands for its neighbours in category order, too
    (``_core/group/tied_modes.cpp``). Whatever a group takes is a mode: no choice loses more than another.

    >>> group_mode(np.array([2, 1, 2, 0], dtype=np.int32), np.array([0, 0, 0, 1]), 2, 3).tolist()
    [2, 0]
    >>> two_groups_of_two = np.array([0, 1, 0, 1], dtype=np.int32)
    >>> sorted(group_mode(two_groups_of_two, np.array([0, 0, 1, 1]), 2, 2).tolist())
    [0, 1]
    """
    cells, frequencies = np.unique(labels * levels + codes, return_counts=True)
    groups, categories = np.divmod(cells, levels)
    most = np.zeros(count, dtype=np.int64)
    np.maximum.at(most, groups, frequencies)
    best = frequencies == most[groups]
    groups, categories = groups[best], categories[best]
    modes = np.zeros(count, dtype=np.int64)
    modes[groups] = categories
    tied = np.bincount(groups, minlength=count) > 1
    if tied.any():
        sizes = np.bincount(labels, minlength=count)
        wanted = np.bincount(codes, minlength=levels).astype(np.float64)
        alone = ~tied & (sizes > 0)
        wanted -= np.bincount(modes[alone], sizes[alone], levels)
        chosen = tied[groups]
        modes[tied] = _choose(groups[chosen], categories[chosen], sizes, wanted, random or np.random.default_rng(0))
    return modes


def _choose(
    groups: NDArray[np.int64],
    categories: NDArray[np.int64],
    sizes: NDArray[np.int64],
    wanted: NDArray[np.float64],
    random: np.random.Generator,
) -> NDArray[np.int64]:
    """Choose one of the categories of each group; groups stand together, and the answer is in their order."""
    turn = random.permutation(int(groups.max()) + 1)
    order = np.lexsort((random.random(len(groups)), turn[groups]))
    groups, categories = groups[order], categories[order]
    starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
    asked = groups[starts]
    ends = np.append(starts, len(groups)).astype(np.int64)
    places = _core.choose_tied(ends, categories.astype(np.int32), sizes[asked], wanted)
    return np.asarray(categories[places][np.argsort(asked)])


def group_draw(
    codes: Codes, labels: Labels, count: int, random: np.random.Generator | None = None
) -> NDArray[np.int64]:
    """Return the code of one member of each group, each member with the same chance.

    Every category keeps its share in expectation, rare ones as well, which modes lose. The price: where the categories
    of a group have the shares p, a mode is wrong for 1 − max p of its members and a drawn category for 1 − Σ p² of them
    on average, up to twice as many.

    >>> group_draw(np.array([4, 4, 7], dtype=np.int32), np.array([0, 0, 1]), 2).tolist()
    [4, 7]
    """
    random = random or np.random.default_rng(0)
    sizes = np.bincount(labels, minlength=count)
    members = (random.random(count) * sizes).astype(np.int64)
    return _member_of_each(codes[np.argsort(labels, kind="stable")], sizes, members)


def nodes_of(column: Column) -> list[NDArray[np.int64]]:
    """Number the nodes above the categories of a column, level by level."""
    taxonomy = column.spec.taxonomy
    assert taxonomy is not None, "operators of trees are for columns that have one"
    paths = level_paths(taxonomy, column.levels)
    return [np.array(number_nodes(paths, level), dtype=np.int64) for level in range(taxonomy.height)]


def group_medoid(
    codes: Codes, labels: Labels, count: int, nodes: Levels, random: np.random.Generator | None = None
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
    lots = (random or np.random.default_rng(0)).random(len(cells))
    order = np.lexsort((lots, shared[first], labels[first]))  # the last of each group wins
    medoids = np.zeros(count, dtype=np.int64)
    medoids[labels[first[order]]] = codes[first[order]]
    return medoids


def group_ancestor(column: Column, labels: Labels, count: int) -> Column:
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
