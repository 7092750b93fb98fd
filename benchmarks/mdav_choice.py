"""The automatic choice between tree and scan against the better of the two.

python benchmarks/run.py mdav_choice [records ...]
"""

from __future__ import annotations

import math
import sys
import time
from functools import partial

import numpy as np
from numpy.typing import NDArray

from clock import alternately
from shapes import SHAPES, points_of
from shoal.partitioners import mdav
from shoal.partitioners.method import Engine

DIMENSIONS = (1, 2, 4, 8, 13, 30, 60)
K = 5
ENGINES: tuple[Engine, ...] = ("auto", "scan", "tree")
LIMIT = 1.25
# A cell is tried again and again for about so many seconds; one beyond the limit gets three times as much, twice,
# before it counts. On a busy machine the least of a few tries is itself off by a tenth.
SECONDS = 2.0
# An engine so many times slower than the other cannot be the better one: it is stopped, and its time is left open.
HOPELESS = 4.0


class TooSlow(Exception):
    """Raised out of a run that is stopped."""


def limited(points: NDArray[np.float64], engine: Engine, limit: float) -> float:
    """Return the processor time of a run, or infinity if it was stopped at the limit."""
    start = time.thread_time()

    def watch(_done: int, _total: int) -> None:
        if time.thread_time() - start > limit:
            raise TooSlow

    try:
        mdav(points, K, engine=engine, progress=watch)
    except TooSlow:
        return math.inf
    return time.thread_time() - start


def cell(shape: str, n: int, d: int) -> tuple[float, float, float]:
    """Return the least processor times of scan, tree and the automatic choice."""
    points = points_of(shape, n, d)
    least = dict.fromkeys(ENGINES, math.inf)
    for engine in ENGINES:
        least[engine] = limited(points, engine, HOPELESS * min(least.values()))
    calls = {engine: partial(mdav, points, K, engine=engine) for engine in ENGINES if least[engine] < math.inf}
    for spent in (SECONDS, 3 * SECONDS, 3 * SECONDS):
        repeats = max(1, min(200, int(spent / sum(least[engine] for engine in calls))))
        for engine, again in zip(calls, alternately(*calls.values(), repeats=repeats), strict=True):
            least[engine] = min(least[engine], again)
        if least["auto"] <= LIMIT * min(least["scan"], least["tree"]):
            break
    return least["scan"], least["tree"], least["auto"]


def main(*sizes: int) -> None:
    """Print processor seconds of all three, then how much worse than the better one the choice was."""
    sizes = sizes or (1_000, 10_000, 100_000)
    start = time.perf_counter()
    worst: dict[tuple[int, int], float] = {}
    for n in sizes:
        print(f"\nMDAV, {n:,} records, k = {K}, seconds (inf: stopped at {HOPELESS:.0f} times the faster)")
        print(f"{'shape':<14}{'d':>3}{'scan':>10}{'tree':>10}{'auto':>10}{'ratio':>8}")
        for shape in SHAPES:
            for d in DIMENSIONS:
                scan, tree, auto = cell(shape, n, d)
                ratio = auto / min(scan, tree)
                worst[n, d] = max(worst.get((n, d), 0.0), ratio)
                mark = "  beyond the limit" if ratio > LIMIT else ""
                print(f"{shape:<14}{d:>3}{scan:>10.4f}{tree:>10.4f}{auto:>10.4f}{ratio:>8.2f}{mark}", flush=True)
    print("\nThe automatic choice in units of the better engine, worst of the four shapes:\n")
    print("| records | " + " | ".join(f"d = {d}" for d in DIMENSIONS) + " |")
    print("|---" * (1 + len(DIMENSIONS)) + "|")
    for n in sizes:
        print(f"| {n:,} | " + " | ".join(f"{worst[n, d]:.2f}" for d in DIMENSIONS) + " |")
    print(f"\n{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
