"""Tables for the tests of Spark, and releases as sets of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import shoal
from shoal.frames import Table
from shoal.masking.recoding import recoded

QUASI = ("age", "income", "seen", "grade", "county")


def people(n: int, seed: int = 0) -> pa.Table:
    """Make a table of every kind of column, with ties and gaps."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(10, 1, n).round(0)
    pay = (rng.normal(size=n) + np.log(income)).round(3)
    county = rng.choice(["Osona", "Anoia", "Bages", "Segrià"], n, p=[0.5, 0.3, 0.15, 0.05])
    return pa.table(
        {
            "id": [f"person-{i}" for i in rng.permutation(n)],
            "age": rng.integers(18, 90, n),
            "income": pa.array(income, mask=rng.random(n) < 0.02),
            "seen": pa.array(rng.integers(0, 900, n).astype("datetime64[D]")),
            "grade": rng.choice(["low", "middle", "high"], n),
            "county": pa.array(county, mask=rng.random(n) < 0.05),
            "pay": pay,
            "note": [f"n{i % 7}" for i in range(n)],
        }
    )


def plan(k: int = 5, **more: Any) -> shoal.Plan:
    """Return the plan of `people`."""
    return shoal.Plan(
        k=k,
        missing="impute",
        attributes={
            "id": {"role": "identifier"},
            "age": {"role": "quasi_identifier", "kind": "numeric"},
            "income": {"role": "quasi_identifier", "kind": "numeric"},
            "seen": {"role": "quasi_identifier", "kind": "date"},
            "grade": {"role": "quasi_identifier", "kind": "ordinal", "order": ["low", "middle", "high"]},
            "county": {"role": "quasi_identifier", "kind": "nominal", "missing": "category"},
            "pay": {"role": "confidential", "kind": "numeric"},
            "note": {"role": "other"},
        },
        **more,
    )


def canonical(table: pa.Table, asked: shoal.Plan | None = None) -> pa.Table:
    """Return the rows in the order of their values, where a plan recodes them of what they become."""
    keys = table if asked is None else recoded(Table.of(table), asked).table.data
    return table.take(pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in keys.column_names]))


def rows(table: Any) -> list[tuple[Any, ...]]:
    """Return a table of Arrow or Spark as a sorted list of rows."""
    arrow = table if isinstance(table, pa.Table) else table.toArrow()
    return canonical(arrow).to_pylist()


def class_sizes(released: pa.Table, names: tuple[str, ...] = QUASI) -> list[int]:
    """Count the records of each class."""
    return released.group_by(list(names)).aggregate([([], "count_all")])["count_all"].to_pylist()
