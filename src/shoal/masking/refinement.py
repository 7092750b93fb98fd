"""Refinement: the groups of a run improved where every promise can be kept, what came of it, and what it would save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any, NamedTuple

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
from shoal.progress import Progress
from shoal.protect import GUARANTEES, Rule
from shoal.protect.t_closeness import TCloseness
from shoal.refinement import Estimate, Refinement, estimate_saving, refinement

Rules = Mapping[str, tuple[Rule, ...]]
"""What groups must keep, by the guarantee that asks for it."""


class _Part(NamedTuple):
    """What refinement came to among some records: their loss, and whether they had two groups to move between."""

    before: float
    after: float
    repeatable: bool
    has_two_groups: bool


@dataclass(eq=False)
class Refiner:
    """The refinement of a run: its parts share the effort and the budget of time, and what they save is added up.

    Parts may be at work at once, and end in any order.
    """

    plan: Plan  # says how much to try
    inputs: Inputs  # what was read, for what cannot be refined
    # how many times all records are grouped: once for each block, twice where subjects are grouped before records
    passes: int = 1
    parts: list[_Part] = field(default_factory=list, init=False)  # what it came to, in the order in which parts ended
    # why parts were not refined, each reason once
    left_alone: dict[str, None] = field(default_factory=dict, init=False)

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
            self.left_alone[reason] = None
            return labels
        required = [rule for each in rules.values() for rule in each]
        result = self._refined(points, labels, k, required, len(points), progress)
        self._note(points, k, result)
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
            self.left_alone[
                f"groups of whole subjects are left as they were formed, because {asked[0]} is asked of all records "
                "behind them"
            ] = None
            return labels
        first = np.unique(points.subjects, return_index=True)[1]
        result = self._refined(of_subjects, labels[first], k, (), len(points), progress)
        better, before, after = _core.better_of(points.records(), labels, result.labels[points.subjects])
        self._note(of_subjects, k, replace(result, before=before, after=after))
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

    def _note(self, points: Points, k: int, result: Refinement) -> None:
        self.parts.append(_Part(result.before, result.after, result.repeatable, points.subject_count >= 2 * k))

    def to_dict(self) -> dict[str, Any]:
        """Return what came of it for the manifest: losses are squared distances of the points that were grouped."""
        reasons = list(self.left_alone)
        if not reasons and not any(part.has_two_groups for part in self.parts):
            reasons.append("there is nothing to move, because the records are too few for two groups of k")
        # Sums that are rounded once are the same in whichever order the parts ended.
        before, after = fsum(part.before for part in self.parts), fsum(part.after for part in self.parts)
        return {
            "effort": self.plan.refine,
            "loss_before": before,
            "loss_after": after,
            "saved_percent": round(100.0 * (1.0 - after / before) if before > 0 else 0.0, 4),
            "repeatable": all(part.repeatable for part in self.parts),
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
