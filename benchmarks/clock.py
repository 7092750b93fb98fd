"""Processor time of a call, least of a few tries: what other programs do to the clock on the wall stays out of it."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(call: Callable[[], object], repeats: int = 3) -> float:
    """Return the least processor time of this thread over the tries."""
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        call()
        times.append(time.thread_time() - start)
    return min(times)


def alternately(*calls: Callable[[], object], repeats: int = 3) -> list[float]:
    """Return the least processor time of each call, tried in turn: a slow minute of the machine then hits them all."""
    least = [float("inf")] * len(calls)
    for _ in range(repeats):
        least = [min(before, seconds(call, 1)) for before, call in zip(least, calls, strict=True)]
    return least
