"""Recodings of a stream, record by record or batch by batch: those that ask nothing of a whole table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from shoal.errors import DataError
from shoal.frames import MICROSECONDS, Numbers, Table
from shoal.kinds import Missing
from shoal.kinds.column import Spec
from shoal.kinds.date import DateColumn
from shoal.kinds.registry import kind_of
from shoal.kinds.stream_column import StreamColumn
from shoal.plan import Plan
from shoal.recode import RECODINGS, Step, recode_table
from shoal.recode.clip import cut_off
from shoal.recode.round_to import rounded_to
from shoal.stream.engine.rows import Record

_DAY = MICROSECONDS[0]


class StreamRecoder:
    """Recodes what comes before it is compared, and counts the cells that change."""

    def __init__(self, plan: Plan, *, text: bool = False) -> None:
        self._asked = plan.recodings()
        self._text = text
        self._names = set(plan.attributes)
        others = {keys["relative_to"] for keys in self._asked.values() if "relative_to" in keys}
        self._columns = {name: _reader(plan, name, text=text) for name in (*self._asked, *others)}
        self._changes: dict[str, int] = {}
        self.counts: dict[str, int] = {f"{name}.{key}": 0 for name, keys in self._asked.items() for key in keys}

    def record(self, record: Record) -> Record:
        """Return a record with its columns recoded; one that lacks columns as it is, for who refuses it."""
        if not self._asked or record.keys() != self._names:
            return record
        self._changes = dict.fromkeys(self.counts, 0)
        return {**record, **{name: self._cell(record, name, keys) for name, keys in self._asked.items()}}

    def table(self, table: Table) -> Table:
        """Return a batch with its columns recoded."""
        present = {
            name: keys
            for name, keys in self._asked.items()
            if name in table.names and keys.get("relative_to", name) in table.names
        }
        if not present:
            return table
        recoded = recode_table(table, present, part=True)
        self._changes = {f"{step.column}.{step.key}": step.cells for step in recoded.steps}
        coarser = recoded.table
        # Whether times happen to be whole days differs from batch to batch, and a stream keeps to one type.
        distances = {
            name: Numbers(coarser.numbers(name).values, coarser.numbers(name).missing)
            for name, keys in present.items()
            if "relative_to" in keys and "datetime" in (table.dtype(name), table.dtype(keys["relative_to"]))
        }
        return Table.of(coarser.replace(distances)) if distances else coarser

    def count(self) -> None:
        """Count the changes of what was recoded last, once it is taken."""
        for path, cells in self._changes.items():
            self.counts[path] += cells
        self._changes = {}

    def load(self, counts: Any) -> None:
        """Go on from saved counts; refuse those of other recodings than this plan's."""
        of_this_plan = isinstance(counts, dict) and counts.keys() == self.counts.keys()
        if not of_this_plan or not all(type(cells) is int and cells >= 0 for cells in counts.values()):
            raise DataError("the state of the stream cannot be restored: its recodings are not those of the plan")
        self.counts = dict(counts)

    def in_manifest(self, arrived: int) -> dict[str, Any]:
        """Return what a manifest says: which cells changed of those that came."""
        steps = [
            Step(name, key, RECODINGS[key].words(option), self.counts[f"{name}.{key}"], arrived).to_dict()
            for name, keys in self._asked.items()
            for key, option in keys.items()
        ]
        return {"recoding": steps} if steps else {}

    def _cell(self, record: Record, name: str, keys: Mapping[str, Any]) -> Any:
        given = record[name]
        column = self._columns[name]
        value = column.cell(given)
        if "relative_to" in keys:
            other = keys["relative_to"]
            value = (value - self._columns[other].cell(record[other])) / _DAY
            if not math.isnan(value):
                self._changes[f"{name}.relative_to"] = 1
        new = value
        if "round_to" in keys:
            new = self._changed(name, "round_to", new, float(rounded_to(np.array([new]), keys["round_to"])[0]))
        if "clip" in keys:
            new = self._changed(name, "clip", new, float(cut_off(np.array([new]), *keys["clip"].bounds())[0]))
        if math.isnan(new):
            return "" if self._text else None
        if "relative_to" not in keys and new == value:
            return given
        if isinstance(column, DateColumn) and "relative_to" not in keys:
            column.keep_form()
            return column.to_record(new, len(MICROSECONDS) - 1)
        number = int(new) if new.is_integer() and not isinstance(given, float) else new
        return repr(number) if self._text else number

    def _changed(self, name: str, key: str, before: float, after: float) -> float:
        if after != before and not math.isnan(before):
            self._changes[f"{name}.{key}"] = 1
        return after


def _reader(plan: Plan, name: str, *, text: bool) -> StreamColumn:
    """Return what reads the values of a column; a gap is judged later, by who compares."""
    attribute = plan.attributes[name]
    if attribute.kind is None:
        raise DataError(f"column {name!r} needs a kind to be recoded")
    spec = Spec(name=name, kind=attribute.kind, missing=Missing.IMPUTE)
    return kind_of(spec).stream_column(spec, text=text, format=attribute.format)
