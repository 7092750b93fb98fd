"""Preflight: what a run will come to, how long it takes, and whether it can, said before the work."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

import numpy as np

from shoal.errors import GuaranteeError, listed
from shoal.frames import Table
from shoal.masking.attribute_blocks import AttributeBlocks
from shoal.masking.inputs import Inputs, read_inputs
from shoal.masking.steering import steering_of
from shoal.masking.totals import require_followable
from shoal.partitioners import METHODS
from shoal.plan import Plan, ReleaseMode
from shoal.plan.registered_keys import way_of
from shoal.points import comparable
from shoal.protect import Closeness, Forecast, asked

K_FIRST = "k_first"
_SECONDS, _GROWTH = 2e-7, 1.4  # that swaps in vain take, by a power of the records (benchmarks/slow_on_purpose.py)
_WORTH_SAYING = 10.0  # seconds
_SEARCHES, _ATTRIBUTES, _RECORDS = ("mdav", "vmdav"), 8, 100_000  # below which no search takes so long


def read_feasible(table: Table, plan: Plan) -> Inputs:
    """Read the columns that the plan works on, and refuse what cannot be reached on them."""
    inputs = read_inputs(table, plan)
    require_followable(inputs.constant, plan)
    require_feasible(inputs, plan)
    return inputs


def require_feasible(inputs: Inputs, plan: Plan) -> None:
    """Refuse what not even the coarsest partition keeps: all records in one group, or all of each value of ``by``."""
    demand = plan.demand()
    domains = None if inputs.domains is None else np.unique(inputs.domains, return_inverse=True)[1]
    for guarantee in asked(demand):
        rules = inputs.rules[guarantee.name]
        if rules and guarantee.name == demand.given_up:
            continue  # k has no rules: also where it is given up for the whole record, each part is in groups of k
        try:
            guarantee.require_feasible(demand, rules, domains, inputs.subjects)
        except GuaranteeError as error:
            if domains is None or not rules:
                raise
            raise GuaranteeError(f"inside a value of by = {plan.by!r}, {error}", reached=error.reached) from None


def require_comparable(inputs: Inputs, plan: Plan) -> None:
    """Refuse scales and weights by which records cannot be compared, as a run does when it comes to them."""
    division, steering = AttributeBlocks.of(inputs, plan), steering_of(inputs, plan)
    for block in division.blocks:
        comparable(steering(division.points_of(block)))


def forecast(inputs: Inputs, plan: Plan) -> Forecast:
    """Say which group size a plan comes to on a table, and what its guarantees ask of the groups."""
    demand = plan.demand()
    parts = [guarantee.forecast(demand, inputs.rules[guarantee.name]) for guarantee in asked(demand)]
    sentences = tuple(sentence for part in parts for sentence in part.sentences)
    return Forecast(max(part.group_size for part in parts), sentences)


def sentences_before(inputs: Inputs, plan: Plan) -> Iterator[str]:
    """Say which quasi-identifiers are masked once for all records of a subject, and what will take how long."""
    names = [column.name for column in inputs.quasi_identifiers if column.name in inputs.constant]
    if names and plan.release is not ReleaseMode.PERMUTE:
        yield f"the same in all records of a subject, and masked once for all of them: {listed(names)}"
    yield from _slow_search(inputs, plan)
    yield from _slow_swaps(inputs, plan)


def _slow_search(inputs: Inputs, plan: Plan) -> Iterator[str]:
    """Say how long it takes to find groups among many records that differ in many attributes, if it does."""
    attributes = sum(map(len, inputs.encoder.places([column.name for column in inputs.quasi_identifiers])))
    few = len(inputs) < _RECORDS or attributes < _ATTRIBUTES
    if few or plan.method not in _SEARCHES or plan.blocks is not None or inputs.domains is not None:
        return
    seconds = seconds_to_group(inputs, plan)
    if seconds >= _WORTH_SAYING:
        yield (
            f"{plan.method} looks at most of {len(inputs):,} records for each group, as they are compared in "
            f"{attributes} attributes: expect about {seconds:.0f} seconds for the groups, or let by divide the table"
        )


def _slow_swaps(inputs: Inputs, plan: Plan) -> Iterator[str]:
    """Say how long swaps of ``k_first`` take where no group is within t, if they do.

    Swaps of ``k_first`` end when a group is within t. k records cover at most the k commonest categories; where even
    these leave more than t, every group goes on until no record improves it, and the time grows faster than the
    records.
    """
    way = way_of(plan)
    seconds = _SECONDS * len(inputs) ** _GROWTH
    if way is None or way.name != K_FIRST or seconds < _WORTH_SAYING:
        return
    rules = (rule for each in inputs.rules.values() for rule in each if isinstance(rule, Closeness))
    names = [rule.attribute.name for rule in rules if _out_of_reach(rule, plan.k)]
    if names:
        yield (
            f"no {plan.k} records are within t on {listed(names)}, so that the swaps of {K_FIRST} look far for each "
            f"group: expect about {seconds:.0f} seconds, or take merge"
        )


def _out_of_reach(rule: Closeness, k: int) -> bool:
    """Say whether k records of different categories, at equal distances, cannot be within t."""
    if rule.attribute.distance != "equal":
        return False
    commonest = np.sort(rule.attribute.counts)[::-1][:k]
    return bool(1 - commonest.sum() / rule.attribute.counts.sum() > float(rule.t))


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
    samples = [(size, taken(size))]
    while samples[-1][1] < LONGEST and size < min(LARGEST, len(inputs)):
        size = min(TIMES * size, len(inputs))
        samples.append((size, taken(size)))
    return extrapolated(samples, len(inputs))


def extrapolated(samples: Sequence[tuple[int, float]], records: int) -> float:
    """Go on at the pace by which times grew from sample to sample.

    Time is taken to grow at least as the records and at most as their square: what methods and searches do.

    >>> extrapolated([(100, 1.0), (200, 4.0)], 400)
    16.0
    >>> extrapolated([(100, 1.0)], 400)
    4.0
    """
    size, seconds = samples[-1]
    growth = 1.0
    if len(samples) > 1 and min(seconds, samples[-2][1]) > 0:  # a coarse clock may have seen nothing
        before, earlier = samples[-2]
        growth = min(max(math.log(seconds / earlier) / math.log(size / before), 1.0), 2.0)
    return seconds * math.pow(records / size, growth)
