"""How long a run will take: measured on samples of the table, on this machine, before anything runs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.app.tasks.bench import Bench, Source
from shoal.app.worker import Reporter
from shoal.errors import ShoalError
from shoal.masking.preflight import extrapolated
from shoal.plan import Plan
from shoal.plan.keys import UNREFINED
from shoal.refinement import EFFORTS
from shoal.run.pipeline import anonymize
from shoal.run.source import parsed

_LEAST = "quick"
"""The effort that only moves records, by which moves are timed."""

_SMALLEST, _BUDGET = 200, 1.5
"""Records of the first sample, and seconds after which no larger one is tried."""


@dataclass(frozen=True)
class Duration:
    """An estimate: the seconds that grouping will take, and of how many records that is known."""

    seconds: float
    sampled: int


@dataclass(frozen=True)
class _Timing:
    """What a step of refinement took on a sample of so many records."""

    records: int
    seconds: float


def estimate_duration(bench: Bench, report: Reporter, source: Source, values: dict[str, Any]) -> Duration | None:
    """Group samples that grow until the budget is spent, and go on at the pace by which their time grew.

    Returns
    -------
    Duration or None
        None where no sample can be grouped by the plan, as with a t that only the whole table allows.

    Notes
    -----
    How much refinement tries is known beforehand (`shoal.refinement.Effort`), and hardly grows with the table: the time
    of a move and of a region is measured, and taken times their number. Within t a move takes the longer the larger the
    groups are, which grow with the table: there refinement is timed with the rest.
    """
    report.stage("checking")
    plan = Plan.from_mapping(values)
    apart = plan.refine != UNREFINED and plan.closeness is None
    plain = _with_refinement(values, UNREFINED) if apart else plan
    data = bench.table(source)
    records = len(data.frame)
    order = np.random.default_rng(0).permutation(records)

    def grouped(size: int, plan: Plan) -> float | None:
        sample = parsed(data.take(np.sort(order[:size])), plan).frame
        started = time.perf_counter()
        try:
            anonymize(sample, plan)
        except ShoalError:  # a larger sample may do
            return None
        return time.perf_counter() - started

    size = min(max(_SMALLEST, 4 * plan.k), records)
    timings: list[tuple[int, float]] = []  # records and seconds
    grouped(size, plain)  # what the first run loads, the others find
    begun = time.perf_counter()
    while True:
        started = time.perf_counter()
        if (seconds := grouped(size, plain)) is not None:
            timings.append((size, seconds))
        last, spent = time.perf_counter() - started, time.perf_counter() - begun
        if size == records or spent + 2 * last > _BUDGET:
            break
        size = min(2 * size, records)
    if not timings:
        return None
    (small, first), (large, last) = timings[0], timings[-1]
    grouping = extrapolated(timings, records)
    if not apart:
        return Duration(grouping, large)
    with_moves, refined = grouped(large, _with_refinement(values, _LEAST)), grouped(small, plan)
    if with_moves is None or refined is None:
        return None
    moves, all_steps = _Timing(large, max(with_moves - last, 0.0)), _Timing(small, max(refined - first, 0.0))
    return Duration(grouping + _refining(plan, records, moves, all_steps), large)


def _with_refinement(values: dict[str, Any], name: str) -> Plan:
    others = {key: value for key, value in values.items() if key != "refine_seconds"}
    return Plan.from_mapping({**others, "refine": name})


def _refining(plan: Plan, records: int, moves: _Timing, all_steps: _Timing) -> float:
    """Return the seconds of refinement: of moves, timed by themselves, and of what else the effort does."""
    effort, least = EFFORTS[plan.refine], EFFORTS[_LEAST]
    of_a_move = moves.seconds / (moves.records * least.sweeps(moves.records, plan.k))
    size = all_steps.records
    rest = max(all_steps.seconds - of_a_move * size * effort.sweeps(size, plan.k), 0.0)
    regions = effort.regions(size, plan.k)
    of_a_region = rest / regions if regions else 0.0
    seconds = of_a_move * records * effort.sweeps(records, plan.k) + of_a_region * effort.regions(records, plan.k)
    return seconds if plan.refine_seconds is None else min(seconds, plan.refine_seconds)
