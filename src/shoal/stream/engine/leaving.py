"""From released groups to what leaves: records or a frame, with each group's values in place of its members'."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames import FrameColumn, Table
from shoal.stream.engine.continuous import NOT_ROUNDED
from shoal.stream.engine.gaps import GapTally
from shoal.stream.engine.rows import FrameRows, Record, RecordRows
from shoal.stream.engine.stream_encoder import StreamEncoder
from shoal.stream.engine.stream_engine import Released

CLASSES = 256
"""The engine lets tuples join this many of the latest groups."""


class LeavingRecords:
    """Turns groups into what leaves.

    A tuple that joins the class of an earlier group must get the very values that group got. So the precision they were
    rounded to, and the rows that hold its nominal values, are kept as long as the class can be joined.
    """

    def __init__(self, encoder: StreamEncoder) -> None:
        self._encoder = encoder
        self._merges = encoder.settings.on_unclose == "merge"
        self._rounds = any(column.rounds for column in encoder.continuous)
        self._classes: OrderedDict[int, tuple[list[int], list[int]]] = OrderedDict()  # precisions, modes
        self.gaps = GapTally(encoder.plan, encoder.columns)
        self._held: set[int] = set()  # rows that left, and that a class is still known by

    def dump(self) -> list[Any]:
        """Return what is remembered as plain values."""
        return [[number, *kept] for number, kept in self._classes.items()]

    def load(self, plain: list[Any]) -> None:
        """Take back what `dump` gave."""
        for number, precisions, modes in plain:
            known = len(precisions) == len(self._encoder.continuous) and len(modes) == len(self._encoder.nominal)
            if not (self._merges and known and all(type(value) is int for value in (number, *precisions, *modes))):
                raise ValueError("a class is not what it should be")
            for column, precision in zip(self._encoder.continuous, precisions, strict=True):
                column.require_precision(precision)
            self._classes[number] = (precisions, modes)
        if len(self._classes) > CLASSES:
            raise ValueError("there are more classes than can be joined")
        self._held = self.needed()

    def records(self, released: Released, rows: RecordRows) -> list[dict[str, Any]]:
        """Return the released records, each with the values of its group."""
        members = [rows.get(position) for position in released.positions.tolist()]
        starts = _starts(released)
        precisions = self._no_precisions(released)
        if self._rounds:
            for j, column in enumerate(self._encoder.continuous):
                if column.rounds:
                    cells = np.array([column.cell(row[column.name]) for row in members])
                    precisions[:, j] = column.precisions(cells, starts)
        self._remember(released, precisions)
        coords = self._coords(released, precisions)
        result: list[dict[str, Any]] = []
        for g, start in enumerate(starts.tolist()):
            masked: Record = self._group_values(released, rows, g, coords[g], precisions[g], members[start])
            result += [{**row, **masked} for row in members[start : start + int(released.sizes[g])]]
        self.gaps.records(members, result)
        return result

    def frame(self, released: Released, rows: FrameRows) -> Table:
        """Return the released rows as a table, each with the values of its group."""
        table = rows.take(released.positions)
        starts = _starts(released)
        group = np.repeat(np.arange(len(starts)), released.sizes)
        precisions = self._no_precisions(released)
        for j, column in enumerate(self._encoder.continuous):
            if column.rounds:
                precisions[:, j] = column.precisions(column.cells(table), starts)
        self._remember(released, precisions)
        coords = self._coords(released, precisions)[group]
        columns: dict[str, FrameColumn] = {}
        for j, column in enumerate(self._encoder.continuous):
            columns[column.name] = column.to_column(coords[:, j], whole=table.dtype(column.name) == "integer")
        for j, ordinal in enumerate(self._encoder.ordinal):
            columns[ordinal.name] = ordinal.to_column(released.ranks[group, j])
        masked = Table.of(table.replace(columns)).frame
        for j, nominal in enumerate(self._encoder.nominal):
            masked = masked.with_columns(rows.take(released.modes[group, j]).frame[nominal.name])
        self.gaps.tables(table, Table(masked))
        return Table(masked)

    def no_longer_needed(self, released: Released) -> list[int]:
        """Return the rows that nobody needs any more."""
        gone = [*released.positions.tolist(), *released.dropped.tolist()]
        if not self._merges:
            return gone
        needed = self.needed()
        gone += self._held
        self._held = needed.intersection(gone)
        return [position for position in gone if position not in needed]

    def _group_values(
        self,
        released: Released,
        rows: RecordRows,
        g: int,
        coords: NDArray[np.float64],
        precisions: NDArray[np.int8],
        first: Record,
    ) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for j, column in enumerate(self._encoder.continuous):
            values[column.name] = column.to_record(float(coords[j]), int(precisions[j]))
        for j, ordinal in enumerate(self._encoder.ordinal):
            values[ordinal.name] = ordinal.to_record(int(released.ranks[g, j]), first[ordinal.name])
        for j, nominal in enumerate(self._encoder.nominal):
            values[nominal.name] = rows.get(int(released.modes[g, j]))[nominal.name]
        return values

    def _no_precisions(self, released: Released) -> NDArray[np.int8]:
        return np.full((len(released.sizes), len(self._encoder.continuous)), NOT_ROUNDED, dtype=np.int8)

    def _coords(self, released: Released, precisions: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the groups' continuous values, rounded where they must be."""
        if not self._rounds:
            return released.coords
        values = released.coords.copy()
        for j, column in enumerate(self._encoder.continuous):
            if column.rounds:
                values[:, j] = column.rounded(values[:, j], precisions[:, j])
        return values

    def _remember(self, released: Released, precisions: NDArray[np.int8]) -> None:
        """Remember the classes of new groups; give tuples that join one its precisions."""
        if not self._merges:
            return
        for g, number in enumerate(released.classes.tolist()):
            if number in self._classes:
                precisions[g] = self._classes[number][0]
                continue
            self._classes[number] = (precisions[g].tolist(), released.modes[g].tolist())
            if len(self._classes) > CLASSES:
                self._classes.popitem(last=False)

    def needed(self) -> set[int]:
        """Return the rows that hold the nominal values of classes that can be joined."""
        return {position for _, modes in self._classes.values() for position in modes}


def _starts(released: Released) -> NDArray[np.int64]:
    """Return where each group begins among the released tuples."""
    starts: NDArray[np.int64] = released.sizes.cumsum() - released.sizes
    return starts
