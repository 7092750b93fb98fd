"""Parts of a job worked on at once, with one progress over all of them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, CancelledError, ThreadPoolExecutor, wait
from threading import Lock
from typing import TypeVar

from shoal.progress import Progress

_LOOK = 0.1  # seconds between looks at Ctrl-C and at parts that failed

Part = TypeVar("Part")
Result = TypeVar("Result")


def in_threads(
    work: Callable[[Part, Progress], Result],
    parts: Sequence[Part],
    total: int,
    progress: Progress | None,
    *,
    workers: int | None = None,
) -> list[Result]:
    """Call ``work(part, progress)`` for each part, on a thread for each processor; the kernels release the interpreter.

    Work reports how much of its part is settled; progress is called with what is settled over all parts, and the total.
    Parts start in their order, as many at once as there are workers, and results have it, too. The first exception,
    Ctrl-C among them, stops every part at its next report.

    >>> in_threads(lambda part, progress: part + 1, [1, 2, 3], 3, None)
    [2, 3, 4]
    """
    reports = _Reports(progress, total)
    if len(parts) == 1:
        return [work(parts[0], reports.of_a_part())]
    results: dict[int, Result] = {}
    waiting = deque(enumerate(parts))

    # Threads fetch part after part: a future for each would make every look at them as long as the list of parts.
    def work_on() -> None:
        while not reports.stopped:
            try:
                number, part = waiting.popleft()
            except IndexError:
                return
            results[number] = work(part, reports.of_a_part())

    threads = max(1, min(len(parts), workers or os.cpu_count() or 1))
    with ThreadPoolExecutor(max_workers=threads) as pool:
        futures = [pool.submit(work_on) for _ in range(threads)]
        try:
            # Not one long wait: libraries that handle Ctrl-C their own way may leave it asleep.
            while wait(futures, timeout=_LOOK, return_when=FIRST_EXCEPTION).not_done:
                for future in futures:
                    if future.done():
                        future.result()
            for future in futures:
                future.result()
        except BaseException:
            reports.stopped = True
            raise
    return [results[number] for number in range(len(parts))]


class _Reports:
    """The progress of the parts, added up."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.stopped = False
        self._progress = progress
        self._total = total
        self._done = 0
        self._lock = Lock()

    def of_a_part(self) -> Progress:
        mine = 0

        def report(done: int, _: int) -> None:
            nonlocal mine
            if self.stopped:
                raise CancelledError
            if self._progress is not None:
                with self._lock:
                    self._done += done - mine
                    mine = done
                    self._progress(self._done, self._total)

        return report


def completing(progress: Progress | None, n: int) -> Progress | None:
    """Report the last step of an algorithm, whose own steps are not records, as n settled ones.

    Whoever listens may still stop it.
    """
    return None if progress is None else lambda done, total: progress(n, n)


def half(progress: Progress, before: int, n: int) -> Progress:
    """Report one of two passes over n records, of which ``before`` were settled by the pass before: none, or n."""
    return lambda done, total: progress((before + done * n // max(total, 1)) // 2, n)
