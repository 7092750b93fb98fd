"""Folded: a table of Spark read once, every task adding up what it sees, the driver adding up the tasks."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
from pyspark.sql import types as T

from shoal.spark.shuffle import gathered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FOUND = "__shoal_found"
FOUND_SCHEMA = T.StructType([T.StructField(FOUND, T.BinaryType())])

Found = TypeVar("Found")


def added(one: Any, other: Any) -> Any:
    """Add up what two parts hold: mappings and sequences entry by entry, anything else by its own addition.

    Examples
    --------
    >>> added({"rows": 2, "changed": [1, 0]}, {"rows": 3, "changed": [1, 1]})
    {'rows': 5, 'changed': [2, 1]}
    """
    if isinstance(one, dict):
        return {name: added(value, other[name]) for name, value in one.items()}
    if isinstance(one, list):
        return [added(*pair) for pair in zip(one, other, strict=True)]
    return one + other


def folded(
    frame: DataFrame, look: Callable[[pa.Table], Found], add: Callable[[Found, Found], Found] = added
) -> Found | None:
    """Look at all records, many at a time, and add up what is found; None of a table without records."""

    def fold(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = [look(table) for table in gathered(batches) if table.num_rows]
        if found:
            yield as_row(reduce(add, found)).to_batches()[0]

    parts: list[Any] = collected(frame.mapInArrow(fold, FOUND_SCHEMA))
    return reduce(add, parts) if parts else None


def as_row(found: object) -> pa.Table:
    """Return what a worker found as a table of one row."""
    return pa.table({FOUND: pa.array([pickle.dumps(found)], type=pa.binary())})


def collected(rows: DataFrame) -> list[Any]:
    """Return what the workers found."""
    return [pickle.loads(row[FOUND]) for row in rows.collect()]
