"""The columns that leave: which of them change, a permutation of records, and the one cell of each domain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.aggregate import permute_within
from shoal.frames import FrameColumn, Rows, Table
from shoal.kinds import Operator
from shoal.masking.inputs import Inputs
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.protect.probabilistic_k_anonymity import unchanged_groups


def permuted_columns(table: Table, labels: NDArray[np.int64], plan: Plan) -> Mapping[str, FrameColumn]:
    """Return the confidential columns, their records permuted inside each group."""
    # A permutation is only as secret as its seed, and the plan's may be published: who has the quasi-identifiers
    # could form the groups again and shuffle back. So the original table itself seeds it.
    secret = table.secret(f"permutation {plan.seed}")
    return dict.fromkeys(plan.changed_names(), Rows(permute_within(labels, secret)))


def category_seed(table: Table, plan: Plan) -> int:
    """Return the secret number that categories of groups are drawn by, where any are; 0 elsewhere."""
    operators = {plan.attributes[name].operator for name in plan.names(Role.QUASI_IDENTIFIER)}
    if plan.release is ReleaseMode.PERMUTE or not operators & {Operator.MODE, Operator.DRAW, Operator.MEDOID}:
        return 0
    return table.secret(f"categories {plan.seed}")


def domain_column(inputs: Inputs, plan: Plan) -> Mapping[str, FrameColumn]:
    """Return ``by`` with one cell for each of its values, by name, where it leaves.

    Equal values may still look different: -0.0 and 0.0, NaN and null. The records of a domain are checked as alike, so
    they must not be told apart by that.
    """
    if plan.by is None or inputs.domains is None or plan.by in plan.changed_names():
        return {}
    _, first, domain = np.unique(inputs.domains, return_index=True, return_inverse=True)
    return {plan.by: Rows(first[domain])}


def unchanged_after_permutation(original: Table, released: Table, labels: NDArray[np.int64], plan: Plan) -> int | None:
    """Count the groups that a permutation left as they were; None where nothing is permuted."""
    if plan.release is not ReleaseMode.PERMUTE:
        return None
    return unchanged_groups(original, released, labels, plan.names(Role.CONFIDENTIAL))


def unchanged_sentence(groups: Mapping[str, Any]) -> str | None:
    """Say what a manifest's counts of groups say of those that came out unchanged; nothing where there are none."""
    unchanged, count = groups.get("unchanged", 0), groups["count"]
    if not unchanged:
        return None
    return (
        f"{unchanged:,} of {count:,} groups came out unchanged, by chance or because all their records have the same "
        "confidential values"
    )
