"""Effort: how long refinement searches, told in steps, so that the same effort gives the same groups everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
        Moves that annealing proposes on a small table, times the size of a group, since larger ones
        take longer.
    least, most
        Sweeps of annealing: moves that are proposed for each record, at least (on a large table) and at most.
    thorough
        Whether annealing is followed by descent until no move improves anything, or by one chance for each record.
    polishings
        Regions that are annealed once more by themselves, times the size of a group to the power of 1.5: a region of
        larger groups takes longer, and is better worth it.
    region
        Groups of such a region: more of them free what fewer cannot, and take longer.
    """

    name: EffortName
    summary: str
    proposals: int
    least: int
    most: int
    thorough: bool
    polishings: int
    region: int = 12

    def sweeps(self, records: int, size: int) -> int:
        """Return how many moves annealing proposes for each record, with groups of a size.

        Examples
        --------
        >>> EFFORTS["good"].sweeps(1_000, 3), EFFORTS["good"].sweeps(1_000_000, 3)
        (3700, 24)
        """
        return min(max(self.proposals // (records * size), self.least), self.most)

    def regions(self, records: int, size: int) -> int:
        """Return how many regions are polished: the more groups, the more, up to a number for any table."""
        return min(_REGIONS_OF_A_GROUP * (records // size), int(self.polishings / size**1.5))

    def part(self, share: float, *, annealing: bool = True) -> Effort:
        """Return the same with a share of its steps, those of annealing or of polishing alone.

        Examples
        --------
        >>> EFFORTS["good"].part(0.5).sweeps(1_000, 3), EFFORTS["good"].part(2.0, annealing=False).polishings
        (1850, 46000)
        """
        polishings = int(share * self.polishings)
        if not annealing:
            return replace(self, proposals=0, least=1, most=1, polishings=polishings)
        return replace(
            self,
            proposals=int(share * self.proposals),
            least=max(1, int(share * self.least)),
            most=int(share * self.most),
            polishings=polishings,
        )


_REGIONS_OF_A_GROUP = 60

EFFORTS: Mapping[str, Effort] = {
    effort.name: effort
    for effort in (
        Effort("quick", "annealing, a little", 600_000, 5, 200, thorough=False, polishings=0),
        Effort(
            "good",
            "annealing, and polishing where most is lost",
            18_000_000,
            24,
            3700,
            thorough=False,
            polishings=23_000,
        ),
        Effort("best", "ten times as long", 150_000_000, 100, 20_000, thorough=True, polishings=173_000),
    )
}
"""Name to effort."""


def require_effort(effort: str) -> Effort:
    """Return an effort by its name, or refuse a name that is none."""
    if effort not in EFFORTS:
        names = ", ".join(f'"{name}"' for name in get_args(EffortName))
        raise PlanError(f'effort must be one of {names}, not "{effort}"')
    return EFFORTS[effort]
