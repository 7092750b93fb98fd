"""Refinement: the groups of a run improved where every promise can be kept, what came of it, and what it would save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.frames import Table
from shoal.masking.inputs import Inputs, read_inputs
from shoal.masking.steering import steered_points
from shoal.partitioners import METHODS
from shoal.plan import Plan
from shoal.plan.attribute_blocks import number_of_blocks
from shoal.plan.plan_keys import UNREFINED
from shoal.points import Points
from shoal.pool import Progress
from shoal.protect import GUARANTEES, Rule
from shoal.protect.t_closeness import TCloseness
from shoal.refinement import Estimate, Refinement, estimate_saving, refinement

Rules = Mapping[str, tuple[Rule, ...]]
"""What groups must keep, by the guarantee that asks for it."""


@dataclass(eq=False)
class Refiner:
    """The refinement of a run: its parts share the effort and the budget of time, and what they save is added up."""

    plan: Plan  # says how much to try
    inputs: Inputs  # what was read, for what cannot be refined
    # how many times all records are grouped: once for each block, twice where subjects are grouped before records
    passes: int = 1
    before: float = field(default=0.0, init=False)
    after: float = field(default=0.0, init=False)
    repeatable: bool = field(default=True, init=False)
    left_alone: list[str] = field(default_factory=list, init=False)
    has_two_groups: bool = field(default=False, init=False)
    """Whether some part is large enough for two groups, so that there is something to move."""
    _lock: Lock = field(default_factory=Lock, init=False)

    @property
    def is_asked(self) -> bool:
        """Whether the plan asks for it."""
        return self.plan.refine != UNREFINED

    def refine_records(
        self, points: Points, labels: NDArray[np.int64], k: int, rules: Rules, progress: Progress | None
    ) -> NDArray[np.int64]:
        """Return better groups of some records of the table, or the same where that cannot be sound."""
        reason = why_left_alone(self.plan, rules)
        if reason is not None:
            return self._left(labels, reason)
        result = self._refined(
            points, labels, k, [rule for each in rules.values() for rule in each], len(points), progress
        )
        self._add(result.before, result.after, repeatable=result.repeatable)
        return result.labels

    def refine_subjects(
        self,
        points: Points,
        of_subjects: Points,
        labels: NDArray[np.int64],
        k: int,
        rules: Rules,
        progress: Progress | None,
    ) -> NDArray[np.int64]:
        """Return better groups of whole subjects.

        Subjects are moved as one point each. What counts is what their records lose: where the new groups lose more of
        those, the old ones stay, part by part.
        """
        asked = [name for name, each in rules.items() if each]
        if asked:
            return self._left(
                labels,
                f"groups of whole subjects are left as they were formed, because {asked[0]} is asked of all records "
                "behind them",
            )
        first = np.unique(points.subjects, return_index=True)[1]
        result = self._refined(of_subjects, labels[first], k, (), len(points), progress)
        better, before, after = _core.better_of(points.records(), labels, result.labels[points.subjects])
        self._add(before, after, repeatable=result.repeatable)
        return better

    def _refined(
        self,
        points: Points,
        labels: NDArray[np.int64],
        k: int,
        rules: Sequence[Rule],
        records: int,
        progress: Progress | None,
    ) -> Refinement:
        with self._lock:
            self.has_two_groups |= points.subject_count >= 2 * k
        share = records / len(self.inputs)
        seconds = self.plan.refine_seconds
        result = refinement(
            points,
            labels,
            k,
            effort=self.plan.refine,
            seed=self.plan.seed,
            seconds=None if seconds is None else seconds * share / self.passes,
            share=share,
            rules=rules,
            progress=progress,
        )
        if result.interrupted:
            raise KeyboardInterrupt  # a run that was stopped releases nothing
        return result

    def _add(self, before: float, after: float, *, repeatable: bool) -> None:
        with self._lock:
            self.before += before
            self.after += after
            self.repeatable &= repeatable

    def _left(self, labels: NDArray[np.int64], reason: str) -> NDArray[np.int64]:
        with self._lock:
            if reason not in self.left_alone:
                self.left_alone.append(reason)
        return labels

    def to_dict(self) -> dict[str, Any]:
        """Return what came of it for the manifest: losses are squared distances of the points that were grouped."""
        reasons = list(self.left_alone)
        if not self.has_two_groups and not reasons:
            reasons.append("there is nothing to move, because the records are too few for two groups of k")
        saved = 100.0 * (1.0 - self.after / self.before) if self.before > 0 else 0.0
        return {
            "effort": self.plan.refine,
            "loss_before": self.before,
            "loss_after": self.after,
            "saved_percent": round(saved, 4),
            "repeatable": self.repeatable,
            **({"not_refined": reasons} if reasons else {}),
        }


def required_rules(rules: Rules, plan: Plan) -> Rules:
    """Return the rules that groups must keep: all but those that the plan gives up."""
    given_up = plan.given_up()
    return {name: each for name, each in rules.items() if each and name != given_up}


def why_left_alone(plan: Plan, rules: Rules) -> str | None:
    """Return why groups of records cannot be refined without breaking what was reached, in a clause; else None."""
    for name, each in rules.items():
        if each and GUARANTEES[name].merges_by_itself:
            return f"groups are left as they were formed, because {name} compares them with the groups around them"
    if plan.given_up() == TCloseness.name:
        return (
            "groups are left as they were formed, because t is not guaranteed and refining would undo what was reached"
        )
    return None


def refinement_sentence(content: Mapping[str, Any]) -> str:
    """Say what refinement came to, from a manifest.

    >>> refinement_sentence({"effort": "good", "saved_percent": 17.25, "repeatable": True})
    'good: 17.2 % of the loss saved'
    """
    words = f"{content['effort']}: {content['saved_percent']:.1f} % of the loss saved"
    if not content["repeatable"]:
        words += ", cut short by the time it had, so not repeatable"
    return "; ".join([words, *content.get("not_refined", ())])


def estimate_refinement(original: Table, labels: NDArray[np.int64], plan: Plan) -> Estimate | None:
    """Estimate what refining the groups of a release, which keeps all guarantees, would save of its loss.

    None where the plan asks for refinement, where groups of records are not what is averaged (values are mixed, blocks,
    whole subjects), or where refining could not keep what was reached.
    """
    if plan.refine != UNREFINED or METHODS[plan.method].masks_values or number_of_blocks(plan) > 1:
        return None
    inputs = read_inputs(original, plan)
    rules = required_rules(inputs.rules, plan)
    if inputs.constant or why_left_alone(plan, rules) is not None:
        return None
    points = steered_points(inputs, plan)
    if inputs.subjects is not None:
        points = points.about(inputs.subjects.numbers)
    asked = [rule for each in rules.values() for rule in each]
    return estimate_saving(points, labels, plan.k, seed=plan.seed, rules=asked, domains=inputs.domains)


def estimate_sentence(estimate: Estimate) -> str:
    """Say what refining would save.

    >>> estimate_sentence(Estimate(0.1234, 3012))
    'none; refine = "quick" would save about 12 % of the loss (estimated on 3,012 records)'
    """
    return (
        f'none; refine = "quick" would save about {100 * estimate.saved:.0f} % of the loss (estimated on '
        f"{estimate.records:,} records)"
    )
