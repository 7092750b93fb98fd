"""What looking for giveaways costs: by records and columns, and against one pass of MDAV over the same table.

python benchmarks/giveaways.py
"""

from __future__ import annotations

import numpy as np
import polars as pl

import shoal
from clock import seconds
from shoal.frames import Table
from shoal.giveaways import Survey, find_giveaways

RECORDS, COLUMNS = 10_000, 50
ROLES = ("quasi_identifier", "confidential", "other")


def mixed(n: int, columns: int) -> tuple[pl.DataFrame, shoal.Plan]:
    """Numbers, counts, amounts, categories and places without any relation."""
    rng = np.random.default_rng(0)
    makers = (
        lambda: rng.normal(size=n),
        lambda: rng.integers(0, 100, n),
        lambda: rng.lognormal(10, 1, n).round(),
        lambda: rng.choice(list("abcde"), n),
        lambda: rng.choice([f"town {i}" for i in range(200)], n),
    )
    frame = pl.DataFrame({f"c{i}": makers[i % len(makers)]() for i in range(columns)})
    return frame, declared(frame)


def copies(n: int, columns: int) -> tuple[pl.DataFrame, shoal.Plan]:
    """Columns that are all the same, but for a factor."""
    values = np.random.default_rng(0).lognormal(10, 1, n)
    frame = pl.DataFrame({f"c{i}": values * (i // 2 + 1) for i in range(columns)})
    return frame, declared(frame)


def declared(frame: pl.DataFrame) -> shoal.Plan:
    """Every role in turn, five columns each."""
    kinds = {name: "nominal" if dtype == pl.String else "numeric" for name, dtype in frame.schema.items()}
    roles = {name: ROLES[i // 5 % len(ROLES)] for i, name in enumerate(frame.columns)}
    return shoal.Plan(k=5, attributes={name: {"role": roles[name], "kind": kinds[name]} for name in frame.columns})


def looking(frame: pl.DataFrame, plan: shoal.Plan) -> float:
    """Return the processor time of looking for giveaways."""
    return seconds(lambda: find_giveaways(Survey(Table.of(frame), plan)))


def main() -> None:
    """Print the table."""
    usual = looking(*mixed(RECORDS, COLUMNS))
    print(f"{RECORDS:,} records, {COLUMNS} columns: {usual:.2f} s")
    frame, plan = mixed(RECORDS, COLUMNS)
    run = seconds(lambda: shoal.anonymize(frame, plan), repeats=1)
    print(f"share of a whole run of it: {usual / run:.2f}")
    for n, columns, make in (
        (RECORDS, 2 * COLUMNS, mixed),
        (2 * RECORDS, COLUMNS, mixed),
        (10 * RECORDS, COLUMNS, mixed),
        (2_000, 300, mixed),
        (2_000, 300, copies),
    ):
        took = looking(*make(n, columns))
        print(f"{n:,} records, {columns} columns, {make.__name__}: {took:.2f} s, {took / usual:.1f} times as long")


if __name__ == "__main__":
    main()
