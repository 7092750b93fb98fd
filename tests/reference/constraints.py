"""Constraints by their definitions: a function of a group's values and the table's gives (shortfall, met)."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction


def closeness(distance, t):
    def judge(group, table):
        found = distance(group, table)
        if t == 0:
            return (math.inf if found > 0 else 1.0), found == 0
        return float(found) / float(t), found <= t

    return judge


def distinct(least):
    return lambda group, table: (least / len(set(group)), len(set(group)) >= least)


def entropy(least):
    def judge(group, table):
        counts = [count for _, count in sorted(Counter(group).items())]
        found = max(math.log(len(group)) - sum(count * math.log(count) for count in counts) / len(group), 0.0)
        return least / math.exp(found), found >= math.log(least) * (1 - 1e-12)

    return judge


def recursive(c, least):
    c = Fraction(str(c))

    def judge(group, table):
        counts = sorted(Counter(group).values(), reverse=True)
        allowed = c * sum(counts[least - 1 :])
        if allowed == 0:
            return math.inf, False
        return float(Fraction(counts[0]) / allowed), counts[0] < allowed

    return judge


def dominance(share, weights, contributors):
    """The values of a group are its records: their weights, and whose they are, stand in two lists."""

    def judge(group, table):
        whole = sum(Fraction(weights[record]) for record in group)
        if whole == 0:
            return 0.0, True
        own = Counter()
        for record in group:
            own[contributors[record]] += Fraction(weights[record])
        found = max(own.values()) / whole
        return float(found) / share, found <= Fraction(share) * (1 + Fraction(1, 10**9))

    return judge
