"""Attacks as their definitions read, slowly: every person against every released record."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Distance = Callable[[int, int], float]
"""From a person and a released record to how far they are apart."""


def linkage(n: int, distance: Distance, subjects: Sequence[int], alike: Sequence[int]) -> list[float]:
    """The chance against each record: its own among those nearest, where equal knowledge is equally likely meant.

    ``alike`` numbers the records of which the same is known: they are told apart by nobody.
    """
    found = []
    for person in range(n):
        everybody = [other for other in range(n) if alike[other] == alike[person]]
        least = min(distance(person, record) for record in range(n))
        tied = [record for record in range(n) if distance(person, record) == least]
        persons = len({subjects[record] for record in tied})
        found.append(sum(other in tied for other in everybody) / len(everybody) / persons)
    return found


def mean_ranks(values: Sequence[float]) -> list[float]:
    """The mean of the places that a value has in the order, from 0."""
    ordered = sorted(values)
    return [float(np.mean([place for place, other in enumerate(ordered) if other == value])) for value in values]


def cheapest_assignment(costs: NDArray[np.float64], capacities: Sequence[int]) -> float:
    """The least sum of costs when every person gets a slot of its own: all ways are tried."""
    slots = [c for c, many in enumerate(capacities) for _ in range(many)]
    people = range(len(costs))
    return min(
        sum(costs[person, slot] for person, slot in zip(people, chosen, strict=True))
        for chosen in itertools.permutations(slots, len(costs))
    )


def satisfying(table: NDArray[np.float64], columns: Sequence[int], bounds: Sequence[tuple[float, float]]) -> list[int]:
    """The rows that lie inside every bound."""
    return [
        row
        for row in range(len(table))
        if all(low <= table[row, column] <= high for column, (low, high) in zip(columns, bounds, strict=True))
    ]


def insider(values: Sequence[int]) -> list[float]:
    """The chance against each of a class by any other in it, who guesses the commonest of what is left."""
    found = []
    for target in range(len(values)):
        chances = []
        for who in range(len(values)):
            if who != target:
                left = [value for place, value in enumerate(values) if place != who]
                most = max(left.count(value) for value in left)
                modes = {value for value in left if left.count(value) == most}
                chances.append((values[target] in modes) / len(modes))
        found.append(sum(chances) / len(chances))
    return found
