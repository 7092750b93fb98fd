"""A tree of categories, and the distances it gives them: of quasi-identifiers and of confidential attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PlanError
from shoal.kinds.text import category_text

DEEPEST = 100
"""Levels of tables in a tree: far more than any classification has, and few enough for whoever walks it."""
ROOT = "*"
"""The name of the node above all categories, where the tree gives it none."""


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Categories as the leaves of a tree.

    Two categories are as far apart as the height of the lowest node above both, divided by the height of the tree.

    Notes
    -----
    The hierarchical distance of Li et al. 2007.

    Examples
    --------
    >>> tree = Hierarchy.of({"lungs": ["flu", "asthma"], "stomach": ["ulcer", "gastritis"]})
    >>> tree.distance("flu", "asthma"), tree.distance("flu", "ulcer")
    (Fraction(1, 2), Fraction(1, 1))
    """

    leaves: tuple[Hashable, ...]  # the categories, depth first; leaf i is node i
    parents: NDArray[np.int32]  # the node above each node, leaves first; -1 for the root, which comes last
    heights: NDArray[np.int32]  # longest way down from each node to a leaf
    names: tuple[str, ...] = ()  # the inner nodes by name, in their order; the root comes last

    @classmethod
    def of(cls, tree: Mapping[str, Any] | Sequence[Hashable], *, root: str = ROOT, left_out: int = 0) -> Hierarchy:
        """Read nested tables whose innermost entries are lists of categories, as TOML gives them.

        Levels above the root that part nothing may be left out before; they count among those that are allowed.
        """
        leaves: list[Hashable] = []
        names: list[str] = []
        inner: list[tuple[list[int], list[int]]] = []  # (leaves, inner nodes) right below each inner node

        def grow(branch: object, path: str, name: str, depth: int) -> int:
            if depth > DEEPEST:
                raise PlanError(f"hierarchy must have at most {DEEPEST} levels: leave out nodes that part nothing")
            below: tuple[list[int], list[int]] = ([], [])
            if isinstance(branch, Mapping):
                below[1].extend(grow(part, f"{path}.{inner}", str(inner), depth + 1) for inner, part in branch.items())
            elif isinstance(branch, Sequence) and not isinstance(branch, str):
                if not all(isinstance(leaf, (str, int, float)) for leaf in branch):
                    raise PlanError(f"{path} must list plain categories: to go deeper, make it a table of lists")
                below[0].extend(range(len(leaves), len(leaves) + len(branch)))
                leaves.extend(branch)
            else:
                raise PlanError(f"{path} must be a list of categories or a table of such lists, not {branch!r}")
            if not any(below):
                raise PlanError(f"{path} is empty: give it categories or leave it out")
            inner.append(below)
            names.append(name)
            return len(inner) - 1

        grow(tree, "hierarchy", root, left_out)
        repeated = [text for text, times in Counter(map(category_text, leaves)).items() if times > 1]
        if repeated:
            raise PlanError(
                f"hierarchy must name each category once, but repeats {', '.join(repeated)}: a category has one parent"
            )
        parents = np.full(len(leaves) + len(inner), -1, dtype=np.int32)
        heights = np.zeros(len(parents), dtype=np.int32)
        for number, (below_leaves, below_inner) in enumerate(inner):  # children come before their parent
            node = len(leaves) + number
            children = [*below_leaves, *(len(leaves) + child for child in below_inner)]
            parents[children] = node
            heights[node] = heights[children].max() + 1
        hierarchy = cls(tuple(leaves), parents, heights, tuple(names))
        hierarchy._refuse_tangles()
        return hierarchy

    def _refuse_tangles(self) -> None:
        """Refuse a name that stands for two nodes: above itself, or below two parents. A release would not tell which.

        A node may have the name of a child, as files of paths write a category that is not generalized further.
        """
        count = len(self.leaves)
        places: dict[str, int] = {}
        for node, name in enumerate(self.names, start=count):
            # Children come before their parents, so a chain of one name is met from below.
            namesake = places.get(name)
            if namesake is not None and int(self.parents[namesake]) != node:
                above = node in self._above(namesake)
                tangle = "above itself, which is a cycle" if above else "below two parents"
                raise PlanError(f"hierarchy has {name!r} {tangle}: give one of them another name")
            places[name] = node
        for leaf, category in enumerate(self.leaves):
            namesake = places.get(category_text(category))
            if namesake is not None and namesake not in self._above(leaf):
                raise PlanError(
                    f"hierarchy has {category_text(category)!r} as a category and as a node elsewhere: give one of "
                    "them another name"
                )

    def _above(self, node: int) -> Iterator[int]:
        while node >= 0:
            yield node
            node = int(self.parents[node])

    def with_leaf(self, category: Hashable) -> Hierarchy:
        """Hang one more category right below the root, as far from every other as can be."""
        count = len(self.leaves)
        moved = np.where(self.parents >= 0, self.parents + 1, -1).astype(np.int32)
        root = len(moved)
        return Hierarchy(
            (*self.leaves, category),
            np.concatenate([moved[:count], np.array([root], np.int32), moved[count:]]),
            np.concatenate([self.heights[:count], np.zeros(1, np.int32), self.heights[count:]]),
            self.names,
        )

    @property
    def height(self) -> int:
        """Height of the root."""
        return int(self.heights[-1])

    def to_nested(self) -> dict[str, Any] | list[Hashable]:
        """Return the tables of lists that the tree was read from."""
        count = len(self.leaves)
        nested: list[Any] = list(self.leaves)
        below: dict[int, list[int]] = {}
        for node, parent in enumerate(self.parents.tolist()):
            if node >= count:
                inner = [child for child in below[node] if child >= count]
                nested.append(
                    {self.names[child - count]: nested[child] for child in inner}
                    if inner
                    else [nested[child] for child in below[node]]
                )
            below.setdefault(parent, []).append(node)
        whole_tree: dict[str, Any] | list[Hashable] = nested[-1]
        return whole_tree

    @cached_property
    def ancestors(self) -> NDArray[np.int32]:
        """(height, nodes): for h = 1 … height, the highest node above each that stands lower than h.

        Two categories differ in row h where the lowest node above both stands at h or higher: this is what makes the
        distance a sum of 0/1 differences (docs/taxonomies.md). A node that stands at h or higher has none: -1 − node.
        """
        ancestors = np.empty((self.height, len(self.parents)), dtype=np.int32)
        for node in range(len(self.parents) - 1, -1, -1):  # parents come after their children
            parent = int(self.parents[node])
            # Up to the height of its parent, a node is the highest that stands lower.
            top = self.height if parent < 0 else int(self.heights[parent])
            ancestors[:, node] = -1 - node if parent < 0 else ancestors[:, parent]
            ancestors[self.heights[node] : top, node] = node
            ancestors[: self.heights[node], node] = -1 - node
        return ancestors

    def name(self, node: int) -> str:
        """Return how a node is written: a category, or the name of an inner node."""
        return self.texts[node]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """How the nodes are written."""
        return (*map(category_text, self.leaves), *self.names)

    @cached_property
    def places(self) -> dict[str, int]:
        """Every node by name; where a category has the name of a node above it, the category."""
        return {text: node for node, text in reversed(list(enumerate(self.texts)))}

    @property
    def climbs(self) -> NDArray[np.int32]:
        """How much higher the node above each node stands; 0 for the root."""
        climbs = self.heights[self.parents] - self.heights
        climbs[-1] = 0
        return climbs.astype(np.int32)

    def distance(self, one: Hashable, other: Hashable) -> Fraction:
        """Hierarchical distance of two categories, from 0 to 1."""
        places = self.leaves.index(one), self.leaves.index(other)
        return Fraction(meeting_height(self.parents, self.climbs, *places), self.height)

    def node_counts(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Records below each node, from the records of each leaf."""
        below = np.concatenate([counts, np.zeros(len(self.parents) - len(counts), np.int64)])
        for node in range(len(below) - 1):
            below[self.parents[node]] += below[node]
        return below

    def by_marginality(self, counts: NDArray[np.int64]) -> NDArray[np.intp]:
        """Order the leaves from the centre of the data to its margin.

        The marginality of a category is the sum of its distances to all records; ties stay in the order of the tree.

        Notes
        -----
        Soria-Comas et al. 2015, section 7, after Domingo-Ferrer et al. 2013.
        """
        shares = self.node_counts(counts)
        # Two leaves meet above every node that has only one of them below it, so each node on the way up from a leaf
        # adds its climb for all records that are not below it.
        outside = self.climbs.astype(np.int64) * (shares[-1] - shares)
        for node in range(len(outside) - 2, -1, -1):  # parents come after their children
            outside[node] += outside[self.parents[node]]
        return np.argsort(outside[: len(self.leaves)], kind="stable")


def nested_tables(paths: Iterable[Sequence[str]]) -> dict[str, Any]:
    """Return paths, each of a category and the nodes above it up to the highest, as nested tables of lists.

    >>> nested_tables([("flu", "lungs", "body"), ("rash", "skin", "body")])
    {'body': {'lungs': ['flu'], 'skin': ['rash']}}
    """
    tables: dict[str, Any] = {}
    for category, lowest, *above in paths:
        branch = tables
        for node in reversed(above):
            branch = branch.setdefault(node, {})
        branch.setdefault(lowest, []).append(category)
    return tables


def meeting_height(parents: NDArray[np.int32], climbs: NDArray[np.int32], one: int, other: int) -> int:
    """Return the height of the lowest node above two leaves of a tree; 0 for a leaf and itself."""
    heights, height = {}, 0
    while one >= 0:
        heights[one] = height
        height += int(climbs[one])
        one = int(parents[one])
    while other not in heights:
        other = int(parents[other])
    return heights[other]
