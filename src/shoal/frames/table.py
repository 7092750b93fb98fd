"""The table: any eager data frame as columns, and columns back into the same kind of frame."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames import builder, native
from shoal.frames.calendar import require_calendar
from shoal.frames.columns import Categories, DType, FrameColumn, Mask, Numbers, dtype_of, holds
from shoal.frames.exact_names import column_of, only_columns
from shoal.frames.fingerprint import fingerprint
from shoal.frames.instants import Instants

_CACHED_CELLS = 1 << 22
"""Codes and labels of columns that a table keeps, so that a column that is asked for often is not read each time."""


def _recognise(frame: Any) -> nw.DataFrame[Any]:
    """Wrap a frame, or say in one sentence why it cannot be one."""
    names = getattr(frame, "column_names", None)  # pyarrow
    if names is None and not hasattr(frame, "collect_schema"):
        names = getattr(frame, "columns", None)
    if names is not None:
        _check_names(list(names))
    try:
        wrapped: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)
    except TypeError:
        hint = "call .collect() first" if hasattr(frame, "collect") else "give a pandas, polars or pyarrow table"
        raise DataError(f"a {type(frame).__module__}.{type(frame).__name__} is not a table in memory: {hint}") from None
    except nw.exceptions.DuplicateError:
        raise DataError("column names must be unique: rename the columns that share a name") from None
    library = wrapped.implementation
    if not (library.is_pandas() or library.is_polars() or library.is_pyarrow()):
        raise DataError(f"tables of {library.value} are not supported: convert it to pandas, polars or pyarrow first")
    return wrapped


def _check_names(names: list[Any]) -> None:
    for position, name in enumerate(names, start=1):
        if not isinstance(name, str):
            raise DataError(
                f"column names must be text, but the name of column {position} is of type {type(name).__name__}: "
                "rename it, for example frame.columns = [str(c) for c in frame.columns]"
            )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(f"column names must be unique, but {repeated[0]!r} appears {names.count(repeated[0])} times")


class _Column(NamedTuple):
    """A column of a frame, and what it holds."""

    series: nw.Series[Any]
    dtype: DType


class _Columns(dict[str, _Column]):
    """The columns of a frame, each taken out of it and looked at once."""

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self._frame = frame

    def __missing__(self, name: str) -> _Column:
        names = self._frame.columns
        if name not in names:
            # The others are not listed: in a file without a header, they are the first record.
            raise DataError(f"there is no column {name!r} among the {len(names)} of the table")
        series = column_of(self._frame, name)
        self[name] = column = _Column(series, dtype_of(series))
        return column


@dataclass(frozen=True, eq=False)
class Table:
    """A pandas, polars or pyarrow table, seen as columns. Make one with `Table.of`.

    Examples
    --------
    >>> import polars as pl
    >>> table = Table.of(pl.DataFrame({"name": ["Ana", "Bo"], "age": [30, 41]}))
    >>> table.names, len(table), table.dtype("age")
    (('name', 'age'), 2, 'integer')
    >>> ages = table.numbers("age")
    >>> table.replace({"age": Numbers(ages.values * 0 + ages.values.mean())}, drop=["name"]).rows()
    [(35.5,), (35.5,)]
    """

    frame: nw.DataFrame[Any]
    unwrap: bool = True
    _categories: dict[str, Categories] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, frame: Any) -> Table:
        """Take a pandas, polars, pyarrow or narwhals data frame that is in memory; copy nothing.

        Raises
        ------
        DataError
            For lazy frames, things that are no tables, column names that are repeated or not text, dates outside the
            years 1 to 9999.
        """
        table = cls(_recognise(frame), unwrap=not isinstance(frame, nw.DataFrame))
        for name, series, dtype in table._each():
            require_calendar(name, series, dtype)
        return table

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Column names, in order."""
        return tuple(self.frame.columns)

    @property
    def data(self) -> Any:
        """The frame as its users have it: of their library, or of narwhals if it came in so."""
        return self.frame.to_native() if self.unwrap else self.frame

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def has_index(self) -> bool:
        """Whether the frame carries row labels of its own, as pandas frames may: they leave with it."""
        index = getattr(self.frame.to_native(), "index", None)
        return index is not None and not hasattr(index, "step")  # a plain count of rows has a step

    @property
    def has_sorted_index(self) -> bool:
        """Whether the row labels of the frame stand in their order, up or down."""
        index = self.frame.to_native().index if self.has_index else None
        return index is not None and bool(index.is_monotonic_increasing or index.is_monotonic_decreasing)

    @property
    def has_metadata(self) -> bool:
        """Whether the frame carries notes of its own: attributes in pandas, metadata of schema and fields in Arrow."""
        frame = self.frame.to_native()
        if self.frame.implementation.is_pyarrow():
            notes = dict(frame.schema.metadata or {})
            types = json.loads(notes.pop(b"pandas", b"{}"))  # so that pandas finds its types again; and its attributes
            return bool(notes or types.get("attributes")) or any(field.metadata for field in frame.schema)
        return bool(getattr(frame, "attrs", None))

    def bare(self) -> Table:
        """Return the cells alone: without row labels, and without what `has_metadata` finds."""
        return Table(nw.from_native(builder.bare_table(self.frame), eager_only=True), self.unwrap)

    def head(self, rows: int) -> Table:
        """Return a table of the first rows."""
        return Table(self.frame.head(rows))

    def take(self, rows: NDArray[np.int64]) -> Table:
        """Return a table of other rows, or of the same in another order; an index goes along, a mere count does not."""
        return Table(nw.from_native(builder.take_table(self.frame, rows), eager_only=True), self.unwrap)

    def select(self, names: Sequence[str]) -> Table:
        """Return a table of some columns."""
        return Table(only_columns(self.frame, names))

    def followed_by(self, other: Table) -> Table:
        """Return a table of these rows and those of another one with the same columns after them."""
        return Table(nw.concat([self.frame, other.frame]), self.unwrap)

    @property
    def index_names(self) -> tuple[str, ...]:
        """The names that the levels of a pandas index have."""
        index = getattr(self.frame.to_native(), "index", None)
        return () if index is None else tuple(name for name in index.names if name is not None)

    @cached_property
    def _columns(self) -> _Columns:
        return _Columns(self.frame)

    def _each(self) -> Iterator[tuple[str, nw.Series[Any], DType]]:
        """Yield the name of each column, the column and what it holds."""
        for name in self.names:
            yield name, *self._columns[name]

    def dtype(self, name: str) -> DType:
        """Tell what a column holds, whatever its library calls it."""
        return self._columns[name].dtype

    def holds(self, name: str) -> str:
        """Say what a column holds, for messages."""
        return holds(self._columns[name].series)

    def has_order(self, name: str) -> bool:
        """Whether the column's own type orders its values: numbers, dates, ordered categories; not text."""
        series, dtype = self._columns[name]
        return native.is_ordered(series) if dtype == "categorical" else dtype not in ("string", "other")

    def missing(self, name: str) -> Mask | None:
        """Where the column has no value (null, NaN, NaT); None when every value is there."""
        return self.numbers(name).missing if self.dtype(name) == "float" else native.nulls(self._columns[name].series)

    def numbers(self, name: str) -> Numbers:
        """Return a column of numbers or booleans as float64; without a copy where the frame allows.

        NaN counts as missing; infinities are left for the caller to judge. Integers beyond 2**53 are rounded to the
        nearest double.
        """
        series, dtype = self._columns[name]
        if dtype not in ("integer", "float", "boolean", "decimal"):
            raise DataError(f"column {name!r} holds {holds(series)}, not numbers")
        values = native.doubles(series)
        return Numbers(values, native.not_numbers(values), whole=dtype == "integer")

    def instants(self, name: str) -> Instants:
        """Return a column of dates or times as integers counted in the coarsest unit that is exact."""
        series, dtype = self._columns[name]
        if dtype not in ("date", "datetime"):
            raise DataError(f"column {name!r} holds {holds(series)}, not dates")
        if series.implementation.is_pandas() and isinstance(series.dtype, nw.Date):
            series = series.cast(nw.Datetime("us"))
        values = series.to_numpy()
        if values.dtype == object:  # Python dates
            days = values.copy()
            days[series.is_null().to_numpy()] = None
            values = days.astype("datetime64[D]")
        return Instants.of(values)

    def categories(self, name: str) -> Categories:
        """Return a column as codes, which are read-only, and labels; any dtype but durations and nested types."""
        categories = self._categories.get(name)
        if categories is None:
            categories = self._read_categories(name)
            categories.codes.flags.writeable = False
            cached = (*self._categories.values(), categories)
            if sum(len(each.codes) + len(each.labels) for each in cached) <= _CACHED_CELLS:
                self._categories[name] = categories
        return categories

    def _read_categories(self, name: str) -> Categories:
        series, dtype = self._columns[name]
        if dtype in ("string", "categorical"):
            return native.factorise(series)
        if dtype == "decimal":
            written = native.factorise(series.cast(nw.String()))
            return native.in_label_order(written.codes, written.labels, key=Decimal)
        if dtype in ("date", "datetime"):
            instants = self.instants(name)
            stamps, codes = native.distinct(instants.values, instants.missing)
            return Categories(codes, tuple(np.datetime_as_string(stamps.view(f"datetime64[{instants.unit}]")).tolist()))
        if dtype in ("duration", "other"):
            raise DataError(f"column {name!r} holds {holds(series)}, which cannot be categories: convert it to text")
        values, missing = native.exact_numbers(series, dtype)
        distinct, codes = native.distinct(values, missing)
        return Categories(codes, tuple(distinct.tolist()))

    def class_codes(self, name: str) -> NDArray[np.int64]:
        """Return one integer per row, equal where the column's values are equal (missing equals missing).

        Meant for grouping rows; the integers have no meaning of their own, and differ from table to table.
        """
        series, dtype = self._columns[name]
        if dtype in ("date", "datetime"):
            instants = self.instants(name)
            return instants.in_unit(instants.unit)
        if dtype in ("string", "categorical", "decimal"):
            return self.categories(name).codes.astype(np.int64)
        if dtype in ("duration", "other"):
            raise DataError(f"column {name!r} holds {holds(series)}, which cannot be compared: convert it to text")
        values, missing = native.exact_numbers(series, dtype)
        if dtype == "float":
            one_zero = values + 0.0  # -0.0 equals 0.0, but its bits do not
            if missing is not None:
                one_zero[missing] = np.nan
            return one_zero.view(np.int64)
        return values.astype(np.int64) if missing is None else native.distinct(values, missing)[1].astype(np.int64)

    def sha256(self) -> str:
        """Return a hash of names, types and values, for the manifest."""
        return fingerprint(self._each())

    def secret(self, purpose: str) -> int:
        """Return a number that only who has the whole table can know: the same for the same table and purpose."""
        return int(fingerprint(self._each(), purpose), 16)

    def replace(self, columns: Mapping[str, FrameColumn], *, drop: Iterable[str] = ()) -> Any:
        """Return the same kind of frame with some columns replaced and some dropped.

        Row order, index, column order and the types of all other columns are kept. Numbers come back as float64, or
        if ``whole`` in the column's integer type, or a wider one where they outgrew it; dates and times in the column's
        own type, unit and time zone; categories as labels in the column's own type. Whatever the column, only an
        ordered type may list labels that no record has.

        Parameters
        ----------
        columns
            New contents by column name, as long as the table.
        drop
            Columns to leave out.
        """
        dropped = set(drop)
        for name in dropped:
            self._columns[name]  # which refuses one that is not there
        remaining = [name for name in self.names if name not in dropped]
        built = {
            name: builder.build(name, self._columns[name].series, column)
            for name, column in columns.items()
            if name not in dropped
        }
        for name in remaining:
            fewer = None if name in built else builder.without_unused(self._columns[name].series)
            if fewer is not None:
                built[name] = fewer
        frame = builder.with_columns(self.frame, remaining, built)
        return frame if self.unwrap else nw.from_native(frame, eager_only=True)
