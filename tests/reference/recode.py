"""Recodings cell by cell, as their definitions say."""

from __future__ import annotations

import math
from collections import defaultdict


def clipped(values, *, low=None, high=None, low_quantile=None, high_quantile=None):
    """Cut off at values or quantiles; None is missing, and stays."""
    there = sorted(value for value in values if value is not None)

    def at(share):
        return next(value for value in there if sum(v <= value for v in there) >= share * len(there))

    if there:
        low = at(low_quantile) if low_quantile is not None else low
        high = at(high_quantile) if high_quantile is not None else high
    result = []
    for value in values:
        if value is not None and low is not None and value < low:
            value = low
        if value is not None and high is not None and value > high:
            value = high
        result.append(value)
    return result


def rounded(values, base):
    """The nearest multiple; of two that are as near, the even one."""
    result = []
    for value in values:
        if value is None:
            result.append(None)
            continue
        below = math.floor(value / base)
        nearest = min((below, below + 1), key=lambda step: (abs(value / base - step), step % 2))
        result.append(nearest * base)
    return result


def merged(values, below, into="other", subjects=None):
    """One name for the categories that fewer than so many subjects have."""
    who = defaultdict(set)
    for place, value in enumerate(values):
        who[value].add(place if subjects is None else subjects[place])
    return [into if value is not None and len(who[value]) < below else value for value in values]
