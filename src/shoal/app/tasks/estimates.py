"""What a plan will take and cost, tried on samples before it runs: how long, and what ways out of closeness lose."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.app.editor import with_fields
from shoal.app.tasks.bench import Bench, Source
from shoal.app.worker import Reporter
from shoal.errors import ShoalError
from shoal.files import SourceFile
from shoal.masking.inputs import Inputs
from shoal.masking.preflight import extrapolated
from shoal.measures import measure_release
from shoal.plan import Plan
from shoal.plan.plan_keys import UNREFINED
from shoal.protect import Closeness
from shoal.protect.strata import strata_count
from shoal.refinement import EFFORTS
from shoal.run.pipeline import anonymize
from shoal.run.source_parsing import parsed

_LEAST = "quick"
"""The effort that only moves records, by which moves are timed."""

_SMALLEST, _BUDGET = 200, 1.5
"""Records of the first sample, and seconds after which no larger one is tried."""


@dataclass(frozen=True)
class Duration:
    """The seconds that something takes, and of how many records that is known."""

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
    How much refinement tries is known beforehand (`shoal.refinement.Effort`), and hardly grows with the table: the time
    of a move and of a region is measured, and taken times their number. Within t a move takes the longer the larger the
    groups are, which grow with the table: there refinement is timed with the rest.
    """
    report.stage("checking")
    plan = Plan.from_mapping(values)
    apart = plan.refine != UNREFINED and plan.closeness is None
    plain = Plan.from_mapping(changed(values, {})) if apart else plan
    data = bench.table(source)
    records = len(data.frame)

    def grouped(size: int, plan: Plan) -> float | None:
        sample = parsed(_sample(data, size), plan).frame
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
    with_moves, refined = grouped(large, Plan.from_mapping(changed(values, {}, refine=_LEAST))), grouped(small, plan)
    if with_moves is None or refined is None:
        return None
    moves, all_steps = Duration(max(with_moves - last, 0.0), large), Duration(max(refined - first, 0.0), small)
    return Duration(grouping + _refining(plan, records, moves, all_steps), large)


def _refining(plan: Plan, records: int, moves: Duration, all_steps: Duration) -> float:
    """Return the seconds of refinement: of moves, timed by themselves, and of what else the effort does."""
    effort, least = EFFORTS[plan.refine], EFFORTS[_LEAST]
    of_a_move = moves.seconds / (moves.sampled * least.sweeps(moves.sampled, plan.k))
    size = all_steps.sampled
    rest = max(all_steps.seconds - of_a_move * size * effort.sweeps(size, plan.k), 0.0)
    regions = effort.regions(size, plan.k)
    of_a_region = rest / regions if regions else 0.0
    seconds = of_a_move * records * effort.sweeps(records, plan.k) + of_a_region * effort.regions(records, plan.k)
    return seconds if plan.refine_seconds is None else min(seconds, plan.refine_seconds)


def _sample(data: SourceFile, size: int) -> SourceFile:
    """Return some records of a table in their order, the same ones each time."""
    rows = np.random.default_rng(0).permutation(len(data.frame))[:size]
    return data.take(np.sort(rows))


_MOST = 5000
"""Records that ways out are tried on: each takes less than a second."""


@dataclass(frozen=True)
class Way:
    """A change of the plan: its name, the column it is about, and the fields that it sets by their paths."""

    name: str
    column: str
    changes: dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """A way that was tried, and what it would come to: the groups, and the percentage of the detail that is lost."""

    way: Way
    groups: int
    lost: float


@dataclass(frozen=True)
class Costs:
    """What the plan and its ways out would lose, tried on so many records."""

    records: int
    sampled: bool
    trials: tuple[Trial, ...]


def asked_of_groups(inputs: Inputs, plan: Plan) -> tuple[tuple[str, int], ...]:
    """Return how many records a group needs for each column that closeness protects, that which asks most first.

    Notes
    -----
    `strata_count`: the size from which a group that is spread over the column is within t, whatever its records are
    (Soria-Comas et al. 2015, Proposition 2, and a bound on categories). Where no size up to half of the table is enough
    it is a lower bound.
    """
    closeness = [rule for rules in inputs.rules.values() for rule in rules if isinstance(rule, Closeness)]
    sizes = {rule.attribute.name: strata_count(rule.attribute, plan.k, rule.t) for rule in closeness}
    return tuple(sorted(sizes.items(), key=lambda pair: -pair[1]))


def try_ways_out(
    bench: Bench, report: Reporter, source: Source, values: dict[str, Any], asked: tuple[tuple[str, int], ...]
) -> Costs:
    """Carry out the plan and its ways out on a sample, without refinement: which loses least is the same with it."""
    progress = report.stage("trying")
    data = bench.table(source)
    records = len(data.frame)
    sample = _sample(data, _MOST)
    ways = ways_out(values, asked)
    trials = []
    for place, way in enumerate(ways):
        progress(place, len(ways))
        trial = _trial(sample, way, changed(values, way.changes))
        if trial is not None:
            trials.append(trial)
    return Costs(min(records, _MOST), records > _MOST, tuple(trials))


def ways_out(values: dict[str, Any], asked: tuple[tuple[str, int], ...]) -> list[Way]:
    """Return changes of a plan with closeness that lose less, the plan itself first."""
    closeness = values["closeness"]
    names = [name for name, _ in asked]
    most, t = names[0], closeness["t"]
    by_name = t if isinstance(t, dict) else dict.fromkeys(names, t)
    ways = [Way("asked", "", {})]
    confidential = [n for n, about in values["attributes"].items() if about.get("role") == "confidential"]
    order = list(closeness.get("attributes") or confidential)
    if len(order) > 1:
        if order[0] != most and closeness.get("method", "t_first") == "t_first" and closeness.get("strata") != "all":
            ways.append(Way("lead", most, {"closeness.attributes": [most, *(n for n in order if n != most)]}))
        rest = [name for name in order if name != most]
        limits = {name: by_name[name] for name in rest} if isinstance(t, dict) else t
        ways.append(Way("without", most, {"closeness.attributes": rest, "closeness.t": limits}))
    looser = round(min(1.0, 2 * by_name[most]), 6)
    if looser > by_name[most]:
        wider: Any = {**{name: by_name[name] for name in order}, most: looser} if len(order) > 1 else looser
        ways.append(Way("looser", most, {"closeness.t": wider}))
    ways.append(Way("none", "", {"closeness": None}))
    return ways


def changed(values: dict[str, Any], changes: dict[str, Any], *, refine: str = UNREFINED) -> dict[str, Any]:
    """Return values of a plan with other fields and another refinement, none if left out, which may take its time."""
    return with_fields(values, {**changes, "refine": refine, "refine_seconds": None})


def _trial(sample: SourceFile, way: Way, values: dict[str, Any]) -> Trial | None:
    """Carry out a way on a sample; None where it does not go on this table."""
    try:
        plan = Plan.from_mapping(values)
        frame = parsed(sample, plan).frame
        release = anonymize(frame, plan)
        scores = measure_release(frame, release, plan, keys=["il_percent"])
    except ShoalError:
        return None
    score = scores.get("il_percent")
    return None if score is None else Trial(way, int(release.manifest["groups"]["count"]), float(score.value))
