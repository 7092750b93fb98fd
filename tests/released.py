"""What a released table keeps, measured from the table alone, slowly and by the definitions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from reference import emd


def classes(frame, quasi):
    """The rows of each equivalence class."""
    found = {}
    for row, key in enumerate(frame.select(quasi).iter_rows()):
        found.setdefault(key, []).append(row)
    return list(found.values())


def smallest_class(frame, quasi):
    return min(map(len, classes(frame, quasi)))


def largest_distance(frame, quasi, name, distance=emd.ordered):
    """The largest distance of a class to the table, as a fraction."""
    values = frame[name].to_list()
    return max(distance([values[row] for row in rows], values) for rows in classes(frame, quasi))


def fewest_distinct(frame, quasi, name):
    values = frame[name].to_list()
    return min(len({values[row] for row in rows}) for rows in classes(frame, quasi))


def largest_ratio(frame, quasi, name, least):
    """Of recursive diversity: the commonest value against all but the `least` - 1 commonest."""
    values = frame[name].to_list()
    ratios = []
    for rows in classes(frame, quasi):
        counts = sorted(Counter(values[row] for row in rows).values(), reverse=True)
        tail = sum(counts[least - 1 :])
        ratios.append(Fraction(counts[0], tail) if tail else Fraction(10**9))
    return max(ratios)
