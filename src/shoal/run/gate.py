"""The last gate: every guarantee is judged on the released table itself, and a release that misses one never leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.encode import read_subjects
from shoal.errors import GuaranteeError
from shoal.frames import Table
from shoal.plan import Plan
from shoal.points import Points
from shoal.protect import Evidence, asked, released_classes
from shoal.run.guarantees import Guarantees


@dataclass(frozen=True, eq=False)
class GroupingEvidence:
    """How the original records were grouped, for the guarantees that a released table alone cannot show."""

    labels: NDArray[np.int64]  # only for a release by permutation, whose groups are not visible in the table
    # points, domains: the original records as they were grouped, and the domain of each: only for guarantees that ask
    # where a class stands among the others
    points: Callable[[], Points | None]
    domains: NDArray[np.int64] | None
    blocks: tuple[tuple[str, ...], ...] = ()  # the columns that were masked together


def judge_release(original: Table, released: Table, plan: Plan, grouping: GroupingEvidence) -> Guarantees:
    """Measure what was asked on the released table."""
    demand = plan.demand()
    classes = grouping.labels if demand.permuted else released_classes(released, demand)
    # Read again from the original: what the groups were formed by is not trusted.
    subjects = None if demand.subject is None else read_subjects(original, demand.subject)
    evidence = Evidence(original, released, classes, grouping.points, grouping.domains, subjects, grouping.blocks)
    return Guarantees(tuple(guarantee.judge(demand, evidence) for guarantee in asked(demand)))


def refuse_broken(guarantees: Guarantees, plan: Plan) -> None:
    """Raise unless the released table satisfies everything that was asked, but for what the plan gives up."""
    for guarantee in guarantees.values():
        if not guarantee.holds and guarantee.name != plan.given_up():
            raise GuaranteeError(
                f"the masked table does not satisfy {guarantee.name} = {guarantee.asked}: it reaches "
                f"{guarantee.achieved}, so nothing is released",
                reached=guarantee.achieved,
            )
