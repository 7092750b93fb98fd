"""Batches of Arrow as Spark hands them to a worker, a few at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

BATCH = 1 << 17
"""Records that are worked on at once: fewer cost more calls, more cost memory."""


def gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Return batches as tables of many records."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= BATCH:
            yield pa.Table.from_batches(waiting)
            waiting, rows = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)
