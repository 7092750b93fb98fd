"""Refinement: what it saves of MDAV's loss, and its time in units of MDAV's own.

python benchmarks/run.py refine [large] [wide] [many] [reference] [closeness] [memory]

The reference tables are read from the folder that SHOAL_REFERENCE_DATA names.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from peak import extra_memory
from shapes import points_of
from shoal import _core
from shoal.constrain import WAYS
from shoal.partition import cells, mdav
from shoal.points import Points
from shoal.protect import Closeness, Confidential
from shoal.refine import EFFORTS, refinement


def compare(name: str, points: NDArray[np.float64], k: int, efforts: tuple[str, ...]) -> None:
    """Print the loss of MDAV, in per cent of the variance, and what each effort makes of it."""
    start = time.process_time()
    labels = mdav(points, k)
    own = time.process_time() - start
    whole = float(np.square(points - points.mean(axis=0)).sum())
    for effort in efforts:
        start = time.process_time()
        found = refinement(points, labels, k, effort=effort)
        taken = time.process_time() - start
        print(
            f"  {name:<20} k = {k:<3} {effort:<6}{100 * found.before / whole:>8.3f} →{100 * found.after / whole:>8.3f}"
            f"{-100 * found.saved:>8.2f} %{taken:>8.2f} s {taken / own:>7.2f}×",
            flush=True,
        )


def large(n: int = 1_000_000, d: int = 4) -> None:
    """Refine many records of few columns."""
    for k in (3, 10):
        compare(f"{n:,} × {d}", points_of("normal", n, d), k, tuple(EFFORTS))


def wide() -> None:
    """Refine fewer records of more columns."""
    for k in (3, 10):
        compare("100,000 × 8", points_of("normal", 100_000, 8), k, ("quick", "good"))


def many(n: int = 1_000_000, d: int = 12, k: int = 3) -> None:
    """Refine from cells instead of MDAV where attributes are many: loss and time beside MDAV's own."""
    points = points_of("normal", n, d)
    whole = float(np.square(points - points.mean(axis=0)).sum())
    records = Points.of(points).records()
    own = 0.0

    def tell(name: str, loss: float, seconds: float) -> None:
        print(f"  {name:<14}{100 * loss / whole:>8.3f}{seconds:>8.1f} s {seconds / own:>6.2f}×", flush=True)

    for name, form in (("mdav", mdav), ("cells", cells)):
        start = time.process_time()
        labels = form(points, k)
        taken = time.process_time() - start
        own = own or taken
        tell(name, float(_core.group_losses(records, labels, int(labels.max()) + 1).sum()), taken)
    for effort in ("quick", "good"):
        start = time.process_time()
        found = refinement(points, labels, k, effort=effort)
        tell(f"cells, {effort}", found.after, time.process_time() - start + taken)


def reference() -> None:
    """Refine Census and Tarragona."""
    folder = Path(os.environ["SHOAL_REFERENCE_DATA"])
    for name in ("census", "tarragona"):
        values = pl.read_csv(folder / f"{name}.csv").to_numpy().astype(np.float64)
        for k in (3, 5, 10):
            compare(name, (values - values.mean(axis=0)) / values.std(axis=0), k, tuple(EFFORTS))


def closeness(k: int = 2) -> None:
    """Refine the groups of t-first on Census, each confidential attribute by itself."""
    table = pl.read_csv(Path(os.environ["SHOAL_REFERENCE_DATA"]) / "census.csv")
    values = table.select("TAXINC", "POTHVAL").to_numpy().astype(np.float64)
    points = (values - values.mean(axis=0)) / values.std(axis=0)
    way = WAYS["t_first"]
    for name in ("FEDTAX", "FICA"):
        for t in (0.01, 0.05, 0.09, 0.1, 0.13, 0.15, 0.17, 0.21, 0.25):
            rules = [Closeness(Confidential.ordered(table[name].to_numpy().astype(np.float64)), t)]
            labels = way.form(Points.of(points), rules, k, way.options(), guarantee=True, progress=None)
            start = time.process_time()
            found = refinement(points, labels, k, rules=rules)
            taken = time.process_time() - start
            before, after = 100 * found.before / points.size, 100 * found.after / points.size
            print(f"  {name:<8} t = {t:<5}{before:>8.2f} →{after:>8.2f}{taken:>8.2f} s", flush=True)


def memory(n: int = 1_000_000, d: int = 4, k: int = 3) -> None:
    """Measure memory beside points and labels, in units of the points."""
    points = points_of("normal", n, d)
    labels = mdav(points, k)
    _, extra = extra_memory(lambda: refinement(points, labels, k, effort="quick"))
    print(f"  {n:,} × {d}, k = {k}: {extra / points.nbytes:.1f} times the points")


if __name__ == "__main__":
    parts = {part.__name__: part for part in (large, wide, many, reference, closeness, memory)}
    for name in sys.argv[1:] or parts:
        parts[name]()
