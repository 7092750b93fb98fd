"""Gaps in a stream: records in which what means "no value" is missing, and counts of what was filled or suppressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.errors import DataError
from shoal.frames import MissingValue, Table
from shoal.kinds import Missing
from shoal.kinds.stream_column import StreamColumn
from shoal.masking.gaps import count_gaps
from shoal.plan import Plan

Record = Mapping[str, Any]


class RecordGaps:
    """Takes away what means "no value" from records, as `shoal.plan.missing_cells.open_table` does from frames."""

    def __init__(self, values: Mapping[str, Sequence[MissingValue]]) -> None:
        self._texts = {name: {str(value) for value in meanings} for name, meanings in values.items()}
        self._numbers = {name: set(map(_number, meanings)) - {None} for name, meanings in values.items()}

    def __call__(self, record: Record) -> Record:
        """Return a record without the values that mean none; the record itself where it has none of them."""
        empty = [name for name in self._texts if name in record and self._means_none(name, record[name])]
        return {**record, **dict.fromkeys(empty)} if empty else record

    def _means_none(self, name: str, value: Any) -> bool:
        if isinstance(value, bool) or value is None:
            return False
        if isinstance(value, int | float):
            return value in self._numbers[name]
        return str(value) in self._texts[name]


def _number(value: MissingValue) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


_COUNTS = ("missing", "filled", "suppressed")


class GapTally:
    """Counts cells of tuples that left: missing, filled, suppressed. Where every gap is refused, there are none."""

    def __init__(self, plan: Plan, columns: Sequence[StreamColumn]) -> None:
        self._plan = plan
        # A place is one column of the plan's comparisons, and two of its records.
        self._columns = {
            name: column for column in columns if column.spec.missing is not Missing.ERROR for name in column.names
        }
        self.counts: dict[str, dict[str, int]] = {}

    def records(self, before: Sequence[Record], after: Sequence[Record]) -> None:
        """Count the gaps of records before and after."""
        for name, column in self._columns.items():
            was = [column.is_missing(record[name]) for record in before]
            now = [column.is_missing(record[name]) for record in after]
            both = sum(gap and still for gap, still in zip(was, now, strict=True))
            self._add(name, {"missing": sum(was), "filled": sum(was) - both, "suppressed": sum(now) - both})

    def tables(self, before: Table, after: Table) -> None:
        """Count the gaps of a table before and after."""
        if self._columns:
            for name, counts in count_gaps(before, after, self._plan).items():
                self._add(name, counts)

    def totals(self) -> dict[str, int]:
        """Return the cells that were filled and suppressed in all columns; nothing where every gap is refused."""
        names = _COUNTS[1:] if self._columns else ()
        return {what: sum(counts[what] for counts in self.counts.values()) for what in names}

    def load(self, counts: Any) -> None:
        """Go on from saved counts; refuse those of other columns."""
        fits = isinstance(counts, dict) and counts.keys() <= self._columns.keys()
        for of_column in counts.values() if fits else ():
            fits = fits and isinstance(of_column, dict) and of_column.keys() == set(_COUNTS)
            fits = fits and all(type(count) is int and count >= 0 for count in of_column.values())
        if not fits:
            raise DataError("the state of the stream cannot be restored: its counts of gaps are none of this plan")
        self.counts = {name: dict(of_column) for name, of_column in counts.items()}

    def _add(self, name: str, counts: Mapping[str, int]) -> None:
        if any(counts.values()):
            before = self.counts.get(name, dict.fromkeys(counts, 0))
            self.counts[name] = {what: before[what] + number for what, number in counts.items()}
