"""What refining would have saved, where a plan does not ask for it: estimated on a sample."""

from __future__ import annotations

from shoal.frames import Table
from shoal.masking.grouping import required_rules
from shoal.masking.inputs import read_inputs
from shoal.masking.refinement import why_left_alone
from shoal.masking.steering import steered_points
from shoal.partitioners import METHODS
from shoal.plan import Plan
from shoal.plan.attribute_blocks import number_of_blocks
from shoal.plan.keys import UNREFINED
from shoal.refinement import Estimate, estimate_saving
from shoal.run.release import Release


def estimate_refinement(original: Table, release: Release, plan: Plan) -> Estimate | None:
    """Estimate what refining the groups of a release would save of its loss.

    Parameters
    ----------
    original, release, plan
        The table, what came of it in the same order of rows, and what was asked.

    Returns
    -------
    The estimate, or None where the plan asks for refinement, where groups of records are not what is averaged (values
    are mixed, blocks, whole subjects), or where refining could not keep what was reached.
    """
    if plan.refine != UNREFINED or METHODS[plan.method].masks_values or number_of_blocks(plan) > 1:
        return None
    if not release.guarantees.holds:
        return None
    inputs = read_inputs(original, plan)
    rules = required_rules(inputs.rules, plan)
    if inputs.constant or why_left_alone(plan, rules) is not None:
        return None
    points = steered_points(inputs, plan)
    if inputs.subjects is not None:
        points = points.about(inputs.subjects.numbers)
    asked = [rule for each in rules.values() for rule in each]
    return estimate_saving(points, release.labels, plan.k, seed=plan.seed, rules=asked, domains=inputs.domains)


def estimate_sentence(estimate: Estimate) -> str:
    """Say what refining would save.

    Examples
    --------
    >>> estimate_sentence(Estimate(0.1234, 3012))
    'none; refine = "quick" would save about 12 % of the loss (estimated on 3,012 records)'
    """
    return (
        f'none; refine = "quick" would save about {100 * estimate.saved:.0f} % of the loss (estimated on '
        f"{estimate.records:,} records)"
    )
