"""From released groups to what leaves: records or a frame, with each group's values in place of its members'."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.classes import is_missing
from shoal.errors import DataError
from shoal.frames import FrameColumn, Table, Text
from shoal.frames.exact_names import only_columns
from shoal.kinds import Operator
from shoal.kinds.nominal import NESTED
from shoal.kinds.stream_column import NOT_ROUNDED, ContinuousColumn, StreamColumn
from shoal.kinds.tree import TaxonomicColumn
from shoal.stream.engine.rows import FrameRows, Record, RecordRows
from shoal.stream.engine.stream_encoder import StreamEncoder
from shoal.stream.engine.stream_engine import Released
from shoal.stream.engine.stream_statistics import GapTally

CLASSES = 256
"""The engine lets tuples join this many of the latest groups."""


class Joinable(NamedTuple):
    """What a tuple gets that joins the class of a group that left."""

    precisions: list[int]  # what the group's continuous values were rounded to
    modes: list[int]  # the rows that hold its nominal values
    nodes: list[str | None]  # names of nodes in trees that stand for it
    values: dict[str, Any]  # all, as records hold them: which type writes a number or an ordinal level is part of them


class GroupValues(NamedTuple):
    """What stands for groups beside the ranks and modes of the engine, and where each begins among the tuples."""

    starts: NDArray[np.int64]
    precisions: NDArray[np.int8]
    nodes: list[list[str | None]]
    coords: NDArray[np.float64]  # rounded where they must be


def _first_axes(columns: Sequence[StreamColumn]) -> Iterator[int]:
    """Return the first axis of each column, and then how many there are."""
    return accumulate((column.width for column in columns), initial=0)


class LeavingRecords:
    """Turns groups into what leaves.

    A tuple that joins the class of an earlier group must get the very values that group got, so they are kept as long
    as the class can be joined: for records as they left, for frames as numbers and rows, in whose types frames leave.
    """

    def __init__(self, encoder: StreamEncoder) -> None:
        self._encoder = encoder
        self._merges = encoder.settings.on_unclose == "merge"
        self._continuous = tuple(zip(_first_axes(encoder.continuous), encoder.continuous, strict=False))
        self._nominal = tuple(zip(_first_axes(encoder.nominal), encoder.nominal, strict=False))
        self._rounds = any(column.rounds for column in encoder.continuous)
        self.gaps = GapTally(encoder.plan, encoder.columns)
        self._tree = tuple(
            (axis, column)
            for axis, column in self._nominal
            if isinstance(column, TaxonomicColumn) and column.in_the_tree
        )
        self._ancestors = tuple(
            (j, column.name) for j, (_, column) in enumerate(self._tree) if column.spec.operator is Operator.ANCESTOR
        )
        self._masked = tuple(name for column in encoder.columns for name in column.names)
        self._scales = {
            name for name, attribute in encoder.plan.attributes.items() if attribute.kind and attribute.kind.is_ordinal
        }
        self._classes: OrderedDict[int, Joinable] = OrderedDict()
        self._rows_of_classes: set[int] = set()  # that left, and that a class is still known by

    def dump(self) -> list[Any]:
        """Return what is remembered as plain values, without what `values` has."""
        return [[number, last.precisions, last.modes, last.nodes] for number, last in self._classes.items()]

    def values(self) -> Iterable[tuple[int, Record]]:
        """Return the values of classes that can be joined, by number."""
        return ((number, joinable.values) for number, joinable in self._classes.items())

    def load(self, plain: list[Any], values: dict[int, dict[str, Any]]) -> None:
        """Take back what `dump` and `values` gave."""
        if values.keys() != {number for number, *_ in plain}:
            raise ValueError("there are values without a class, or classes without values")
        axes = sum(column.width for column in self._encoder.nominal)
        trees = [column for _, column in self._tree]
        lengths = [len(self._continuous), axes, len(trees)]
        for number, precisions, modes, names in plain:
            fits = self._merges and [len(precisions), len(modes), len(names)] == lengths
            fits = fits and all(map(TaxonomicColumn.is_node, trees, names))
            if not (fits and all(type(value) is int for value in (number, *precisions, *modes))):
                raise ValueError("a class is not what it should be")
            for column, precision in zip(self._encoder.continuous, precisions, strict=True):
                column.require_precision(precision)
            class_values = values[number]
            if tuple(class_values) != self._masked or any(isinstance(value, NESTED) for value in class_values.values()):
                raise ValueError("the values of a class are not what they should be")
            self._classes[number] = Joinable(precisions, modes, names, class_values)
        if len(self._classes) > CLASSES:
            raise ValueError("there are more classes than can be joined")
        self._rows_of_classes = self.needed()

    def require_room(self, table: Table) -> None:
        """Refuse frames whose types do not hold the values of classes that can be joined."""
        for j, column in enumerate(self._encoder.continuous):
            if not all(column.has_room(table, joinable.precisions[j]) for joinable in self._classes.values()):
                raise DataError(
                    f"column {column.name!r} of this frame has a type that does not hold the values of groups that "
                    "left before, which its records may join: give it one that does"
                )

    def records(self, released: Released, rows: RecordRows) -> list[dict[str, Any]]:
        """Return the released records, each with the values of its group."""
        members = [rows.get(position) for position in released.positions.tolist()]
        groups = self._settle(
            released,
            lambda column: np.array([column.cell(row[column.name]) for row in members]),
            lambda column: [row[column.name] for row in members],
        )
        result: list[dict[str, Any]] = []
        for g, (start, number) in enumerate(zip(groups.starts.tolist(), released.classes.tolist(), strict=True)):
            group = members[start : start + int(released.sizes[g])]
            masked = self._classes[number].values if self._merges else {}
            if not masked:
                masked |= self._record_values(released, rows, groups, g, group)
            result += [{**row, **masked} for row in group]
        self._forget_classes()
        self.gaps.records(members, result)
        return result

    def frame(self, released: Released, rows: FrameRows) -> Table:
        """Return the released rows as a table, each with the values of its group."""
        table = rows.take(released.positions)
        groups = self._settle(released, lambda column: column.cells(table), lambda c: table.frame[c.name].to_list())
        group = np.repeat(np.arange(len(groups.starts)), released.sizes)
        coords = groups.coords[group]
        columns: dict[str, FrameColumn] = {}
        for axis, column in self._continuous:
            for name, part in column.fields(coords[:, axis : axis + column.width]).items():
                columns[name] = column.to_column(part, whole=table.dtype(name) == "integer")
        for j, ordinal in enumerate(self._encoder.ordinal):
            columns[ordinal.name] = ordinal.to_column(released.ranks[group, j])
        taken = {nominal.name: rows.take(released.modes[group, axis]) for axis, nominal in self._nominal}
        for name in table.names:
            source = taken.get(name, table)
            # A type may list what was masked, or what only records have that wait; but for the steps of a scale.
            if source.dtype(name) == "categorical" and name not in self._scales:
                columns[name] = replace(source.categories(name), scale=False)
        cells = [source.frame[name] for name, source in taken.items() if name not in columns]
        masked = Table.of(table.replace(columns)).frame.with_columns(*cells)
        ancestors: dict[str, FrameColumn] = {
            name: Text(group.astype(np.int32), tuple(nodes[j] for nodes in groups.nodes)) for j, name in self._ancestors
        }
        result = Table(masked) if not ancestors else Table.of(Table(masked).replace(ancestors))
        self._forget_classes()
        self._keep_values(released, groups.starts, result)
        self.gaps.tables(table, result)
        return result

    def no_longer_needed(self, released: Released) -> list[int]:
        """Return the rows that nobody needs any more."""
        left = [*released.positions.tolist(), *released.dropped.tolist()]
        if not self._merges:
            return left
        needed = self.needed()
        left += self._rows_of_classes
        self._rows_of_classes = needed.intersection(left)
        return [position for position in left if position not in needed]

    def _settle(
        self,
        released: Released,
        cells: Callable[[ContinuousColumn], NDArray[np.float64]],
        values: Callable[[TaxonomicColumn], Sequence[Any]],
    ) -> GroupValues:
        """Decide what stands for groups; new ones are remembered, and tuples that join one get its precisions."""
        starts = released.sizes.cumsum() - released.sizes
        precisions = np.full((len(starts), len(self._continuous)), NOT_ROUNDED, dtype=np.int8)
        for j, (_, column) in enumerate(self._continuous):
            if column.rounds:
                precisions[:, j] = column.precisions(cells(column), starts)
        nodes = self._in_the_tree(released, starts, values)
        if self._merges:
            for g, number in enumerate(released.classes.tolist()):
                if number in self._classes:
                    precisions[g] = self._classes[number].precisions
                else:
                    self._classes[number] = Joinable(precisions[g].tolist(), released.modes[g].tolist(), nodes[g], {})
        coords = released.coords.copy() if self._rounds else released.coords
        for j, (axis, column) in enumerate(self._continuous):
            if column.rounds:
                coords[:, axis] = column.rounded(coords[:, axis], precisions[:, j])
        return GroupValues(starts, precisions, nodes, coords)

    def _record_values(
        self, released: Released, rows: RecordRows, groups: GroupValues, g: int, members: Sequence[Record]
    ) -> dict[str, Any]:
        """Return what the records of a group leave with."""
        values: dict[str, Any] = {}
        coords, precisions = groups.coords[g], groups.precisions[g]
        for j, (axis, column) in enumerate(self._continuous):
            if column.width == 1:
                values[column.name] = column.to_record(float(coords[axis]), int(precisions[j]))
                continue
            for name, part in column.fields(coords[None, axis : axis + column.width]).items():
                values[name] = column.to_record(float(part[0]), int(precisions[j]))
        for j, ordinal in enumerate(self._encoder.ordinal):
            cells = (record[ordinal.name] for record in members)
            values[ordinal.name] = ordinal.to_record(int(released.ranks[g, j]), cells)
        for axis, nominal in self._nominal:
            values[nominal.name] = rows.get(int(released.modes[g, axis]))[nominal.name]
        return values | {name: groups.nodes[g][j] for j, name in self._ancestors}

    def _in_the_tree(
        self, released: Released, starts: NDArray[np.int64], values: Callable[[TaxonomicColumn], Sequence[Any]]
    ) -> list[list[str | None]]:
        """Find what stands for groups in trees: the members go to the modes, the names of nodes are returned."""
        nodes: list[list[str | None]] = [[None] * len(self._tree) for _ in released.sizes]
        if not self._tree:
            return nodes
        cells = [values(column) for _, column in self._tree]
        chosen = {number: (joinable.modes, joinable.nodes) for number, joinable in self._classes.items()}
        for g, (start, number) in enumerate(zip(starts.tolist(), released.classes.tolist(), strict=True)):
            if number in chosen:  # it joins a group that left
                released.modes[g], nodes[g] = chosen[number]
                continue
            members = slice(start, start + int(released.sizes[g]))
            for j, (axis, column) in enumerate(self._tree):
                place, nodes[g][j] = column.group_value(cells[j][members], self._encoder.plan.seed, number)
                released.modes[g, axis] = released.positions[start + place]
            chosen[number] = (released.modes[g].tolist(), nodes[g])
        return nodes

    def _forget_classes(self) -> None:
        """Forget the classes that nobody can join any more."""
        while len(self._classes) > CLASSES:
            self._classes.popitem(last=False)

    def _keep_values(self, released: Released, starts: NDArray[np.int64], left: Table) -> None:
        """Keep the values of classes as a frame has them, for records that join them later."""
        pairs = zip(released.classes.tolist(), starts.tolist(), strict=True)
        new = {number: start for number, start in pairs if number in self._classes and not self._classes[number].values}
        if new:
            rows = only_columns(left.frame, self._masked)[list(new.values()), :].rows(named=True)
            for number, row in zip(new, rows, strict=True):
                class_values = {name: None if is_missing(value) else value for name, value in row.items()}
                self._classes[number].values.update(class_values)

    def needed(self) -> set[int]:
        """Return the rows that hold the nominal values of classes that can be joined."""
        return {position for joinable in self._classes.values() for position in joinable.modes}
