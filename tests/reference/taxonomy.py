"""A tree of categories that is walked: the lowest node above two codes, and MDAV by its height."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np


class Tree:
    """Nested tables with lists of codes inside. A node is the path of names from the root to it."""

    def __init__(self, nested):
        self.paths = {}
        self.heights = {}
        self._grow(nested, ())
        self.height = self.heights[()]

    def _grow(self, branch, path):
        if isinstance(branch, dict):
            self.heights[path] = 1 + max(self._grow(below, (*path, name)) for name, below in branch.items())
            return self.heights[path]
        for code in branch:
            self.paths[code] = (*path, ("code", code))
            self.heights[(*path, ("code", code))] = 0
        self.heights[path] = 1
        return 1

    def meeting_height(self, one, other):
        """Climb from a code until the other is below."""
        node = self.paths[one]
        while self.paths[other][: len(node)] != node:
            node = node[:-1]
        return self.heights[node]

    def node(self, code, level):
        """Climb from a code to the highest node that stands lower than a level."""
        node = self.paths[code]
        while node and self.heights[node[:-1]] < level:
            node = node[:-1]
        return node

    def add(self, total, height):
        """Add the squared height, level by level, as kernels add coordinates."""
        for level in range(1, height + 1):
            total += (2 * level - 1) / self.height**2
        return total


def mdav(numbers, codes, tree, k):
    """MDAV-generic of records with numbers and one code each; ties go to the lowest row."""
    order = sorted(set(codes))
    ranked = [list(dict.fromkeys(tree.node(code, level) for code in order)) for level in range(1, tree.height + 1)]
    labels = np.full(len(codes), -1)
    rows = list(range(len(codes)))

    def between(one, other):
        total = sum_of_squares(numbers[one], numbers[other])
        return tree.add(total, tree.meeting_height(codes[one], codes[other]))

    def from_average(row, centre, nodes):
        total = sum_of_squares(numbers[row], centre)
        for level, node in enumerate(nodes, start=1):
            total += 0.0 if tree.node(codes[row], level) == node else (2 * level - 1) / tree.height**2
        return total

    def average():
        centre = [math.fsum(numbers[rows, j]) / len(rows) for j in range(numbers.shape[1])]
        nodes = []
        for level in range(1, tree.height + 1):
            counts = Counter(tree.node(codes[row], level) for row in rows)
            nodes.append(max(ranked[level - 1], key=lambda node: counts[node]))  # the first of the most frequent
        return centre, nodes

    def form(row):
        others = sorted((other for other in rows if other != row), key=lambda other: (between(row, other), other))
        group = [row, *others[: k - 1]]
        labels[group] = labels.max() + 1
        for member in group:
            rows.remove(member)

    def farthest():
        centre, nodes = average()
        return max(rows, key=lambda row: (from_average(row, centre, nodes), -row))

    while len(rows) >= 3 * k:
        first = farthest()
        form(first)
        form(max(rows, key=lambda row: (between(first, row), -row)))
    if len(rows) >= 2 * k:
        form(farthest())
    labels[rows] = labels.max() + 1
    return labels


def sum_of_squares(one, other):
    total = 0.0
    for a, b in zip(one, other, strict=True):
        total += (a - b) ** 2
    return total


def medoids(codes, tree):
    """The codes of a group with the least total distance to its members."""
    totals = {code: sum(tree.meeting_height(code, other) for other in codes) for code in codes}
    return {code for code, total in totals.items() if total == min(totals.values())}
