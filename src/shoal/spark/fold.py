"""Folded: a table of Spark read once, every task adding up what it sees, the driver adding up the tasks."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pyarrow as pa
from pyspark.sql import types as T

from shoal.spark.shuffle import gathered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FOUND = "__shoal_found"
FOUND_SCHEMA = T.StructType([T.StructField(FOUND, T.BinaryType())])

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class _Fold(Generic[Found]):
    """Adds up the batches of a task."""

    look: Callable[[pa.Table], Found]
    add: Callable[[Found, Found], Found]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return one row with what the task found; none where it has no records."""
        found = [self.look(table) for table in gathered(batches) if table.num_rows]
        if found:
            yield as_row(reduce(self.add, found)).to_batches()[0]


def folded(frame: DataFrame, look: Callable[[pa.Table], Found], add: Callable[[Found, Found], Found]) -> Found | None:
    """Look at all records, many at a time, and add up what is found; None of a table without records.

    Parameters
    ----------
    frame
        The table.
    look
        From records as a table of Arrow to what is found of them.
    add
        What is found of two parts together.
    """
    rows = frame.mapInArrow(_Fold(look, add), FOUND_SCHEMA).collect()
    parts: list[Any] = [pickle.loads(row[FOUND]) for row in rows]
    return reduce(add, parts) if parts else None


def as_row(found: object) -> pa.Table:
    """Return what a worker found as a table of one row."""
    return pa.table({FOUND: pa.array([pickle.dumps(found)], type=pa.binary())})
