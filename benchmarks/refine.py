"""Refinement: what it saves of MDAV's loss, and its time in units of MDAV's own.

python benchmarks/run.py refine [PART ...]

Parts are reference, seeds, starts, large, wide, mixed, many, closeness, many_close, memory; all if none is named.

The reference tables are read from the folder that SHOAL_REFERENCE_DATA names.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from peak import extra_memory
from shapes import points_of
from shoal import _core
from shoal.constrain import WAYS
from shoal.partitioners import cells, mdav, projected, vmdav
from shoal.points import Points
from shoal.protect import Closeness, Confidential
from shoal.refinement import EFFORTS, refinement
from shoal.refinement._lower_bound import total_loss

Form = Callable[[Points, int], NDArray[np.int64]]


def compare(
    name: str,
    points: NDArray[np.float64] | Points,
    k: int,
    efforts: tuple[str, ...],
    *,
    form: Form = mdav,
    seeds: Iterable[int] = (0,),
) -> None:
    """Print the loss of MDAV or another start, in per cent of the variance, and what each effort makes of it.

    Times are of the processor, in seconds and in units of what forming the groups took.
    """
    points = Points.of(points)
    start = time.process_time()
    labels = form(points, k)
    own = time.process_time() - start
    whole = total_loss(points)
    for effort, seed in product(efforts, seeds):
        start = time.process_time()
        found = refinement(points, labels, k, effort=effort, seed=seed)
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


def mixed(n: int = 100_000) -> None:
    """Refine records of three continuous, one ordinal and one nominal attribute."""
    rng = np.random.default_rng(0)
    ranks, codes = rng.integers(0, 10, (n, 1)), rng.integers(0, 6, (n, 1))
    points = Points.build(
        coords=rng.standard_normal((n, 3)),
        ranks=ranks.astype(np.int32),
        rank_steps=[0.1],
        rank_levels=[10],
        rank_convex=[False],
        codes=codes.astype(np.int32),
        code_weights=[1.0],
        code_levels=[6],
    )
    for k in (3, 10):
        compare(f"{n:,} mixed", points, k, ("quick", "good"))


def starts() -> None:
    """Refine Census from every start there is."""
    for k in (3, 5, 10):
        for name, form in (("vmdav", vmdav), ("projected", projected), ("cells", cells)):
            compare(f"census, {name}", table_of("census"), k, ("good",), form=form)


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
    for name in ("census", "tarragona"):
        for k in (3, 5, 10):
            compare(name, table_of(name), k, tuple(EFFORTS))


def seeds() -> None:
    """Refine Census with ten seeds of "good" and three of "best"."""
    for k in (3, 5, 10):
        compare("census", table_of("census"), k, ("good",), seeds=range(10))
        compare("census", table_of("census"), k, ("best",), seeds=range(3))


def table_of(name: str) -> NDArray[np.float64]:
    """Read a reference table, in z-scores."""
    values = pl.read_csv(Path(os.environ["SHOAL_REFERENCE_DATA"]) / f"{name}.csv").to_numpy().astype(np.float64)
    return (values - values.mean(axis=0)) / values.std(axis=0)


def closeness(k: int = 2) -> None:
    """Refine the groups of t-first on Census, each confidential attribute by itself."""
    table = pl.read_csv(Path(os.environ["SHOAL_REFERENCE_DATA"]) / "census.csv")
    values = table.select("TAXINC", "POTHVAL").to_numpy().astype(np.float64)
    points = (values - values.mean(axis=0)) / values.std(axis=0)
    for name in ("FEDTAX", "FICA"):
        for t in (0.01, 0.05, 0.09, 0.1, 0.13, 0.15, 0.17, 0.21, 0.25):
            refine_within(name, points, table[name].to_numpy().astype(np.float64), t, k, ("good",))


def many_close(n: int = 1_000_000, k: int = 3) -> None:
    """Refine the groups of t-first of many records, whose confidential attribute goes with one of two others."""
    rng = np.random.default_rng(0)
    points = rng.standard_normal((n, 2))
    secret = 0.5 * points[:, 0] + np.sqrt(0.75) * rng.standard_normal(n)
    for t in (0.05, 0.15, 0.25):
        refine_within(f"{n:,}", points, secret, t, k, ("quick",))


def refine_within(
    name: str, points: NDArray[np.float64], secret: NDArray[np.float64], t: float, k: int, efforts: tuple[str, ...]
) -> None:
    """Print the loss of t-first and what is left of it, every group within t, and times of the processor."""
    way = WAYS["t_first"]
    rules = [Closeness(Confidential.ordered(secret), t)]
    start = time.process_time()
    labels = way.form(Points.of(points), rules, k, way.options(), guarantee=True, progress=None)
    own = time.process_time() - start
    whole = total_loss(Points.of(points))
    for effort in efforts:
        start = time.process_time()
        found = refinement(points, labels, k, effort=effort, rules=rules)
        taken = time.process_time() - start
        before, after = 100 * found.before / whole, 100 * found.after / whole
        print(
            f"  {name:<10} t = {t:<5} {effort:<6}{before:>8.3f} →{after:>8.3f}{taken:>8.2f} s {taken / own:>7.2f}×",
            flush=True,
        )


def memory(n: int = 1_000_000, d: int = 4, k: int = 3) -> None:
    """Measure memory beside points and labels in units of the points, of MDAV and of refinement: each has a tree."""
    points = points_of("normal", n, d)
    labels, own = extra_memory(lambda: mdav(points, k))
    _, extra = extra_memory(lambda: refinement(points, labels, k, effort="quick"))
    print(
        f"  {n:,} × {d}, k = {k}: MDAV {own / points.nbytes:.1f}, refined {extra / points.nbytes:.1f} times the points"
    )


PARTS = (reference, seeds, starts, large, wide, mixed, many, closeness, many_close, memory)

if __name__ == "__main__":
    parts = {part.__name__: part for part in PARTS}
    for name in sys.argv[1:] or parts:
        parts[name]()
