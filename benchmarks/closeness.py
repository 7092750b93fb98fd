"""t-closeness: processor time by t on discharges, and t-first against plain MDAV on many records.

The first is Figure 5 of Soria-Comas et al. 2015.

Run it by itself: ``python benchmarks/closeness.py [discharges] [million]``; without arguments, both.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from shoal import Plan, examples
from shoal.constrain import emd, k_first, merge, t_first
from shoal.encode import Encoder
from shoal.frames import Table
from shoal.kinds.registry import read_column
from shoal.partitioners import mdav
from shoal.plan.attribute import Role
from shoal.points import Points
from shoal.protect import cluster_size

TS = (0.02, 0.05, 0.09, 0.13, 0.17, 0.21, 0.25)
QUASI_IDENTIFIERS = {
    "age": "numeric",
    "sex": "nominal",
    "postcode": "nominal",
    "admitted": "date",
    "stay": "numeric",
    "severity": "ordinal",
    "ward": "nominal",
}


def seconds(call: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """Return the processor time of a call, which other work on the machine does not add to, and what it returns."""
    start = time.process_time()
    labels = call()
    return time.process_time() - start, labels


def discharge_points(n: int) -> tuple[Points, np.ndarray]:
    """Return seven quasi-identifiers of generated discharges as points, and what they were charged."""
    frame = examples.discharges(n)
    kinds = {name: {"role": "quasi_identifier", "kind": kind} for name, kind in QUASI_IDENTIFIERS.items()}
    kinds["severity"]["order"] = list(examples.SEVERITIES)
    plan = Plan(k=2, attributes=kinds)
    table = Table.of(frame)
    columns = [read_column(table, plan.spec(name)) for name in plan.names(Role.QUASI_IDENTIFIER)]
    return Encoder.fit(columns).apply(columns), frame["charge"].to_numpy()


def discharges() -> None:
    """Print seconds by t for the three algorithms, k = 2, 23,435 records of 7 quasi-identifiers."""
    points, charge = discharge_points(23_435)
    print(f"{len(points):,} discharges, {points.dimension} quasi-identifiers, k = 2: seconds (average group size)")
    print(f"{'t':>6}{'merge':>20}{'k_first':>20}{'t_first':>20}")
    for t in TS:
        cells = []
        for method in (merge, k_first, t_first):
            spent, labels = seconds(lambda m=method, t=t: m(points, charge, k=2, t=t))
            assert emd(charge, labels).max() <= t
            cells.append(f"{spent:.2f} ({np.bincount(labels).mean():.1f})")
        print(f"{t:>6}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


def million() -> None:
    """Print t-first against plain MDAV on the same points with the same group size."""
    rng = np.random.default_rng(0)
    points, noise = rng.normal(size=(1_000_000, 4)), rng.normal(size=1_000_000)
    print(f"{len(points):,} records, 4 quasi-identifiers: seconds")
    print(f"{'t':>6}{'correlation':>13}{'group size':>12}{'mdav':>8}{'t_first':>9}{'ratio':>7}")
    for t in (0.05, 0.1, 0.25):
        size = cluster_size(len(points), 2, t)
        plain, _ = seconds(lambda size=size: mdav(points, size))
        for correlation in (0.0, 0.52, 0.92):
            values = correlation * points[:, 0] + (1 - correlation**2) ** 0.5 * noise
            strata, _ = seconds(lambda t=t, values=values: t_first(points, values, k=2, t=t))
            print(f"{t:>6}{correlation:>13}{size:>12}{plain:>8.1f}{strata:>9.1f}{strata / plain:>7.2f}", flush=True)


if __name__ == "__main__":
    for name in sys.argv[1:] or ("discharges", "million"):
        {"discharges": discharges, "million": million}[name]()
