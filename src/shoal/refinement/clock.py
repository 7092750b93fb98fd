"""A budget of time, and one progress over the steps of a search that may end early."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from shoal.errors import PlanError

Progress = Callable[[int, int], object]

_STEP = 1000  # how finely the progress of one step is told


def require_seconds(seconds: float | None) -> None:
    """Refuse a budget in which nothing can be done."""
    if seconds is not None and not (seconds > 0 and math.isfinite(seconds)):
        raise PlanError(f"seconds must be above 0, not {seconds:g}: leave it out to search until nothing is gained")


class OutOfTime(Exception):
    """The budget is spent."""


class Clock:
    """Counts the steps of a search, tells how many are done, and stops kernels when the time is over.

    Parameters
    ----------
    seconds
        The budget; None for no limit.
    progress
        Called with what is done and what there is to do at most.
    """

    def __init__(self, seconds: float | None, progress: Progress | None) -> None:
        require_seconds(seconds)
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
