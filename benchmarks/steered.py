"""Steered t-closeness against t-first at equal k and t: groups, squared error and time.

Run it by itself: ``python benchmarks/steered.py``; Census is measured where SHOAL_REFERENCE_DATA says where it is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from shoal import Plan
from shoal.constrain import emd, steered, t_first
from shoal.encode import Encoder
from shoal.frames import Table
from shoal.kinds.registry import read_column
from shoal.plan.attribute import Role
from shoal.points import Points
from shoal.scaling import unit_range

EXAMPLES = Path(__file__).parent.parent / "examples"


def squared_error(points: Points, labels: np.ndarray) -> float:
    """Mean squared difference to the group's average record per attribute; nominal attributes to the mode."""
    sizes = np.bincount(labels)
    total = 0.0
    for column in points.numeric().T:
        total += float(((column - (np.bincount(labels, column) / sizes)[labels]) ** 2).sum())
    for codes, levels in zip(points.codes.T, points.code_levels, strict=True):
        counts = np.bincount(labels * int(levels) + codes, minlength=len(sizes) * int(levels))
        total += len(labels) - int(counts.reshape(len(sizes), -1).max(axis=1).sum())
    return total / len(labels) / points.dimension


def seconds(call: Callable[[], np.ndarray], repeats: int) -> tuple[float, np.ndarray]:
    """Return the least time of a few calls, and what they return."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        labels = call()
        times.append(time.perf_counter() - start)
    return min(times), labels


def compare(name: str, points: Points, values: np.ndarray, settings: list[tuple[int, float]]) -> None:
    """Print one line per k and t."""
    repeats = 5 if len(points) < 50_000 else 1
    for k, t in settings:
        cells = []
        for method in (t_first, steered):
            spent, labels = seconds(lambda m=method, k=k, t=t: m(points, values, k=k, t=t), repeats)
            assert emd(values, labels).max() <= t
            cells.append((labels.max() + 1, squared_error(points, labels), spent * 1e3))
        (groups, sse, ms), (_, steered_sse, steered_ms) = cells
        print(f"{name:<22}{k:>4}{t:>6}{groups:>8}{sse:>9.4f}{steered_sse:>9.4f}{ms:>10.1f}{steered_ms:>10.1f}")


def discharges(copies: int) -> tuple[Points, np.ndarray]:
    """Return the example's quasi-identifiers and charges, copied with a little noise so that none are equal."""
    frame = pl.read_csv(EXAMPLES / "discharges.csv", schema_overrides={"postcode": pl.String}, try_parse_dates=True)
    frame = pl.concat([frame] * copies)
    plan = Plan.load(EXAMPLES / "discharges.toml").replace(scale="minmax")
    table = Table.of(frame)
    names = plan.names(Role.QUASI_IDENTIFIER)
    columns = [read_column(table, plan.spec(name)) for name in names]
    points = Encoder.fit(columns).apply(columns)
    charges = frame["charge"].to_numpy()
    if copies == 1:
        return points, charges
    rng = np.random.default_rng(0)
    noise = rng.normal(scale=0.02, size=points.coords.shape)
    moved = replace(points, coords=np.asfortranarray(points.coords + noise))
    return moved, charges * (1 + 1e-3 * rng.random(len(charges)))


def main() -> None:
    """Print the table of docs/steering.md."""
    print(f"{'data':<22}{'k':>4}{'t':>6}{'groups':>8}{'t-first':>9}{'steered':>9}{'ms':>10}{'ms':>10}")
    reference = os.environ.get("SHOAL_REFERENCE_DATA")
    if reference:
        census = pl.read_csv(Path(reference) / "census.csv")
        points = Points.of(unit_range(census.select("TAXINC", "POTHVAL").to_numpy()))
        for name in ("FEDTAX", "FICA"):
            compare(f"Census, {name}", points, census[name].to_numpy(), [(2, 0.05), (2, 0.1), (2, 0.2), (10, 0.1)])
    for copies in (1, 20):
        points, charges = discharges(copies)
        compare(f"discharges, {len(points):,}", points, charges, [(5, 0.05), (5, 0.1)])


if __name__ == "__main__":
    main()
