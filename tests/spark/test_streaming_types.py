"""Columns of every type leave a stream on Spark as the type that was announced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shoal import Plan
from spark.visits import K

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TYPES = {
    "whole": ("int", [1, 2, None, 4]),
    "long": ("long", [2**60, 2**60 + 8, 2**60 + 16, 2**60]),
    "price": ("decimal(10,2)", ["1.50", "2.25", "3.00", "1.00"]),
    "small": ("float", [0.5, 0.25, 1.5, 2.0]),
    "at": ("timestamp", ["2024-01-01T10:00:00+00:00"] * 3 + ["2024-01-02T10:00:00+00:00"]),
    "local": ("timestamp_ntz", ["2024-01-01T10:00:00"] * 3 + ["2024-01-02T10:00:00"]),
    "flag": ("boolean", [True, False, True, True]),
    "code": ("short", [1, 1, 2, None]),
}
KINDS = {"at": "date", "local": "date", "flag": "nominal", "code": "nominal"}
OTHERS = {
    "blob": ("binary", b"\x00\xff"),
    "list": ("array<int>", [1, None]),
    "pairs": ("map<string,int>", [("a", 1)]),
    "inner": ("struct<a:int,b:string>", {"a": 1, "b": None}),
    "exact": ("decimal(20,5)", "1.50000"),
    "big": ("long", 2**62 + 1),
    "__shoal_before_x": ("long", 1),  # named as tables on Spark name what stood before a recoding
}


def plan_of(*, rounded: bool) -> Plan:
    quasi = {
        name: {"role": "quasi_identifier", "kind": KINDS.get(name, "numeric"), "missing": "impute"} for name in TYPES
    }
    if rounded:
        quasi["whole"]["round"] = True
    return Plan.from_mapping(
        {
            "k": K,
            "subject": "record",
            "stream": {"max_delay": K},
            "attributes": {**quasi, **{name: {"role": "other"} for name in OTHERS}},
        }
    )


@pytest.mark.parametrize("rounded", [False, True])
def test_what_leaves_has_the_announced_types(spark: SparkSession, rounded: bool) -> None:
    import pyarrow as pa

    from shoal.spark.lane import LaneProcessor, LaneShape, LaneStream
    from shoal.spark.lane_state import PYTHON_TYPES
    from shoal.spark.streaming import _released_schema

    plan = plan_of(rounded=rounded)
    given = {name: kind for name, (kind, _) in {**TYPES, **OTHERS}.items()}
    frame = spark.createDataFrame([], ", ".join(f"{name} {kind}" for name, kind in given.items()))
    released = _released_schema(frame, plan)
    assert released["whole"].dataType.typeName() == ("integer" if rounded else "double")
    assert {name: released[name].dataType for name in OTHERS} == {name: frame.schema[name].dataType for name in OTHERS}

    came = frame.toArrow().schema
    rows = [
        {**{name: values[place] for name, (_, values) in TYPES.items()}, **{name: v for name, (_, v) in OTHERS.items()}}
        for place in range(4)
    ]
    arrays = [pa.array([_read(row[field.name], field.type) for row in rows], field.type) for field in came]
    records = pa.Table.from_arrays(arrays, schema=came).to_pylist()
    # What a worker does: take records in two micro-batches, then make Arrow's columns of the rows that leave.
    shape = LaneShape(
        plan=plan.to_dict(),
        columns=given,
        order=0,
        released={field.name: PYTHON_TYPES.get(field.dataType.typeName()) for field in released},
        lane=None,
        id=None,
        reason=None,
        max_delay_ms=None,
    )
    first = LaneStream(plan)
    left = list(first.take(records[:2], 0))
    left += LaneStream(plan, state=first.dump()).take(records[2:], 0)
    written = [row.asDict() for row in LaneProcessor(shape)._written((0,), left)]
    assert len(written) >= K
    table = pa.RecordBatch.from_pylist(written, schema=spark.createDataFrame([], released).toArrow().schema).to_pylist()
    assert len({(row["whole"], row["long"], row["price"], row["at"], row["local"]) for row in table[:K]}) == 1
    assert all(row[name] == records[0][name] for row in table for name in OTHERS)


def _read(value, kind):
    """A cell as Arrow takes it."""
    from datetime import datetime
    from decimal import Decimal

    if value is None:
        return None
    if "timestamp" in str(kind):
        return datetime.fromisoformat(value)
    return Decimal(value) if "decimal" in str(kind) else value
