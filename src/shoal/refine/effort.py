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
        Moves that annealing proposes on a small table, times k, since larger groups take longer.
    least, most
        Sweeps of annealing: moves that are proposed for each record, at least (on a large table) and at most.
    polishings
        Regions that are annealed once more by themselves, times k²: a region has so many more records, and each
        takes so much longer.
    """

    name: EffortName
    summary: str
    proposals: int
    least: int
    most: int
    polishings: int

    def sweeps(self, records: int, k: int) -> int:
        """Return how many moves annealing proposes for each record of a table.

        Examples
        --------
        >>> EFFORTS["good"].sweeps(1_000, 3), EFFORTS["good"].sweeps(1_000_000, 3)
        (2000, 16)
        """
        return min(max(self.proposals // (records * k), self.least), self.most)

    def regions(self, records: int, k: int) -> int:
        """Return how many regions are polished: the more groups, the more, up to a number for any table."""
        return min(_REGIONS_OF_A_GROUP * (records // k), self.polishings // (k * k))


_REGIONS_OF_A_GROUP = 60

EFFORTS: Mapping[str, Effort] = {
    effort.name: effort
    for effort in (
        Effort("quick", "annealing, a little", 600_000, 2, 200, 0),
        Effort("good", "annealing, and polishing where most is lost", 6_000_000, 16, 2000, 45_000),
        Effort("best", "ten times as long", 60_000_000, 100, 20_000, 450_000),
    )
}
"""Name to effort."""


def require_effort(effort: str) -> Effort:
    """Return an effort by its name, or refuse a name that is none."""
    if effort not in EFFORTS:
        names = ", ".join(f'"{name}"' for name in get_args(EffortName))
        raise PlanError(f'effort must be one of {names}, not "{effort}"')
    return EFFORTS[effort]
