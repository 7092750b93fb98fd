"""The way to closeness that a plan names, and what else of the plan it goes with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from shoal.constrain import WAYS, Way
from shoal.kinds import Scale
from shoal.plan.sections import CLOSENESS, refuse_unused_options, way_options
from shoal.protect import Closeness, Spread, asked

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def way_of(plan: Plan) -> Way | None:
    """Return the way to closeness that a plan names, if it asks for closeness."""
    section = getattr(plan, CLOSENESS)
    return None if section is None else WAYS[section.method]


def compares_on_unit_range(keys: Any) -> bool:
    """Whether the way that a plan's keys name compares quasi-identifiers on [0, 1]."""
    section = getattr(keys, CLOSENESS)
    return section is not None and WAYS[section.method].unit_range


def spread_of(plan: Plan) -> Callable[[Sequence[Closeness]], Spread] | None:
    """Return how the way that a plan names spreads its groups, if it does so by construction."""
    way, section = way_of(plan), getattr(plan, CLOSENESS)
    if way is None or way.spread is None:
        return None
    spread, k, options = way.spread, plan.k, way_options(section)
    return lambda rules: spread(rules, k, options)


def check_way(plan: Plan) -> None:
    """Refuse a partitioning method or a scale that the way to closeness would not use."""
    way = way_of(plan)
    if way is None:
        return
    section = getattr(plan, CLOSENESS)
    try:
        refuse_unused_options(section, WAYS, way.name, 'method = "{}"')
        for guarantee in asked(plan.demand()):
            if guarantee.merges_by_itself and way.form is not None:
                raise ValueError(f'{guarantee.key} is only used by method = "merge", and the method here is {way.name}')
    except ValueError as error:
        raise ValueError(f"closeness: {error}") from None
    if way.form is not None and plan.method != "mdav":
        raise ValueError(
            f"closeness.method = {way.name!r} forms its own groups, after mdav, and method {plan.method!r} would do "
            'nothing: leave it out, or set closeness.method = "merge"'
        )
    if way.unit_range and plan.scale is not Scale.MINMAX:
        raise ValueError(
            f'closeness.method = "{way.name}" compares quasi-identifiers on [0, 1], so scale must be "minmax": '
            "leave it out"
        )
