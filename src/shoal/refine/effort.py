"""Effort: how long refinement searches, told in steps, so that the same effort gives the same groups everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from shoal.errors import PlanError

EffortName = Literal["quick", "good", "best"]


@dataclass(frozen=True)
class Effort:
    """How much is tried.

    Parameters
    ----------
    name
        In plans and messages.
    summary
        What is done, in a few words.
    proposals
        Moves that annealing proposes on a small table; on a large one, ``least`` for each record.
    least, most
        Sweeps of annealing: moves that are proposed for each record, at least and at most.
    polishings
        Regions that are annealed once more by themselves on a small table, up to ``ten_times`` its groups times ten.
    """

    name: EffortName
    summary: str
    proposals: int
    least: int
    most: int
    polishings: int

    def sweeps(self, records: int) -> int:
        """Return how many moves annealing proposes for each record of a table.

        Examples
        --------
        >>> EFFORTS["good"].sweeps(1_000), EFFORTS["good"].sweeps(1_000_000)
        (3000, 16)
        """
        return min(max(self.proposals // records, self.least), self.most)

    def regions(self, groups: int) -> int:
        """Return how many regions are polished: the more groups, the more, up to a number for any table."""
        return min(_REGIONS_OF_A_GROUP * groups, self.polishings)


_REGIONS_OF_A_GROUP = 60

EFFORTS: Mapping[str, Effort] = {
    effort.name: effort
    for effort in (
        Effort("quick", "descent, and a little annealing", 200_000, 2, 200, 0),
        Effort("good", "annealing, and polishing where most is lost", 3_200_000, 16, 3000, 5_000),
        Effort("best", "ten times as long", 32_000_000, 100, 30_000, 50_000),
    )
}
"""Name to effort."""


def require_effort(effort: str) -> Effort:
    """Return an effort by its name, or refuse a name that is none."""
    if effort not in EFFORTS:
        names = ", ".join(f'"{name}"' for name in get_args(EffortName))
        raise PlanError(f'effort must be one of {names}, not "{effort}"')
    return EFFORTS[effort]
