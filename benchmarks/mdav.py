"""MDAV: the tree against the scan, the scan against NumPy, growth with the records, and memory.

python benchmarks/run.py mdav [numpy] [tree] [million] [growth] [memory]
"""

from __future__ import annotations

import math
import sys
from functools import partial

import numpy as np

from clock import seconds
from numpy_mdav import mdav as numpy_mdav
from peak import extra_memory
from shapes import points_of
from shoal._core import instruction_sets, use_instruction_set
from shoal.partition import mdav


def against_numpy(n: int = 50_000, d: int = 8, k: int = 10) -> None:
    """Compare with the same algorithm in vectorised NumPy, on one thread."""
    points = points_of("normal", n, d)
    numpy = seconds(partial(numpy_mdav, points, k), 1)
    print(f"\n{n:,} × {d} normal, k = {k}, against vectorised NumPy: {numpy:.2f} s")
    for engine in ("scan", "tree", "auto"):
        ours = seconds(partial(mdav, points, k, engine=engine), 5)
        print(f"  {engine:<6}{ours:>8.3f} s {numpy / ours:>8.1f}×")


def against_scan(n: int = 100_000, d: int = 8) -> None:
    """Compare tree and scan, for every instruction set of this processor."""
    print(f"\n{n:,} × {d} normal, tree against scan, seconds")
    points = points_of("normal", n, d)
    for k in (3, 10):
        for name in instruction_sets():
            use_instruction_set(name)
            scan, tree = (seconds(partial(mdav, points, k, engine=engine), 3) for engine in ("scan", "tree"))
            print(f"  k = {k:<4}{name:<10}scan{scan:>8.3f}  tree{tree:>8.3f}  {scan / tree:>6.1f}×", flush=True)


def a_million(d: int = 4, k: int = 10) -> None:
    """Compare the tree on a million records with the scan, extrapolated from a tenth of them."""
    n = 1_000_000
    tenth, all_of_them = points_of("normal", n // 10, d), points_of("normal", n, d)
    print(f"\n{n:,} × {d} normal, k = {k}; the scan's time is 100 times that of {n // 10:,} records")
    for name in instruction_sets():
        use_instruction_set(name)
        scan = 100 * seconds(partial(mdav, tenth, k, engine="scan"), 3)
        tree = seconds(partial(mdav, all_of_them, k, engine="tree"), 3)
        print(f"  {name:<10}scan{scan:>8.1f}  tree{tree:>8.2f}  {scan / tree:>6.0f}×", flush=True)


def growth(d: int = 3, k: int = 10) -> None:
    """Print the exponent of growth from a hundred thousand to a million records."""
    few, many = (seconds(partial(mdav, points_of("normal", n, d), k), 3) for n in (100_000, 1_000_000))
    print(f"\nd = {d}, k = {k}: {few:.3f} s for 100,000 records, {many:.3f} s for 1,000,000")
    print(f"  time grows with the records to the power of {math.log10(many / few):.2f}")


def memory(n: int = 1_000_000, d: int = 8, k: int = 10) -> None:
    """Print the peak of memory above the points, in units of the points."""
    points = np.asfortranarray(points_of("normal", n, d))
    _, extra = extra_memory(partial(mdav, points, k, engine="tree"))
    print(f"\n{n:,} × {d}, tree: {extra / 1e6:,.0f} MB above the points, {extra / points.nbytes:.2f} times their size")


PARTS = {"numpy": against_numpy, "tree": against_scan, "million": a_million, "growth": growth, "memory": memory}


def main(*parts: str) -> None:
    """Print the parts asked for, or all."""
    for part in parts or PARTS:
        use_instruction_set(instruction_sets()[-1])
        PARTS[part]()


if __name__ == "__main__":
    main(*sys.argv[1:])
