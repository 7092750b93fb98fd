"""Dates and times of a stream: in one form throughout, as microseconds inside."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.encode import Spec
from shoal.errors import DataError, type_in_words
from shoal.frames import MICROSECONDS, FrameColumn, Instants, Table, microseconds, moment_at
from shoal.frames.instants import Unit, units_in
from shoal.stream.engine.continuous import ContinuousColumn


class DateColumn(ContinuousColumn):
    """Dates and times, as microseconds since 1970; rounded to the coarsest unit that holds the group's values exactly.

    All values of a stream's records have one form: dates, times, or times with a zone (which leave in UTC), as objects
    or as text. The first record decides, or a frame that came before it; frames keep their own types.

    Parameters
    ----------
    spec, text, confidential
        See `StreamColumn`.
    format
        How dates are written as text; ISO if None.
    """

    def __init__(
        self, spec: Spec, *, text: bool = False, confidential: bool = False, format: str | None = None
    ) -> None:
        super().__init__(spec, text=text, confidential=confidential)
        self._format = format
        self.form: str | None = None
        self._last_form: str | None = None  # of the last value, kept once its record is taken

    @property
    def rounds(self) -> bool:
        """Always: the mean of two dates is a date."""
        return True

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
        there = len(instants) if instants.missing is None else np.count_nonzero(~instants.missing)
        self._last_form = self.form or (_form_of(table, self.name) if there else None)
        return instants.in_microseconds()

    def _parse(self, text: str) -> date | None:
        try:
            if self._format is None:
                return datetime.fromisoformat(text) if len(text) > 10 else date.fromisoformat(text)
            moment = datetime.strptime(text, self._format)
            return moment if any(part in self._format for part in _TIME_PARTS) else moment.date()
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

    def require_precision(self, precision: int) -> None:
        """A place among the units."""
        if not 0 <= precision < len(MICROSECONDS):
            raise ValueError("a precision is none of units")

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
        return moment.isoformat() if self._format is None else moment.strftime(self._format)

    def to_column(self, values: NDArray[np.float64], *, whole: bool) -> FrameColumn:
        """Return instants."""
        return Instants.of_microseconds(values)


def _form_of(table: Table, name: str) -> str:
    """Return the form of a column of dates or times, as that of records is called."""
    if table.dtype(name) == "date":
        return "date"
    return "time" if getattr(table.frame[name].dtype, "time_zone", None) is None else "zoned time"


_TIME_PARTS = ("%H", "%I", "%M", "%S", "%f", "%c", "%X", "%z", "%T", "%R")
