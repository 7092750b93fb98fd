"""Stopwatch: seconds that a run spends in each stage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, local


class Stopwatch:
    """Seconds spent in each stage, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._lock = Lock()
        self._thread = local()

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Time a ``with`` block under a name; a block inside it counts for its own name alone."""
        outer, self._thread.inside = getattr(self._thread, "inside", 0.0), 0.0
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            alone, self._thread.inside = spent - self._thread.inside, outer + spent
            with self._lock:  # blocks that run at once add up
                self.seconds[stage] = round(self.seconds.get(stage, 0.0) + alone, 4)
