"""Which of equally frequent categories a group takes, as the definition reads: every interval counted anew."""

from __future__ import annotations


def choose_tied(starts, categories, sizes, wanted):
    """Return the place of the category that each group takes."""
    groups, levels = len(sizes), len(wanted)
    listed = [list(range(starts[g], starts[g + 1])) for g in range(groups)]
    owed = [list(part) for part in _empty(levels)]
    for category in range(levels):
        _add(owed, category, float(wanted[category]))
    for g in range(groups):
        for place in listed[g]:
            _add(owed, int(categories[place]), -(float(sizes[g]) / len(listed[g])))
    behind = _empty(levels)
    chosen = []
    for g in range(groups):
        done = (g + 1) / groups
        for place in listed[g]:
            _add(behind, int(categories[place]), float(sizes[g]) / len(listed[g]))
        lacks = {place: _sum(behind, owed, int(categories[place]), done) for place in listed[g]}
        best = max(listed[g], key=lambda place: (lacks[place], -place))
        chosen.append(best)
        _add(behind, int(categories[best]), -float(sizes[g]))
    return chosen


def _empty(levels):
    """One number per category, per pair of categories, per four of them, and so on up to all."""
    parts = [[0.0] * levels]
    while len(parts[-1]) > 1:
        parts.append([0.0] * ((len(parts[-1]) + 1) // 2))
    return parts


def _add(parts, category, records):
    for level, part in enumerate(parts):
        part[category >> level] += records


def _sum(behind, owed, category, done):
    total = 0.0
    for level in range(len(behind)):
        total += behind[level][category >> level] + owed[level][category >> level] * done
    return total
