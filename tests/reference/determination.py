"""How far one column tells another, and rank correlation, record by record."""

from __future__ import annotations

from collections import Counter
from statistics import mean


def determination(determinant, dependent):
    """Return (compared, exceptions, surprises), see `shoal.giveaways.dependencies`."""
    determinant, dependent = list(determinant), list(dependent)
    together = {}
    for value, other in zip(determinant, dependent, strict=True):
        together.setdefault(value, Counter())[other] += 1
    repeated = {value: counts for value, counts in together.items() if sum(counts.values()) > 1}
    most = max(Counter(dependent).values())
    commonest = next(value for value in dict.fromkeys(dependent) if Counter(dependent)[value] == most)
    compared = sum(sum(counts.values()) for counts in repeated.values())
    exceptions = sum(sum(counts.values()) - max(counts.values()) for counts in repeated.values())
    surprises = sum(
        1 for value, other in zip(determinant, dependent, strict=True) if value in repeated and other != commonest
    )
    return compared, exceptions, surprises


def spearman(one, other):
    """Return the rank correlation of two columns over the records that both have; 0 where it is not defined."""
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a == a and b == b]
    ranks = [_ranks([pair[side] for pair in pairs]) for side in (0, 1)]
    centred = [[rank - mean(side) for rank in side] for side in ranks]
    spread = (sum(a * a for a in centred[0]) * sum(b * b for b in centred[1])) ** 0.5
    return sum(a * b for a, b in zip(*centred, strict=True)) / spread if spread else 0.0


def _ranks(values):
    return [sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values]
