"""The automatic choice between tree and scan against the better of the two.

python benchmarks/run.py mdav_choice [records ...]
"""

from __future__ import annotations

import sys
from functools import partial

from clock import seconds
from shapes import SHAPES, points_of
from shoal.partition import mdav

DIMENSIONS = (1, 2, 4, 8, 13, 30, 60)
K = 5


def main(*sizes: int) -> None:
    """Print processor seconds of all three, and how much worse than the better one the choice was."""
    worst = 0.0
    for n in sizes or (1_000, 10_000, 100_000):
        print(f"\nMDAV, {n:,} records, k = {K}, seconds")
        print(f"{'shape':<14}{'d':>3}{'scan':>10}{'tree':>10}{'auto':>10}{'ratio':>8}")
        for shape in SHAPES:
            for d in DIMENSIONS:
                points = points_of(shape, n, d)
                repeats = max(1, min(15, 200_000 // (n * d)))
                scan, tree, auto = (
                    seconds(partial(mdav, points, K, engine=engine), repeats) for engine in ("scan", "tree", "auto")
                )
                ratio = auto / min(scan, tree)
                worst = max(worst, ratio)
                print(f"{shape:<14}{d:>3}{scan:>10.4f}{tree:>10.4f}{auto:>10.4f}{ratio:>8.2f}", flush=True)
    print(f"\nThe choice was at worst {worst:.2f} times the better one.")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
