"""What an outsider knows of a class that left with a category: which originals the operator finds it for.

The operators are written here once more, each as its definition says. How many records of a class can have had some
categories is found by trying: all ways to have the category that left, those beside it and the rest, or all originals
that there can be, one by one, where a tree, a convex median or persons with several records ask for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import numpy as np

Ranges = tuple[np.ndarray, np.ndarray]
"""How many records of each class had something, at least and at most."""
Counts = Sequence[int]
"""How many records of a class had each category."""

OTHER = "some other"
"""A category that nobody left with."""


class Categories(NamedTuple):
    """What is known of the categories of a column.

    Parameters
    ----------
    operator
        What was released of a class.
    levels
        Categories, in their order if they have one.
    paths
        The nodes above each of them and itself, from the root on, where they stand in a tree.
    """

    operator: str
    levels: tuple[str, ...]
    paths: tuple[tuple[str, ...], ...] = ()

    def having(
        self, left: Sequence[str], persons: Sequence[Sequence[int]], names: set[str], *, others: bool, joined: bool
    ) -> Ranges:
        """Return how many records of each class can have had one of some categories.

        Parameters
        ----------
        left, persons
            The category that each class left with, and how many records its persons have.
        names
            The categories.
        others
            Whether the outsider believes in categories that nobody left with.
        joined
            Whether these are counted, too.
        """
        levels = self._believed(left, others=others)
        counted = frozenset(
            place for place, level in enumerate(levels) if level in names | ({OTHER} if joined else set())
        )
        return _each(self, levels, left, persons, [counted] * len(left))

    def kept(self, left: Sequence[str], persons: Sequence[Sequence[int]], *, others: bool) -> Ranges:
        """Return how many records of each class can have had the category that it left with."""
        levels = self._believed(left, others=others)
        return _each(self, levels, left, persons, [frozenset([levels.index(name)]) for name in left])

    def _believed(self, left: Sequence[str], *, others: bool) -> tuple[str, ...]:
        if self.operator == "convex_median" or self.paths:
            return self.levels  # those between two count as well, and a tree names its codes
        released = tuple(level for level in self.levels if level in set(left))
        return (OTHER, *released, OTHER) if others else released


def _each(
    known: Categories,
    levels: tuple[str, ...],
    left: Sequence[str],
    persons: Sequence[Sequence[int]],
    counted: Sequence[frozenset[int]],
) -> Ranges:
    found = [
        _range(known.operator, levels.index(name), tuple(sorted(group)), places, len(levels), known.paths)
        for name, group, places in zip(left, persons, counted, strict=True)
    ]
    least, most = np.array(found).T
    return least, most


@cache
def _range(
    operator: str,
    left: int,
    persons: tuple[int, ...],
    counted: frozenset[int],
    levels: int,
    paths: tuple[tuple[str, ...], ...],
) -> tuple[int, int]:
    """Return how many records of a class can have had one of the counted levels."""
    if max(persons) == 1 and operator in ("mode", "draw"):
        found = set(_beside(operator, left, len(persons), counted, levels))
    elif max(persons) == 1 and operator == "median":
        found = set(_around(left, len(persons), counted, levels))
    else:
        originals = _originals(persons, levels)
        found = {sum(counts[i] for i in counted) for counts in originals if finds(operator, counts, left, paths)}
    return min(found), max(found)


def _beside(operator: str, left: int, size: int, counted: frozenset[int], levels: int) -> Iterator[int]:
    """Yield how many are counted, by all ways to part those who did not have the released level."""
    inside, outside = len(counted - {left}), len(set(range(levels)) - counted - {left})
    for own in range(1, size + 1):
        most = own if operator == "mode" else size  # that had any other level
        for among in range(size - own + 1):
            if among <= most * inside and size - own - among <= most * outside:
                yield among + own * (left in counted)


def _around(left: int, size: int, counted: frozenset[int], levels: int) -> Iterator[int]:
    """Yield how many are counted, by all ways to have so many below a lower median and so many above it."""
    sides = (range(left), range(left + 1, levels))
    for below, own in product(range(size), range(1, size + 1)):
        above = size - own - below
        if not below <= (size - 1) // 2 < below + own <= size:
            continue
        ways = []
        for many, side in zip((below, above), sides, strict=True):
            inside, outside = any(i in counted for i in side), any(i not in counted for i in side)
            ways.append([n for n in range(many + 1) if (inside or not n) and (outside or n == many)])
        yield from (one + other + own * (left in counted) for one, other in product(*ways))


@cache
def _originals(persons: tuple[int, ...], levels: int) -> tuple[tuple[int, ...], ...]:
    """Return how many records can have had each level, by all levels that persons can have had."""
    alike = len(set(persons)) == 1
    had = (
        combinations_with_replacement(range(levels), len(persons))
        if alike
        else product(range(levels), repeat=len(persons))
    )
    found = set()
    for each in had:
        counts = [0] * levels
        for level, many in zip(each, persons, strict=True):
            counts[level] += many
        found.add(tuple(counts))
    return tuple(found)


def finds(operator: str, counts: Counts, left: int, paths: Sequence[Sequence[str]] = ()) -> bool:
    """Whether an operator releases this level of a class in which so many records had each level."""
    size = sum(counts)
    if operator == "draw":
        return counts[left] > 0
    if operator == "mode":
        return counts[left] == max(counts)
    if operator == "median":
        return sum(counts[:left]) <= (size - 1) // 2 < sum(counts[: left + 1])
    if operator == "convex_median":  # of frequencies without valleys
        lifted = [min(max(counts[: i + 1]), max(counts[i:])) for i in range(len(counts))]
        return sum(lifted[:left]) <= (sum(lifted) - 1) // 2 < sum(lifted[: left + 1])
    assert operator == "medoid", operator
    far = [sum(many * distance(paths[i], paths[j]) for j, many in enumerate(counts)) for i in range(len(counts))]
    return counts[left] > 0 and far[left] == min(each for each, many in zip(far, counts, strict=True) if many)


def distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Return in how many levels of a tree two codes stand below different nodes."""
    return sum(a != b for a, b in zip(one, other, strict=True))


def paths_in(tree: Mapping[str, object] | Sequence[str], above: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """Return the nodes above each code of a nested tree and itself; a short branch goes on by itself."""
    if not isinstance(tree, Mapping):
        return {code: (*above, code) for code in tree}
    found = {code: path for name, inner in tree.items() for code, path in paths_in(inner, (*above, name)).items()}
    height = max(map(len, found.values()))
    return {code: (*path, *[path[-1]] * (height - len(path))) for code, path in found.items()}
