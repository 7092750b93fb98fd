"""Permutation: confidential records moved inside each group, and groups that come out as they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.aggregate import permute_within
from shoal.frames import FrameColumn, Rows, Table
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.protect.probabilistic_k_anonymity import unchanged_groups


def permuted_columns(table: Table, labels: NDArray[np.int64], plan: Plan) -> Mapping[str, FrameColumn]:
    """Return the confidential columns, their records permuted inside each group."""
    # A permutation is only as secret as its seed, and the plan's may be published: who has the quasi-identifiers
    # could form the groups again and shuffle back. So the original table itself seeds it.
    secret = table.secret(f"permutation {plan.seed}")
    return dict.fromkeys(plan.changed_names(), Rows(permute_within(labels, secret)))


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
