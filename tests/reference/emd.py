"""Earth mover's distance by its definition, in fractions, one group at a time."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from shoal.kinds.hierarchy import Hierarchy


def shares(values):
    counts = Counter(values)
    return {value: Fraction(count, len(values)) for value, count in counts.items()}


def ordered(group, table):
    """1/(m-1) · sum over the distinct values of |cumulative share in the group - in the table|."""
    p, q = shares(group), shares(table)
    distinct = sorted(set(table))
    if len(distinct) == 1:
        return Fraction(0)
    total = ahead = Fraction(0)
    for value in distinct:
        ahead += p.get(value, 0) - q[value]
        total += abs(ahead)
    return total / (len(distinct) - 1)


def equal(group, table):
    """Half the sum of the differences of shares."""
    p, q = shares(group), shares(table)
    return sum((abs(p.get(value, 0) - q[value]) for value in q), Fraction(0)) / 2


def hierarchical(group, table, tree: Hierarchy):
    """Mass that must pass each node, times its height: what its children have too much or too little of."""
    p, q = shares(group), shares(table)
    extra = {i: p.get(leaf, Fraction(0)) - q.get(leaf, Fraction(0)) for i, leaf in enumerate(tree.leaves)}
    total = Fraction(0)
    for node in range(len(tree.leaves), len(tree.parents)):
        below = [extra[child] for child in range(node) if tree.parents[child] == node]
        over = sum((e for e in below if e > 0), Fraction(0))
        under = -sum((e for e in below if e < 0), Fraction(0))
        extra[node] = over - under
        total += min(over, under) * int(tree.heights[node])
    return total / tree.height


def by_group(distance, values, labels, *rest):
    """One distance per group."""
    members = [[v for v, label in zip(values, labels, strict=True) if label == g] for g in range(max(labels) + 1)]
    return [distance(group, values, *rest) for group in members]
