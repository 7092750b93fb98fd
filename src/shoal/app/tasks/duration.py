"""How long a run will take: measured on samples of the table, on this machine, before anything runs."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.app.tasks.bench import Bench, Source
from shoal.app.worker import Reporter
from shoal.errors import ShoalError
from shoal.plan import Plan
from shoal.run.parsed import parsed
from shoal.run.pipeline import anonymize

_SMALLEST, _BUDGET = 200, 1.5
"""Records of the first sample, and seconds after which no larger one is tried."""


@dataclass(frozen=True)
class Duration:
    """An estimate: the seconds that grouping will take, and of how many records that is known."""

    seconds: float
    sampled: int


def estimate_duration(bench: Bench, report: Reporter, source: Source, values: dict[str, Any]) -> Duration | None:
    """Group samples that grow until the budget is spent, and go on at the pace by which their time grew.

    Returns
    -------
    Duration or None
        None where no sample can be grouped by the plan, as with a t that only the whole table allows.

    Notes
    -----
    Time is taken to grow at least as the records and at most as their square: what methods and searches do.
    """
    report.stage("checking")
    plan = Plan.from_mapping(values)
    data = bench.table(source)
    records = len(data.frame)
    chosen = np.random.default_rng(0).permutation(records)
    size, begun = min(max(_SMALLEST, 4 * plan.k), records), time.perf_counter()
    known: list[tuple[int, float]] = []
    while True:
        sample = parsed(data.take(np.sort(chosen[:size])), plan).frame
        started = time.perf_counter()
        try:
            anonymize(sample, plan)
            known.append((size, time.perf_counter() - started))
        except ShoalError:  # a larger sample may do
            pass
        last, spent = time.perf_counter() - started, time.perf_counter() - begun
        if size == records or spent + 2 * last > _BUDGET:
            return _extrapolated(known, records) if known else None
        size = min(2 * size, records)


def _extrapolated(known: list[tuple[int, float]], records: int) -> Duration:
    size, seconds = known[-1]
    growth = 1.0
    if len(known) > 2:  # the first run loads what the others find
        before, earlier = known[-2]
        growth = min(max(math.log(seconds / earlier) / math.log(size / before), 1.0), 2.0)
    return Duration(seconds * (records / size) ** growth, size)
