"""Mondrian, step by step."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.points import Points


def mondrian(points: Points, k: int) -> NDArray[np.int64]:
    """Label each record by its cell."""
    numbers = np.column_stack([points.coords, points.ranks * points.rank_steps])
    greatest = float(np.abs(numbers).max(initial=0.0))
    exponent = math.frexp(greatest)[1] if greatest else 0
    columns = [[math.ldexp(x, -exponent) for x in column] for column in numbers.T.tolist()]
    codes = points.codes.T.tolist()
    subjects = points.subjects.tolist() or list(range(len(points)))
    labels = np.empty(len(points), dtype=np.int64)
    groups = 0

    def spread_of_numbers(column, cell):
        total = squares = 0.0
        for row in cell:
            apart = column[row] - column[cell[0]]
            total += apart
            squares += apart * apart
        return (squares - total * total / len(cell)) / len(cell)

    def spread_of_codes(column, weight, cell):
        values = [column[row] for row in cell]
        same = float(sum(values.count(value) ** 2 for value in set(values)))
        return math.ldexp(weight, -2 * exponent) * (1.0 - same / (len(cell) * float(len(cell)))) / 2.0

    def cut(cell):
        nonlocal groups
        middle = len(cell) // k // 2 * k
        spreads = [spread_of_numbers(column, cell) for column in columns] + [
            spread_of_codes(column, weight, cell)
            for column, weight in zip(codes, points.code_weights.tolist(), strict=True)
        ]
        for attribute in sorted(range(len(spreads)), key=lambda j: (-spreads[j], j)) if middle else []:
            column = (columns + codes)[attribute]
            ordered = sorted(cell, key=lambda row: (column[row], row))
            halves = sorted(ordered[:middle]), sorted(ordered[middle:])
            if all(len({subjects[row] for row in half}) >= k for half in halves):
                for half in halves:
                    cut(half)
                return
        labels[cell] = groups
        groups += 1

    cut(list(range(len(points))))
    return labels
