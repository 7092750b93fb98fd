"""Effort and time: how long refinement searches, in steps that are the same everywhere, or in a budget of seconds."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from shoal.errors import PlanError
from shoal.progress import Progress

_STEP = 1000  # how finely the progress of one step is told


def require_seconds(seconds: float | None) -> None:
    """Refuse a budget in which nothing can be done."""
    if seconds is not None and not (seconds > 0 and math.isfinite(seconds)):
        raise PlanError(f"seconds must be above 0, not {seconds:g}: leave it out to search until nothing is gained")


class OutOfTime(Exception):
    """The budget is spent."""


class Clock:
    """Counts the steps of a search, tells how many are done, and stops kernels when the time is over.

    ``nodes`` are what a solver looks at, at most: a limit that is the same every time.
    """

    def __init__(self, seconds: float | None, progress: Progress | None, nodes: int | None = None) -> None:
        require_seconds(seconds)
        self.nodes = nodes
        self._end = None if seconds is None else time.monotonic() + seconds
        self._progress = progress
        self._total = 1
        self._done = 0

    def expect(self, steps: int) -> None:
        """Say how many more steps there are at most."""
        self._total = self._done + steps

    def step(self) -> Progress:
        """Begin a step; what it returns is the progress of a kernel, and raises OutOfTime when the time is over."""
        self.check()
        begun, self._done = self._done, self._done + 1

        def report(done: int, total: int) -> None:
            self.check()
            if self._progress is not None:
                self._progress(begun * _STEP + done * _STEP // max(total, 1), self._total * _STEP)

        return report

    def check(self) -> None:
        """Raise OutOfTime if the time is over."""
        if self._end is not None and time.monotonic() >= self._end:
            raise OutOfTime

    @property
    def seconds_left(self) -> float:
        """What is left of the budget, infinite if there is none."""
        return float("inf") if self._end is None else max(0.0, self._end - time.monotonic())

    def finish(self) -> None:
        """Tell that all is done."""
        if self._progress is not None:
            self._progress(self._total * _STEP, self._total * _STEP)


EffortName = Literal["quick", "good", "best"]


@dataclass(frozen=True)
class Effort:
    """How much is tried."""

    name: EffortName  # in plans and messages
    summary: str  # what is done, in a few words
    # moves that annealing proposes on a small table, times the size of a group, since larger ones take longer
    proposals: int
    # least, most: moves that annealing proposes for each record, at least (on a large table) and at most
    least: int
    most: int
    # whether annealing is followed by descent until no move improves anything, or by one chance for each record
    thorough: bool
    # regions that are annealed once more by themselves, times the size of a group to the power of 1.5: a region of
    # larger groups takes longer, and is better worth it
    polishings: int
    region: int = 12  # groups of such a region: more of them free what fewer cannot, and take longer

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
        annealed = share if annealing else 0.0
        return replace(
            self,
            proposals=int(annealed * self.proposals),
            least=max(1, int(annealed * self.least)),
            most=max(1, int(annealed * self.most)),
            polishings=int(share * self.polishings),
        )


_REGIONS_OF_A_GROUP = 60

_POLISHED = "annealing, and polishing where most is lost"

EFFORTS: Mapping[str, Effort] = {
    "quick": Effort("quick", "annealing, a little", 600_000, 5, 200, thorough=False, polishings=0),
    "good": Effort("good", _POLISHED, 18_000_000, 24, 3700, thorough=False, polishings=23_000),
    "best": Effort("best", "ten times as long", 150_000_000, 100, 20_000, thorough=True, polishings=173_000),
}
"""Name to effort."""


def require_effort(effort: str) -> Effort:
    """Return an effort by its name, or refuse a name that is none."""
    if effort not in EFFORTS:
        names = ", ".join(f'"{name}"' for name in get_args(EffortName))
        raise PlanError(f'effort must be one of {names}, not "{effort}"')
    return EFFORTS[effort]
