"""How long groups take to form: measured on samples of the table, on this machine, before the work."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from shoal.masking.inputs import Inputs
from shoal.partitioners import METHODS
from shoal.plan import Plan

SMALLEST, LARGEST, TIMES = 1_024, 16_384, 4
"""Records of the first sample and the last, but for larger groups, and how many times as many the next one has."""
LONGEST = 0.1
"""Seconds from which on a sample is large enough: the next one would take up to sixteen times as long."""


def seconds_to_group(inputs: Inputs, plan: Plan) -> float:
    """Return about how long the method takes for the groups of a table, on one processor."""
    chosen = np.random.default_rng(0).permutation(len(inputs))

    def taken(size: int) -> float:
        rows = np.sort(chosen[:size])
        points = inputs.encoder.apply([column.take(rows) for column in inputs.quasi_identifiers])
        started = time.thread_time()
        METHODS[plan.method].partition(points, plan.k)
        return time.thread_time() - started

    size = min(max(SMALLEST, TIMES * plan.k), len(inputs))
    known = [(size, taken(size))]
    while known[-1][1] < LONGEST and size < min(LARGEST, len(inputs)):
        size = min(TIMES * size, len(inputs))
        known.append((size, taken(size)))
    return extrapolated(known, len(inputs))


def extrapolated(known: Sequence[tuple[int, float]], records: int) -> float:
    """Go on at the pace by which times grew from sample to sample.

    Time is taken to grow at least as the records and at most as their square: what methods and searches do.

    Examples
    --------
    >>> extrapolated([(100, 1.0), (200, 4.0)], 400)
    16.0
    >>> extrapolated([(100, 1.0)], 400)
    4.0
    """
    size, seconds = known[-1]
    growth = 1.0
    if len(known) > 1 and min(seconds, known[-2][1]) > 0:  # a coarse clock may have seen nothing
        before, earlier = known[-2]
        growth = min(max(math.log(seconds / earlier) / math.log(size / before), 1.0), 2.0)
    return seconds * math.pow(records / size, growth)
