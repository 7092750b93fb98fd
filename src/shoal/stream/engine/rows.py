"""The rows of a stream that have not left yet: records by position, or frames."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames import Table
from shoal.frames.exact_names import only_columns
from shoal.plan import Plan
from shoal.plan.missing_values import open_table

Record: TypeAlias = Mapping[str, Any]


class RecordRows:
    """Records, one mapping each."""

    def __init__(self) -> None:
        self._rows: dict[int, Record] = {}
        self.sizes: dict[int, int] = {}  # by position, where they were given
        self.bytes = 0  # their sum

    @classmethod
    def sized(cls, records: Iterable[tuple[int, Record]], sizes: Iterable[tuple[int, int]]) -> RecordRows:
        """Return the records of a state with what each of them takes; raise ValueError where sizes do not fit."""
        size_of = dict(sizes)
        if not all(type(size) is int and size > 0 for size in size_of.values()):
            raise ValueError("a record takes at least a byte")
        rows = cls()
        for position, record in records:
            rows.add(position, record, size=size_of.pop(position, 0))
        if size_of:
            raise ValueError("there are sizes of records that are not there")
        return rows

    def add(self, position: int, record: Record, *, size: int = 0) -> None:
        """Keep a record."""
        self._rows[position] = record
        if size:
            self.sizes[position] = size
            self.bytes += size

    def get(self, position: int) -> Record:
        """Return a record that is kept."""
        return self._rows[position]

    def forget(self, positions: Iterable[int]) -> None:
        """Let records go."""
        for position in positions:
            del self._rows[position]
            self.bytes -= self.sizes.pop(position, 0)

    def items(self) -> Iterable[tuple[int, Record]]:
        """Return what is kept, by position."""
        return self._rows.items()


class FrameRows:
    """Rows of frames of one library, in one frame that is cleared of the dead now and then. They are cells alone.

    Clearing waits until half of the rows are dead, or many small frames are strung together, so that each row is
    copied a constant number of times on average.
    """

    _MOST_PIECES = 64

    def __init__(self) -> None:
        self._frame: nw.DataFrame[Any] | None = None
        self._positions: NDArray[np.int64] = np.empty(0, dtype=np.int64)  # of the rows, ascending
        self._alive: NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self._pieces = 0

    def add(self, positions: NDArray[np.int64], table: Table) -> None:
        """Keep the rows of a table, which stand at these positions, later than all before."""
        new = table.bare().frame
        self._frame = new if self._frame is None else _joined(self._frame, new)
        self._pieces += 1
        self._positions = np.concatenate([self._positions, positions])
        self._alive = np.concatenate([self._alive, np.ones(len(table), dtype=np.bool_)])

    def take(self, positions: NDArray[np.int64]) -> Table:
        """Return the rows at these positions, in their order."""
        assert self._frame is not None, "rows are taken after they came"
        # Labels of a pandas index that came in would tell which record left.
        return Table(nw.maybe_reset_index(self._frame[self._rows(positions), :]))

    def forget(self, positions: Sequence[int]) -> None:
        """Let rows go."""
        self._alive[self._rows(np.asarray(positions, dtype=np.int64))] = False
        alive = int(np.count_nonzero(self._alive))
        if self._frame is not None and (2 * alive <= len(self._alive) or self._pieces > self._MOST_PIECES):
            self._frame = nw.maybe_reset_index(self._frame[np.flatnonzero(self._alive), :])
            self._positions = self._positions[self._alive]
            self._alive = np.ones(alive, dtype=np.bool_)
            self._pieces = 1

    def _rows(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where these positions stand in the frame."""
        if len(self._positions) == 0:
            return positions
        first = self._positions[0]
        span = int(self._positions[-1] - first) + 1
        if span > 4 * len(self._positions):  # a few rows of long ago: a table of all between would be large
            return np.searchsorted(self._positions, positions)
        table = np.empty(span, dtype=np.int64)
        table[self._positions - first] = np.arange(len(self._positions))
        return np.asarray(table[positions - first])

    def items(self) -> Iterable[tuple[int, Record]]:
        """Return what is kept, by position, as records."""
        if self._frame is None:
            return
        rows = self._frame[np.flatnonzero(self._alive), :].rows(named=True)
        yield from zip(self._positions[self._alive].tolist(), rows, strict=True)


def as_records(rows: RecordRows | FrameRows) -> RecordRows:
    """Return rows as records, for a stream that got frames so far."""
    return rows if isinstance(rows, RecordRows) else RecordRows.sized(rows.items(), ())


def as_frames(rows: RecordRows | FrameRows, like: Table) -> FrameRows:
    """Return rows as frames like another one, for a stream that got records so far."""
    if isinstance(rows, FrameRows):
        return rows
    frames = FrameRows()
    records = dict(sorted(rows.items()))
    if not records:
        return frames
    columns = {name: [record[name] for record in records.values()] for name in like.names}
    try:
        frame = nw.from_dict(columns, schema=like.frame.schema, backend=like.frame.implementation)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(
            "the records that were pushed before do not fit the types of this frame's columns: "
            "give the frame types that hold them"
        ) from error
    frames.add(np.fromiter(records, dtype=np.int64), Table(frame))
    return frames


def _joined(old: nw.DataFrame[Any], new: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    if old.implementation is not new.implementation:
        raise DataError(
            f"a stream keeps to one kind of frame: it began with {old.implementation.value}, and now a frame of "
            f"{new.implementation.value} came"
        )
    new = only_columns(new, old.columns)
    for name, dtype in old.schema.items():
        if new.schema[name] != dtype:
            raise DataError(
                f"column {name!r} changes its type from {dtype} to {new.schema[name]}: a stream keeps to one type"
            )
    if old.implementation.is_pyarrow():
        new = nw.from_native(_cast(new.to_native(), old.to_native().schema), eager_only=True)
    return nw.concat([old, new], how="vertical")


def _cast(table: Any, schema: Any) -> Any:
    """Return an Arrow table in the types of a schema, such as those of text of 32 or of 64 bits."""
    try:
        return table.cast(schema)
    except (TypeError, ValueError, NotImplementedError):
        pass  # the message may hold a value: the error below must not be chained to it
    types = (
        f"{field.name!r} ({field.type}{'' if field.nullable else ' not null'})"
        for field in schema
        if table.schema.field(field.name) != field
    )
    raise DataError(
        f"this frame has cells that do not fit the types that the stream began with: {', '.join(types)}. "
        "Give all frames the same types"
    )


def open_batch(frame: Any, plan: Plan) -> tuple[Table, Callable[[Any], Any]]:
    """Return a frame or an Arrow record batch as a table, and how to give back the same kind."""
    if type(frame).__name__ == "RecordBatch" and hasattr(frame, "schema"):
        arrow = importlib.import_module("pyarrow")  # whoever made the batch has it
        return open_table(arrow.Table.from_batches([frame]), plan), _to_record_batch
    table = open_table(frame, plan)
    return table, (lambda left: left) if table.unwrap else (lambda left: nw.from_native(left, eager_only=True))


def _to_record_batch(table: Any) -> Any:
    arrow = importlib.import_module("pyarrow")
    columns = [column.combine_chunks() for column in table.columns]
    return arrow.RecordBatch.from_arrays(columns, schema=table.schema)
