"""Guarantees on confidential attributes, measured on the released table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.constrain import Closeness, DistinctDiversity, EntropyDiversity, PSensitivity, RecursiveDiversity, judge_near
from shoal.constrain.constraints import Constraint
from shoal.encode import encode
from shoal.frames import Table
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.blocks import waived
from shoal.run.release import Guarantee
from shoal.stages.demands import Demands, Diversity, read_demands
from shoal.stages.groups import strata_rows
from shoal.stages.inputs import read_inputs
from shoal.stages.steering import steering_of


def check_confidential(original: Table, released: Table, classes: NDArray[np.int64], plan: Plan) -> Iterator[Guarantee]:
    """Measure what ``[closeness]`` and ``[diversity]`` ask on the classes of the released table.

    Parameters
    ----------
    original
        Only for (n, t)-closeness: where a class stands among the others is told by its original records.
    released
        The table that would leave; confidential values are read from it.
    classes
        The class of each released record.
    plan
        What was asked.
    """
    demands = read_demands(released, plan)
    if demands.closeness and demands.near is None:
        yield _closeness(demands, classes, plan)
    elif demands.closeness:
        yield _near_closeness(original, demands, classes, plan)
    names = dict.fromkeys(_name(rule) for rule in demands.diversity)
    for name in names:
        yield _diversity(name, [rule for rule in demands.diversity if _name(rule) == name], classes)


def _closeness(demands: Demands, classes: NDArray[np.int64], plan: Plan) -> Guarantee:
    worst, holds = _worst(demands.closeness, classes)
    rule = demands.closeness[int(np.argmax(worst))]
    given_up = "t not guaranteed, the groups stay as they were steered: " if waived(plan) == "t_closeness" else ""
    return Guarantee(
        name="t_closeness",
        asked=float(rule.t),
        achieved=float(_distances(rule, classes).max()),
        holds=holds,
        definition=(
            f"{given_up}the confidential values of every class of the released table are at an earth mover's distance "
            "of at most t from those of the whole table"
        ),
        note=_note([(rule, float(_distances(rule, classes).max())) for rule in demands.closeness], plan),
    )


def _near_closeness(original: Table, demands: Demands, classes: NDArray[np.int64], plan: Plan) -> Guarantee:
    assert demands.near is not None
    inputs = read_inputs(original, plan)
    points = steering_of(inputs, plan)(encode(inputs.quasi_identifiers, plan))
    # Neighbourhoods stay inside a value of ``by``, as groups do.
    rows_of = [np.arange(len(points))] if inputs.strata is None else strata_rows(inputs.strata)
    worst, holds = [0.0] * len(demands.closeness), True
    for rows in rows_of:
        near, labels = points.take(rows), np.unique(classes[rows], return_inverse=True)[1]
        for place, rule in enumerate(demands.take(rows).closeness):
            verdict = judge_near(near, labels, [rule], demands.near)
            worst[place] = max(worst[place], float(verdict.shortfall.max()))
            holds &= bool(verdict.met.all())
    rule = demands.closeness[int(np.argmax(worst))]
    reached = [(rule, rule.reached(short)) for rule, short in zip(demands.closeness, worst, strict=True)]
    return Guarantee(
        name="n_t_closeness",
        asked=float(rule.t),
        achieved=rule.reached(max(worst)),
        holds=holds,
        definition=(
            f"the confidential values of every class are at an earth mover's distance of at most t from those of its "
            f"{demands.near} or more nearest records, or of the whole table"
        ),
        note=_note(reached, plan),
    )


def _diversity(name: str, rules: Sequence[Diversity], classes: NDArray[np.int64]) -> Guarantee:
    worst, holds = _worst(rules, classes)
    rule = rules[int(np.argmax(worst))]
    asked, definition = _words(rule)
    return Guarantee(
        name=name,
        asked=asked,
        achieved=rule.reached(max(worst)),
        holds=holds,
        definition=definition,
        note=_per_attribute([(rule, rule.reached(short)) for rule, short in zip(rules, worst, strict=True)]),
    )


def _words(rule: Diversity) -> tuple[float, str]:
    match rule:
        case DistinctDiversity():
            return rule.l, "every class of the released table has at least so many different confidential values"
        case EntropyDiversity():
            return rule.l, "the entropy of the confidential values of every class is at least the logarithm of this"
        case RecursiveDiversity():
            return rule.c, (
                f"in every class the commonest confidential value occurs less than c times as often as all but the "
                f"{rule.l - 1} commonest together"
            )


def _name(rule: Diversity) -> str:
    match rule:
        case PSensitivity():
            return "p_sensitivity"
        case DistinctDiversity():
            return "distinct_l_diversity"
        case EntropyDiversity():
            return "entropy_l_diversity"
        case RecursiveDiversity():
            return "recursive_c_l_diversity"


def _worst(rules: Sequence[Constraint], classes: NDArray[np.int64]) -> tuple[list[float], bool]:
    """Return the largest shortfall of each rule, and whether all are kept by all classes."""
    count = int(classes.max()) + 1
    judged = [rule.kernel.judge(classes, count) for rule in rules]
    return [float(shortfall.max()) for shortfall, _ in judged], all(bool(met.all()) for _, met in judged)


def _distances(rule: Closeness, classes: NDArray[np.int64]) -> NDArray[np.float64]:
    return rule.attribute.kernel.distances(classes, int(classes.max()) + 1)


def _per_attribute(reached: Sequence[tuple[Constraint, float]]) -> str:
    if len(reached) == 1:
        return ""
    return "By attribute: " + ", ".join(f"{rule.attribute.name} {value:.4g}" for rule, value in reached) + "."


def _note(reached: Sequence[tuple[Closeness, float]], plan: Plan) -> str:
    names = {rule.attribute.name for rule, _ in reached}
    rest = [name for name in plan.names(Role.CONFIDENTIAL) if name not in names]
    unprotected = f"Not protected: {', '.join(rest)}." if rest else ""
    return " ".join(part for part in (_per_attribute(reached), unprotected) if part)
