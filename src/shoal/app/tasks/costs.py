"""What closeness costs before it runs: what each column asks of the groups, and what the ways out would lose."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.app.tasks.bench import Bench, Source
from shoal.app.worker import Reporter
from shoal.errors import ShoalError
from shoal.files import SourceFile
from shoal.masking.inputs import Inputs
from shoal.measures import measure_release
from shoal.plan import Plan
from shoal.plan.keys import UNREFINED
from shoal.protect import Closeness
from shoal.protect.strata import strata_count
from shoal.run.pipeline import anonymize
from shoal.run.source import parsed

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
    rows = np.sort(np.random.default_rng(0).permutation(records)[:_MOST])
    sample = data.take(rows) if records > _MOST else data
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


def changed(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return values of a plan with other fields, and without refinement."""
    others = {**copy.deepcopy(values), "refine": UNREFINED}
    others.pop("refine_seconds", None)
    for path, value in changes.items():
        section, _, key = path.partition(".")
        if not key:
            others.pop(section, None)
        else:
            others[section][key] = value
    return others


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
