"""Preflight: what a run will come to, and whether it can, said before the work."""

from __future__ import annotations

import numpy as np

from shoal.errors import GuaranteeError
from shoal.plan import Plan, ReleaseMode
from shoal.protect import Forecast, asked
from shoal.run.inputs import Inputs, listed


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
    """
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


def forecast(inputs: Inputs, plan: Plan) -> Forecast:
    """Say which group size a plan comes to on a table, and what its guarantees ask of the groups."""
    demand = plan.demand()
    parts = [guarantee.forecast(demand, inputs.rules[guarantee.name]) for guarantee in asked(demand)]
    sentences = tuple(sentence for part in parts for sentence in part.sentences)
    return Forecast(max(part.group_size for part in parts), sentences)


def constant_sentence(inputs: Inputs, plan: Plan) -> tuple[str, ...]:
    """Say which quasi-identifiers are masked once for all records of a subject, if any are."""
    if plan.release is ReleaseMode.PERMUTE or not inputs.constant:
        return ()
    names = [column.name for column in inputs.quasi_identifiers if column.name in inputs.constant]
    return (f"the same in all records of a subject, and masked once for all of them: {listed(names)}",)
