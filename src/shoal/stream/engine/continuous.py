"""Continuous columns of a stream: values to numbers, group values back to what came in."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from datetime import UTC, date, datetime, timedelta
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.aggregate.precision import MOST_DECIMALS
from shoal.errors import DataError
from shoal.frames import FrameColumn, Instants, Numbers, Table
from shoal.kinds import Missing
from shoal.plan.attribute import Attribute
from shoal.plan.stream import microseconds
from shoal.stream.engine.settings import LARGEST

NO_PRECISION = 127
"""The precision of a group whose values are not rounded."""


class StreamColumn(ABC):
    """One attribute that distances, closeness or groups are computed from.

    Parameters
    ----------
    name, attribute
        The column and what the plan says of it.
    policy
        What happens to a missing cell.
    text
        Values of records are text, as in a CSV file: numbers are written out, and an empty text is a missing cell.
    """

    def __init__(self, name: str, attribute: Attribute, policy: Missing, *, text: bool = False) -> None:
        self.name = name
        self.attribute = attribute
        self.policy = policy
        self.text = text

    def lacks(self, value: Any) -> bool:
        """Whether a value stands for none: None, NaN, NaT, or an empty text where all is text."""
        return value is None or value != value or (self.text and value == "")

    @abstractmethod
    def cell(self, value: Any) -> float:
        """Return one value as a number, NaN where it is missing and may be."""

    @abstractmethod
    def cells(self, table: Table) -> NDArray[np.float64]:
        """Return the column of a table as numbers, NaN where missing."""

    def missing(self) -> float:
        """Return the number of a missing cell, or refuse it."""
        if self.policy is Missing.IMPUTE:
            return math.nan
        raise DataError(
            f'column {self.name!r} has a missing value, and missing = "error": fill it, or set missing = "impute"'
        )

    def _refuse_missing(self, absent: NDArray[np.bool_]) -> None:
        if self.policy is not Missing.IMPUTE and absent.any():
            raise DataError(
                f"column {self.name!r} has {int(absent.sum())} missing values, the first in row "
                f'{int(np.argmax(absent)) + 1}, and missing = "error": fill them, or set missing = "impute"'
            )


class ContinuousColumn(StreamColumn):
    """Numbers and dates. Group values may be rounded, to a precision that the group's own values decide."""

    rounds = False

    def precisions(self, cells: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return the precision of each group: the finest that one of its values needs."""
        levels = np.zeros(len(cells), dtype=np.int8)
        levels[~np.isnan(cells)] = self._levels(cells[~np.isnan(cells)])
        return np.maximum.reduceat(levels, starts) if len(cells) else levels

    @abstractmethod
    def _levels(self, cells: NDArray[np.float64]) -> NDArray[np.int8]: ...

    @abstractmethod
    def rounded(self, values: NDArray[np.float64], precisions: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return group values rounded to their precisions."""

    @abstractmethod
    def to_record(self, value: float, precision: int) -> Any:
        """Return a group value as a record holds it."""

    @abstractmethod
    def to_column(self, values: NDArray[np.float64], *, whole: bool) -> FrameColumn:
        """Return values as a frame takes them; ``whole`` where the frame's column is one of integers."""


class NumericColumn(ContinuousColumn):
    """Numbers, as floats; rounded only where the plan says so."""

    def __init__(
        self, name: str, attribute: Attribute, policy: Missing, *, text: bool = False, rounds: bool = False
    ) -> None:
        super().__init__(name, attribute, policy, text=text)
        self.rounds = rounds

    def cell(self, value: Any) -> float:
        """Return a number; text and booleans are none."""
        if type(value) is not float:
            if value is None:
                return self.missing()
            if self.text and isinstance(value, str):
                return self._parse(value)
            if isinstance(value, bool) or not (isinstance(value, int | Real) or hasattr(value, "as_integer_ratio")):
                raise DataError(f"column {self.name!r} must be a number, not of type {type(value).__name__}")
            try:
                value = float(value)
            except OverflowError:
                value = math.inf
        if -LARGEST <= value <= LARGEST:
            return float(value)
        if value != value:
            return self.missing()
        raise DataError(f"column {self.name!r} must be finite and within ±{LARGEST:g}")

    def _parse(self, text: str) -> float:
        if text == "":
            return self.missing()
        try:
            number = float(text.replace("_", "x"))  # Python reads 1_000, nobody else does
        except ValueError:
            raise DataError(f"column {self.name!r} has a text that is no number") from None
        return self.cell(number)

    def cells(self, table: Table) -> NDArray[np.float64]:
        """Return a column of numbers."""
        numbers = table.numbers(self.name)
        if numbers.missing is not None:
            self._refuse_missing(numbers.missing)
        if len(numbers) and np.nanmax(np.abs(numbers.values), initial=0.0) > LARGEST:
            raise DataError(f"column {self.name!r} must be finite and within ±{LARGEST:g}")
        return numbers.values

    def _levels(self, cells: NDArray[np.float64]) -> NDArray[np.int8]:
        levels = np.full(len(cells), NO_PRECISION, dtype=np.int8)
        for decimals in range(MOST_DECIMALS, -1, -1):
            levels[np.round(cells, decimals) == cells] = decimals
        return levels

    def rounded(self, values: NDArray[np.float64], precisions: NDArray[np.int8]) -> NDArray[np.float64]:
        """Round to the group's decimals."""
        result = values.copy()
        for decimals in np.unique(precisions[precisions != NO_PRECISION]):
            chosen = precisions == decimals
            result[chosen] = np.round(values[chosen], int(decimals))
        return result

    def to_record(self, value: float, precision: int) -> Any:
        """Return a float, or an int where the group was rounded to whole numbers."""
        if value != value:
            return None
        return int(value) if precision == 0 else value

    def to_column(self, values: NDArray[np.float64], *, whole: bool) -> FrameColumn:
        """Return numbers, in the column's integer type if it has one and values are rounded."""
        absent = np.isnan(values)
        return Numbers(values, absent if absent.any() else None, whole=whole and self.rounds)


_LAST = microseconds(datetime.max)
_UNITS = (86_400_000_000, 60_000_000, 1_000_000, 1_000, 1)  # day, minute, second, millisecond, in microseconds


class DateColumn(ContinuousColumn):
    """Dates and times, as microseconds since 1970; rounded to the coarsest unit that the group's values are told in.

    All values of a stream's records have one form: dates, times, or times with a zone (which leave in UTC), as objects
    or as text. The first record decides.
    """

    rounds = True

    def __init__(self, name: str, attribute: Attribute, policy: Missing, *, text: bool = False) -> None:
        super().__init__(name, attribute, policy, text=text)
        self.form: str | None = None
        self._form: str | None = None  # of the last value, kept once its record is taken

    def settle(self) -> None:
        """Keep to the form of the last value from now on."""
        self.form = self._form

    def cell(self, value: Any) -> float:
        """Return a date, a time or their text as a number."""
        if self.lacks(value):
            self._form = self.form
            return self.missing()
        moment = self._parse(value) if isinstance(value, str) else value
        if not isinstance(moment, date):
            raise DataError(f"column {self.name!r} must be a date, not of type {type(value).__name__}")
        form = "text " if isinstance(value, str) else ""
        if not isinstance(moment, datetime):
            form += "date"
        else:
            form += "time" if moment.tzinfo is None else "zoned time"
        if self.form not in (None, form):
            raise DataError(f"column {self.name!r} changes from {self.form} to {form}: a stream keeps to one form")
        self._form = form
        return float(microseconds(moment))

    def cells(self, table: Table) -> NDArray[np.float64]:
        """Return a column of dates or times."""
        instants = table.instants(self.name)
        values = np.empty(len(instants), dtype=np.float64)
        unit = {"D": 0, "m": 1, "s": 2, "ms": 3, "us": 4}.get(instants.unit)
        values[:] = instants.values // 1000 if unit is None else instants.values * _UNITS[unit]
        if instants.missing is not None:
            self._refuse_missing(instants.missing)
            values[instants.missing] = np.nan
        return values

    def _parse(self, text: str) -> date | None:
        try:
            if self.attribute.format is None:
                return datetime.fromisoformat(text) if len(text) > 10 else date.fromisoformat(text)
            moment = datetime.strptime(text, self.attribute.format)
            return moment if any(part in self.attribute.format for part in _TIME_PARTS) else moment.date()
        except ValueError:
            raise DataError(f"column {self.name!r} has a text that is no date of the expected form") from None

    def _levels(self, cells: NDArray[np.float64]) -> NDArray[np.int8]:
        counts = cells.astype(np.int64)
        levels = np.full(len(cells), len(_UNITS) - 1, dtype=np.int8)
        for level in range(len(_UNITS) - 2, -1, -1):
            levels[counts % _UNITS[level] == 0] = level
        return levels

    def rounded(self, values: NDArray[np.float64], precisions: NDArray[np.int8]) -> NDArray[np.float64]:
        """Round to the group's unit."""
        units = np.array(_UNITS, dtype=np.float64)[precisions]
        return np.rint(values / units) * units

    def to_record(self, value: float, precision: int) -> Any:
        """Return a date or time in the form of the stream's records."""
        if value != value:
            return None
        # A double holds the last microseconds of the year 9999 as the year 10000.
        moment: date = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=min(int(value), _LAST))
        form = self.form or "date"
        if form.endswith("date"):
            moment = moment.date()  # type: ignore[attr-defined]
        elif not form.endswith("zoned time"):
            moment = moment.replace(tzinfo=None)  # type: ignore[call-arg]
        if not form.startswith("text"):
            return moment
        return moment.isoformat() if self.attribute.format is None else moment.strftime(self.attribute.format)

    def to_column(self, values: NDArray[np.float64], *, whole: bool) -> FrameColumn:
        """Return instants."""
        absent = np.isnan(values)
        stamps = np.where(absent, 0, values).astype(np.int64).view("datetime64[us]")
        stamps[absent] = np.datetime64("NaT")
        return Instants.of(stamps)


_TIME_PARTS = ("%H", "%I", "%M", "%S", "%f", "%c", "%X", "%z", "%T", "%R")
