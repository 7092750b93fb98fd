"""MDAV: the tree against scans, plain and our own, and against NumPy; growth with the records; memory.

python benchmarks/run.py mdav [numpy] [tree] [million] [whole] [growth] [memory]
"""

from __future__ import annotations

import contextlib
import math
import sys
import time
from functools import partial

import numpy as np

from clock import alternately, seconds
from numpy_mdav import mdav as numpy_mdav
from peak import extra_memory
from plain_scan import plain_scan
from shapes import points_of
from shoal._core import instruction_sets, use_instruction_set
from shoal.partitioners import mdav


def against_numpy(n: int = 50_000, d: int = 8, k: int = 10) -> None:
    """Compare with the same algorithm in vectorised NumPy, on one thread."""
    points = points_of("normal", n, d)
    numpy = seconds(partial(numpy_mdav, points, k), 1)
    print(f"\n{n:,} × {d} normal, k = {k}, against vectorised NumPy: {numpy:.2f} s")
    for engine in ("scan", "tree", "auto"):
        ours = seconds(partial(mdav, points, k, engine=engine), 5)
        print(f"  {engine:<6}{ours:>8.3f} s {numpy / ours:>8.1f}×")


def against_scan(n: int = 100_000, d: int = 8) -> None:
    """Compare the tree with a plain vectorised scan, and with our own for every instruction set of this processor."""
    print(f"\n{n:,} × {d} normal, tree against scans, seconds")
    points = points_of("normal", n, d)
    for k in (3, 10):
        plain, labels = plain_scan(points, k)
        for name in instruction_sets():
            use_instruction_set(name)
            scan, tree = alternately(
                partial(mdav, points, k, engine="scan"), partial(mdav, points, k, engine="tree"), repeats=3
            )
            print(
                f"  k = {k:<4}{name:<10}tree{tree:>8.3f}   plain scan{plain:>8.3f} {plain / tree:>6.1f}×"
                f"   our scan{scan:>8.3f} {scan / tree:>6.1f}×",
                flush=True,
            )
        assert (mdav(points, k, engine="tree") == labels).all()


def a_million(d: int = 4, k: int = 10) -> None:
    """Compare the tree on a million records with scans, extrapolated from a tenth of them."""
    n = 1_000_000
    tenth, all_of_them = points_of("normal", n // 10, d), points_of("normal", n, d)
    print(f"\n{n:,} × {d} normal, k = {k}; the scans' times are 100 times those of {n // 10:,} records")
    plain, labels = plain_scan(tenth, k, repeats=2)
    assert (mdav(tenth, k, engine="tree") == labels).all()
    scan, tree = alternately(
        partial(mdav, tenth, k, engine="scan"), partial(mdav, all_of_them, k, engine="tree"), repeats=5
    )
    print(f"  tree{tree:>8.2f}   plain scan{100 * plain:>8.1f} {100 * plain / tree:>6.0f}×", end="")
    print(f"   our scan{100 * scan:>8.1f} {100 * scan / tree:>6.0f}×", flush=True)


def whole(d: int = 4, k: int = 10, limit: float = 6.0) -> None:
    """Time our scan on all of a million records: they do not fit the caches as a tenth of them does.

    It is stopped after some seconds; its work so far and in all go with the squares of the records left.
    """
    n = 1_000_000
    points = points_of("normal", n, d)
    tree = seconds(partial(mdav, points, k, engine="tree"), 3)
    start = time.thread_time()
    seen: list[tuple[int, float]] = []

    def watch(done: int, _total: int) -> None:
        seen.append((done, time.thread_time() - start))
        if seen[-1][1] > limit:
            raise TimeoutError

    with contextlib.suppress(TimeoutError):
        mdav(points, k, engine="scan", progress=watch)
    (first, began), (last, ended) = seen[0], seen[-1]
    scan = (ended - began) * n**2 / ((n - first) ** 2 - (n - last) ** 2)
    print(f"\n{n:,} × {d} normal, k = {k}; our scan extrapolated from the first {last:,} of these records")
    print(f"  tree{tree:>8.2f}   our scan{scan:>8.1f} {scan / tree:>6.0f}×")


def growth(d: int = 3, k: int = 10) -> None:
    """Print the exponent of growth from a hundred thousand to a million records."""
    few, many = alternately(*(partial(mdav, points_of("normal", n, d), k) for n in (100_000, 1_000_000)), repeats=5)
    print(f"\nd = {d}, k = {k}: {few:.3f} s for 100,000 records, {many:.3f} s for 1,000,000")
    print(f"  time grows with the records to the power of {math.log10(many / few):.2f}")


def memory(n: int = 1_000_000, d: int = 8, k: int = 10) -> None:
    """Print the peak of memory above the points, in units of the points."""
    points = np.asfortranarray(points_of("normal", n, d))
    _, extra = extra_memory(partial(mdav, points, k, engine="tree"))
    print(f"\n{n:,} × {d}, tree: {extra / 1e6:,.0f} MB above the points, {extra / points.nbytes:.2f} times their size")


PARTS = {
    "numpy": against_numpy,
    "tree": against_scan,
    "million": a_million,
    "whole": whole,
    "growth": growth,
    "memory": memory,
}


def main(*parts: str) -> None:
    """Print the parts asked for, or all."""
    for part in parts or PARTS:
        use_instruction_set(instruction_sets()[-1])
        PARTS[part]()


if __name__ == "__main__":
    main(*sys.argv[1:])
