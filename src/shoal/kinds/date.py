"""Dates and times: compared on a line by the units that they count, averaged as numbers are, and rounded to units."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, type_in_words
from shoal.frames import MICROSECONDS, FrameColumn, Instants, Table, microseconds, moment_at
from shoal.frames.calendar import require_released
from shoal.frames.instants import Unit, units_in
from shoal.kinds.column import Column, Spec, admit_missing
from shoal.kinds.numeric import Continuous, NumericKind
from shoal.kinds.stream_column import ContinuousColumn
from shoal.kinds.vocabulary import Kind, Scale


class DateColumn(ContinuousColumn):
    """Dates and times of a stream, as microseconds since 1970.

    They are rounded to the coarsest unit that holds the group's values exactly.

    All values of a stream's records have one form: dates, times, or times with a zone (which leave in UTC), as objects
    or as text. The first record decides, or a frame that came before it; frames keep their own types.
    """

    rounds = True  # the mean of two dates is a date
    possible_precisions = range(len(MICROSECONDS))

    def __init__(self, spec: Spec, **how: Any) -> None:
        super().__init__(spec, **how)
        self.form: str | None = None
        self._last_form: str | None = None  # of the last value, kept once its record is taken

    def keep_form(self) -> None:
        """Keep to the form of the last value from now on."""
        self.form = self._last_form

    def cell(self, value: Any) -> float:
        """Return a date, a time or their text as a number."""
        if self.is_missing(value):
            self._last_form = self.form
            return self.missing_cell()
        moment = self._parse(value) if isinstance(value, str) else value
        if not isinstance(moment, date):
            raise DataError(f"column {self.name!r} must be a date, not {type_in_words(value)}")
        form = "text " if isinstance(value, str) else ""
        if not isinstance(moment, datetime):
            form += "date"
        else:
            form += "time" if moment.tzinfo is None else "zoned time"
        if self.form not in (None, form):
            raise DataError(f"column {self.name!r} changes from {self.form} to {form}: a stream keeps to one form")
        self._last_form = form
        return float(microseconds(moment))

    def cells(self, table: Table) -> NDArray[np.float64]:
        """Return a column of dates or times."""
        instants = table.instants(self.name)
        self._admit_missing(instants.missing)
        observed = len(instants) if instants.missing is None else np.count_nonzero(~instants.missing)
        self._last_form = self.form or (_form_of(table, self.name) if observed else None)
        return instants.in_microseconds()

    def _parse(self, text: str) -> date | None:
        try:
            if self.format is None:
                return datetime.fromisoformat(text) if len(text) > 10 else date.fromisoformat(text)
            moment = datetime.strptime(text, self.format)
            return moment if any(part in self.format for part in _TIME_PARTS) else moment.date()
        except ValueError:
            raise DataError(f"column {self.name!r} has a text that is no date of the expected form") from None

    def precisions(self, cells: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return the unit of each group, as a place in ``MICROSECONDS``."""
        absent = np.isnan(cells)
        counts = np.where(absent, 0, cells).astype(np.int64)
        finest = len(MICROSECONDS) - 1
        units = np.full(len(cells), finest, dtype=np.int8)
        for unit in range(finest - 1, -1, -1):
            units[counts % MICROSECONDS[unit] == 0] = unit
        return np.maximum.reduceat(units, starts) if len(cells) else units

    def has_room(self, table: Table, precision: int) -> bool:
        """Dates hold no times of day, and times in whole seconds no parts of them."""
        dtype = table.frame[self.name].dtype
        unit: Unit = "D" if table.dtype(self.name) == "date" else getattr(dtype, "time_unit", "us")
        return unit == "ns" or MICROSECONDS[precision] % units_in(unit, "us") == 0

    def rounded(self, values: NDArray[np.float64], precisions: NDArray[np.int8]) -> NDArray[np.float64]:
        """Round to the group's unit."""
        units = np.array(MICROSECONDS, dtype=np.float64)[precisions]
        return np.rint(values / units) * units

    def to_record(self, value: float, precision: int) -> Any:
        """Return a date or time in the form of the stream's records."""
        if value != value:
            return None
        moment: date = moment_at(value)
        form = self.form or "date"
        if form.endswith("date"):
            moment = moment.date()  # type: ignore[attr-defined]
        elif not form.endswith("zoned time"):
            moment = moment.replace(tzinfo=None)  # type: ignore[call-arg]
        if not form.startswith("text"):
            return moment
        return moment.isoformat() if self.format is None else moment.strftime(self.format)

    def to_column(self, values: NDArray[np.float64], *, whole: bool) -> FrameColumn:
        """Return instants."""
        return Instants.of_microseconds(values)


class DateKind(NumericKind):
    """Dates and times: numbers from an origin, in a unit."""

    name = Kind.DATE
    streamed = DateColumn

    def read(self, table: Table, spec: Spec) -> Column:
        """Read instants, counted from the earliest of them."""
        instants = table.instants(spec.name)
        absent = admit_missing(spec, instants.missing)
        present = instants.values if absent is None else instants.values[~absent]
        lowest, highest = (int(present.min()), int(present.max())) if len(present) else (0, 0)
        # From the earliest, unless 64 bits do not count that far: three centuries in nanoseconds.
        origin = lowest if highest - lowest <= np.iinfo(np.int64).max else 0
        counts = (instants.values - origin).astype(np.float64)
        return Column(spec.name, spec, counts, absent, origin=origin, unit=instants.unit)

    def to_frame(self, column: Column) -> dict[str, FrameColumn]:
        """Return instants."""
        require_released(column.name, column.observed + column.origin, column.unit)
        # The last nanosecond that 64 bits count is rounded up to one that they do not.
        latest = np.nextafter(np.float64(np.iinfo(np.int64).max - max(column.origin, 0)), 0)
        counts = np.minimum(column.values, latest).astype(np.int64) + column.origin
        return {column.name: Instants(counts, column.unit, column.missing)}

    def fit(self, column: Column, scale: Scale, records: NDArray[np.int64] | None = None) -> Continuous:
        """Learn zero and unit from the observed cells, counted from the column's origin."""
        return replace(super().fit(column, scale), origin=column.origin, unit=column.unit)

    def rounded(self, values: NDArray[Any], column: Column) -> NDArray[Any]:
        """Round to the unit: the mean of two dates is a date."""
        return np.asarray(np.rint(values))

    def texts(self, column: Column, values: NDArray[Any]) -> list[str]:
        """Write nanoseconds since 1970."""
        ticks = units_in(column.unit, "ns")
        return [str((int(value) + column.origin) * ticks) for value in values.tolist()]


KIND = DateKind()


def _form_of(table: Table, name: str) -> str:
    """Return the form of a column of dates or times, as that of records is called."""
    if table.dtype(name) == "date":
        return "date"
    return "time" if getattr(table.frame[name].dtype, "time_zone", None) is None else "zoned time"


_TIME_PARTS = ("%H", "%I", "%M", "%S", "%f", "%c", "%X", "%z", "%T", "%R")
