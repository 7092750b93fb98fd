"""Rules: what the confidential values of a group must keep, as merging, swapping and checking ask it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.classes import subjects_of_each
from shoal.errors import DataError, GuaranteeError
from shoal.points import Points
from shoal.protect.confidential import Confidential


class Rule(Protocol):
    """A rule that a group's values of one confidential attribute must keep."""

    @property
    def attribute(self) -> Confidential:
        """The attribute it speaks of."""

    @property
    def rule(self) -> str:
        """What it asks, in words for messages."""

    @property
    def kernel(self) -> _core.Constraint:
        """Its compiled side, the one judge of all algorithms."""

    def reached(self, shortfall: float) -> float:
        """Value that a group with this shortfall has of what the rule limits."""


AnyRule = TypeVar("AnyRule", bound=Rule)


def of_records(rules: Sequence[AnyRule], rows: NDArray[np.int64]) -> tuple[AnyRule, ...]:
    """Return the rules for some of the records, which are still compared with the whole table."""
    return tuple(replace(rule, attribute=rule.attribute.take(rows)) for rule in rules)  # type: ignore[type-var]


def met(rules: Sequence[Rule], labels: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """Say for each of ``count`` groups whether it keeps all rules."""
    verdict = np.ones(count, dtype=np.bool_)
    for rule in rules:
        verdict &= rule.kernel.judge(labels, count)[1].view(np.bool_)
    return verdict


class Shortfalls(NamedTuple):
    """The largest shortfall of each rule over all classes, and whether all classes keep all rules."""

    worst: list[float]
    holds: bool


def worst_shortfalls(rules: Sequence[Rule], classes: NDArray[np.int64]) -> Shortfalls:
    """Return the largest shortfall of each rule over all classes, and whether all classes keep all rules."""
    count = int(classes.max()) + 1
    judged = [rule.kernel.judge(classes, count) for rule in rules]
    worst = [float(shortfall.max()) for shortfall, _ in judged]
    return Shortfalls(worst, all(bool(is_met.all()) for _, is_met in judged))


class Breach(NamedTuple):
    """The group that falls furthest short of a rule, and the value it has of what the rule limits."""

    group: int
    reached: float


def worst_breach(rule: Rule, labels: NDArray[np.int64]) -> Breach | None:
    """Return the worst of the groups that do not keep a rule; None where all do."""
    shortfall, is_met = rule.kernel.judge(labels, int(labels.max()) + 1)
    if is_met.all():
        return None
    group = int(np.argmax(np.where(is_met, -np.inf, shortfall)))
    return Breach(group, rule.reached(float(shortfall[group])))


def require_possible(rules: Sequence[Rule], labels: NDArray[np.int64] | None = None) -> None:
    """Refuse rules that even the coarsest groups do not keep: those of ``labels``, or the whole table as one.

    Notes
    -----
    A union of groups falls short of a rule by no more than the worse of its parts, so the coarsest partition is the
    best that merging can come to.
    """
    for rule in rules:
        coarsest = np.zeros(len(rule.attribute), dtype=np.int64) if labels is None else labels
        breach = worst_breach(rule, coarsest)
        if breach is not None:
            size = int((coarsest == breach.group).sum())
            raise GuaranteeError(
                f"{rule.attribute.name} cannot have {rule.rule}: even all {size} records in one group reach "
                f"only {breach.reached:.4g}, so ask for less",
                reached=breach.reached,
            )


def require_start(points: Points, labels: NDArray[np.int64], k: int, rules: Sequence[Rule] = ()) -> None:
    """Refuse groups to start from that break k or a rule: what they promise at the start they promise in the end."""
    sizes = subjects_of_each(labels, points.subjects if points.subjects.size else None)
    smallest = int(sizes.argmin())
    if sizes[smallest] < k:
        of = "different subjects" if points.subjects.size else "records"
        raise DataError(
            f"labels break k at the start: group {smallest} has {sizes[smallest]} {of}, and k is {k}, so form "
            "groups of at least k first"
        )
    for rule in rules:
        if len(rule.attribute) != len(points):
            raise DataError(
                f"{rule.attribute.name} has {len(rule.attribute)} values for {len(points)} records: they must match "
                "one to one"
            )
        breach = worst_breach(rule, labels)
        if breach is not None:
            raise DataError(
                f"labels break a rule at the start: {rule.attribute.name} must have {rule.rule} in every group, but "
                f"group {breach.group} reaches {breach.reached:.4g}, so merge groups first (shoal.constrain.repair)"
            )
