"""Forecast: what a run will come to, said before it starts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from shoal.constrain import smallest_t
from shoal.constrain._steered import group_size
from shoal.constrain.strata import nested_counts, strata_count
from shoal.constrain.threshold import exact
from shoal.plan import Plan
from shoal.plan.protections import ClosenessMethod, ClosenessSection, Strata
from shoal.stages.demands import Demands


@dataclass(frozen=True)
class Forecast:
    """The group size to expect, and what to know about it.

    Parameters
    ----------
    group_size
        Records in a group before repairs.
    sentences
        For a person: what t asks of the groups, and what would be enough.
    """

    group_size: int
    sentences: tuple[str, ...] = ()


def forecast(demands: Demands, plan: Plan) -> Forecast:
    """Say which group size a plan comes to on a table.

    Parameters
    ----------
    demands
        The plan's demands, read from the table.
    plan
        What is asked.

    Notes
    -----
    P1 Proposition 1 tells the smallest distance that a group of k can have, Proposition 2 the size that is enough.
    """
    if plan.closeness is None or not demands.closeness:
        return Forecast(plan.k)
    if plan.closeness.method in (ClosenessMethod.T_FIRST, ClosenessMethod.STEERED):
        return _by_strata(demands, plan, plan.closeness)
    return _by_k(demands, plan)


def _by_strata(demands: Demands, plan: Plan, section: ClosenessSection) -> Forecast:
    leading = demands.closeness[0]
    size = strata_count(leading.attribute, plan.k, leading.t)
    names = leading.attribute.name
    if section.strata is Strata.ALL:
        attributes = [rule.attribute for rule in demands.closeness]
        counts = nested_counts(attributes, plan.k, [rule.t for rule in demands.closeness])
        size = math.prod(counts)
        names = ", ".join(attribute.name for attribute in attributes[: len(counts)])
    if section.method is ClosenessMethod.STEERED:
        size = group_size(leading.attribute, plan.k, leading.t)
    if not plan.guarantee:
        sentence = f"groups of {size} or more records are steered to spread {names}; t is not guaranteed"
        return Forecast(size, (sentence,))
    larger = f", though k = {plan.k} was asked" if size > plan.k else ""
    if plan.by is not None:  # each value has a distribution of its own, and how far that is from the table is not known
        sentence = (
            f"inside each value of by = {plan.by!r} groups of about {size} records{larger}, spread {names}, and are "
            f"merged until they are within t = {float(leading.t):g} of the whole table"
        )
        return Forecast(size, (sentence,))
    sentence = f"groups of {size} or more records keep {names} within t = {float(leading.t):g}{larger}"
    others = len(demands.closeness) - (names.count(", ") + 1)
    plural = "s" if others > 1 else ""
    rest = f"; for {others} more attribute{plural} groups are merged until they are close" if others else ""
    return Forecast(size, (sentence + rest,))


def _by_k(demands: Demands, plan: Plan) -> Forecast:
    sentences = []
    for rule in demands.closeness:
        least = smallest_t(rule.attribute.table_size, plan.k)
        if rule.attribute.distance == "ordered" and exact(rule.t) < least and demands.near is None:
            enough = strata_count(rule.attribute, plan.k, rule.t)
            sentences.append(
                f"no group of {plan.k} records without equal values is closer than {least:.4g} to the whole table in "
                f"{rule.attribute.name}, so groups grow to keep t = {float(rule.t):g}: k = {enough} with "
                f'closeness.method = "t_first" is enough, or t = {least:.4g} is the smallest for k = {plan.k}'
            )
    return Forecast(plan.k, tuple(sentences))
