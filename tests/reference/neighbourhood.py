"""(n, t)-closeness as it is written: neighbourhoods found by sorting all groups."""

from __future__ import annotations

import math

import numpy as np

from reference import emd
from reference.average import average
from reference.distance import squared_distances


def between(group, others, distinct, distance, tree=None):
    """Distance of two sets of values, over the distinct values (or the tree) of the table."""
    if distance is emd.equal:
        p, q = emd.shares(group), emd.shares(others)
        return sum(abs(p.get(v, 0) - q.get(v, 0)) for v in distinct) / 2
    if distance is emd.ordered:
        p, q = emd.shares(group), emd.shares(others)
        total = ahead = 0
        for value in distinct:
            ahead += p.get(value, 0) - q.get(value, 0)
            total += abs(ahead)
        return total / max(len(distinct) - 1, 1)
    return distance(group, others)


def verdicts(points, groups, rules, n):
    """Rules are triples (distance, values, t)."""
    centroids = [average(points, rows) for rows in groups]
    found = []
    for mine, rows in enumerate(groups):
        others = [g for g in range(len(groups)) if g != mine]
        far = [squared_distances(centroids[g], np.array([0]), centroids[mine])[0] for g in others]
        around = list(rows)
        for _, g in sorted(zip(far, others, strict=True)):
            if len(around) >= n:
                break
            around += list(groups[g])
        shortfall, met = 0.0, True
        for distance, values, t in rules:
            group = [values[r] for r in rows]
            nearby = between(group, [values[r] for r in around], sorted(set(values)), distance)
            table = between(group, values, sorted(set(values)), distance)
            best = min(nearby, table) if len(around) >= n else table
            met &= best <= t
            relative = float(best) / float(t) if t else (math.inf if best else 1.0)
            shortfall = max(shortfall, relative)
        found.append((shortfall, met))
    return found


def merge(points, labels, rules, n):
    groups = {g: np.flatnonzero(np.asarray(labels) == g) for g in range(max(labels) + 1)}
    while True:
        numbers = sorted(groups)
        judged = dict(zip(numbers, verdicts(points, [groups[g] for g in numbers], rules, n), strict=True))
        failing = sorted((g for g in numbers if not judged[g][1]), key=lambda g: (-judged[g][0], g))
        if not failing:
            break
        touched = set()
        for g in failing:
            if g in touched or len(groups) == 1:
                continue
            place = average(points, groups[g])
            others = sorted(set(groups) - {g})
            near = min(
                others, key=lambda o: (squared_distances(average(points, groups[o]), np.array([0]), place)[0], o)
            )
            kept, lost = min(g, near), max(g, near)
            groups[kept] = np.union1d(groups[kept], groups.pop(lost))
            touched |= {kept, lost}
    result = np.empty(len(points), dtype=np.int64)
    for number, g in enumerate(sorted(groups)):
        result[groups[g]] = number
    return result
