"""Weighted measures as their definitions read: every record as many times as it stands for people."""

from __future__ import annotations

from collections import defaultdict


def repeated(values, weights):
    """A record of whole weight w is w people."""
    return [value for value, weight in zip(values, weights, strict=True) for _ in range(int(weight))]


def people(classes, subjects, weights):
    """The people of each class: each subject once, by its least weight, and one at least."""
    found = defaultdict(dict)
    for place, number in enumerate(classes):
        who = place if subjects is None else subjects[place]
        found[number][who] = min(weights[place], found[number].get(who, weights[place]))
    return [max(sum(found[number].values()), len(found[number])) for number in sorted(found)]


def moved(before, after, weights, *, categories):
    """How far the mean moves in deviations, or the shares of categories."""
    x, y = repeated(before, weights), repeated(after, weights)
    if categories:
        return sum(abs(x.count(label) - y.count(label)) for label in {*x, *y}) / 2 / len(x)
    mean = sum(x) / len(x)
    deviation = (sum((value - mean) ** 2 for value in x) / len(x)) ** 0.5
    return abs(sum(y) / len(y) - mean) / deviation if deviation else 0.0
