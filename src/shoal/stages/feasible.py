"""Feasible: whether any partition can keep what a plan asks of a table, told before the work."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.constrain.constraints import require_possible
from shoal.errors import GuaranteeError
from shoal.partition.registry import METHODS
from shoal.plan import Plan
from shoal.plan.blocks import waived
from shoal.stages.inputs import Inputs


def require_feasible(inputs: Inputs, plan: Plan) -> None:
    """Refuse what not even the coarsest partition keeps: all records in one group, or all of each value of ``by``.

    Parameters
    ----------
    inputs
        The table, read by the plan.
    plan
        What is asked.

    Raises
    ------
    GuaranteeError
        With the best that the table allows.

    Notes
    -----
    A union of groups falls short of a rule by no more than the worse of its parts, so the coarsest partition is the
    best that merging can come to. Only (n, t)-closeness is not so: its neighbourhoods depend on the groups.
    """
    demands = inputs.demands
    unjudged = demands.near is not None or waived(plan) == "t_closeness"
    rules = demands.diversity if unjudged else demands.rules
    if inputs.strata is None:
        require_possible(rules)
        return
    strata = np.unique(inputs.strata, return_inverse=True)[1]
    if METHODS[plan.method].attributes != "mixed":
        _require_records(np.bincount(strata), plan)
    try:
        require_possible(rules, strata)
    except GuaranteeError as error:
        raise GuaranteeError(f"inside a value of by = {plan.by!r}, {error}", reached=error.reached) from None


def _require_records(sizes: NDArray[np.int64], plan: Plan) -> None:
    small = int((sizes < plan.k).sum())
    if small:
        raise GuaranteeError(
            f"by = {plan.by!r} has {small} of {len(sizes)} values with fewer than k = {plan.k} records, the fewest "
            f"{sizes.min()}: lower k, merge its values, or leave by out",
            reached=int(sizes.min()),
        )
