"""How long groups take to form: measured on samples of the table, on this machine, before the work."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from shoal.partition import METHODS
from shoal.plan import Plan
from shoal.run.inputs import Inputs

SAMPLES = (4_096, 16_384)
"""Records of the two samples: a tenth of a second as a rule, and one at most."""


def seconds_to_group(inputs: Inputs, plan: Plan) -> float:
    """Return about how long the method takes for the groups of a table larger than the samples, on one processor."""
    chosen = np.random.default_rng(0).permutation(len(inputs))

    def taken(size: int) -> float:
        rows = np.sort(chosen[:size])
        points = inputs.encoder.apply([column.take(rows) for column in inputs.quasi_identifiers])
        started = time.thread_time()
        METHODS[plan.method].partition(points, plan.k)
        return time.thread_time() - started

    return extrapolated([(size, taken(size)) for size in SAMPLES], len(inputs))


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
    if len(known) > 1:
        before, earlier = known[-2]
        growth = min(max(math.log(seconds / earlier) / math.log(size / before), 1.0), 2.0)
    return seconds * math.pow(records / size, growth)
