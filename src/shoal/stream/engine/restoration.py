"""Whether the parts of a state belong together: what a stream does with them later trusts that they do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shoal.errors import DataError
from shoal.stream.engine.output import LeavingRecords
from shoal.stream.engine.rows import Record, RecordRows
from shoal.stream.engine.stream_encoder import StreamEncoder
from shoal.stream.engine.stream_engine import StreamEngine


def sized_rows(records: Iterable[tuple[int, Record]], sizes: Iterable[tuple[int, int]]) -> RecordRows:
    """Return the records of a state with what each of them takes.

    Raises
    ------
    ValueError
        A size is none.
    """
    size_of = dict(sizes)
    if not all(type(size) is int and size > 0 for size in size_of.values()):
        raise ValueError("a record takes at least a byte")
    rows = RecordRows()
    for position, record in records:
        rows.add(position, record, size=size_of.pop(position, 0))
    if size_of:
        raise ValueError("there are sizes of records that are not there")
    return rows


def require_whole(
    header: Mapping[str, Any],
    engine: StreamEngine,
    rows: RecordRows,
    *,
    leaving: LeavingRecords,
    encoder: StreamEncoder,
) -> None:
    """Refuse a state whose records are not those that the engine holds.

    Raises
    ------
    DataError
        One sentence.
    """
    positions, cells = engine.waiting(), engine.waiting_cells()
    records = dict(rows.items())
    needed = {*positions.tolist(), *leaving.needed()}
    belongs = header["arrived"] == engine.tally()["arrived"] and records.keys() == needed
    belongs = belongs and all(tuple(record) == encoder.released for record in records.values())
    if belongs:
        again = [[cell for c in encoder.columns for cell in c.axes(records[p])] for p in positions.tolist()]
        belongs = np.array_equal(np.array(again, dtype=np.float64).reshape(cells.shape), cells, equal_nan=True)
    if not belongs:
        raise DataError("the state of the stream cannot be restored: its parts do not belong together")
