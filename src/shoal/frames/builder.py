"""Native columns and frames, built in place of others: each library has its own way to hold what is given back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames.calendar import no_room
from shoal.frames.columns import Categories, FrameColumn, Gaps, Mask, Numbers, Rows, Text, dtype_of
from shoal.frames.exact_names import only_columns, with_columns_of
from shoal.frames.instants import Instants
from shoal.frames.native import factorise, is_ordered, with_labels_at

_VIEWS = {"string_view": "large_string", "binary_view": "large_binary"}
"""Types of Arrow from which no library takes rows, and those by way of which they are taken."""


def build(name: str, series: nw.Series[Any], column: FrameColumn) -> Any:
    """Build a native column with new contents, in the type of ``series`` where it takes them."""
    if len(column) != len(series):
        raise DataError(f"column {name!r} has {len(series)} rows, but {len(column)} values were given for it")
    match column:
        case Rows():
            return take_rows(series, column.source)
        case Gaps():
            return _blanked(series, column.missing)
        case Text():
            return _text(series, column)
        case Numbers():
            return _numbers(series, column)
        case Instants():
            try:
                return _instants(series, column)
            except OverflowError:
                raise no_room(name) from None
    if dtype_of(series) in ("date", "datetime"):
        stamps = np.array([*column.labels, "NaT"], dtype="datetime64")[column.codes]
        return _instants(series, Instants.of(stamps))
    return _categories(series, column)


def with_columns(frame: nw.DataFrame[Any], names: Sequence[str], columns: Mapping[str, Any]) -> Any:
    """Build a native frame of some columns of another, native columns in place of those of their names."""
    native = frame.to_native()
    if frame.implementation.is_polars():
        return with_columns_of(only_columns(native, names), columns)
    if frame.implementation.is_pyarrow():
        native = native.select(names)
        for name, array in columns.items():
            native = native.set_column(names.index(name), native.field(name).with_type(array.type), array)
        return native
    # By position, never by label: an index may hold duplicates.
    native = native[names].copy(deep=False)
    native.index = _only_used(native.index)
    for name, array in columns.items():
        native[name] = type(native[name])(array, index=native.index, dtype=array.dtype)
    return native


def take_rows(series: nw.Series[Any], source: NDArray[np.int64]) -> Any:
    """Build a native column of the series' own values at other rows."""
    native, fewer = series.to_native(), without_unused(series)
    if fewer is not None:
        return fewer.take(source)
    if series.implementation.is_polars():
        return native.gather(source)
    if series.implementation.is_pyarrow():
        return _take(native, source, nw.get_native_namespace(series))
    way = _VIEWS.get(str(getattr(native.dtype, "pyarrow_dtype", "")))
    if way is not None:
        return native.array.astype(f"{way}[pyarrow]").take(source).astype(native.dtype)
    return native.array.take(source)


def _take(chunked: Any, places: Any, pa: Any) -> Any:
    """Take rows of a column of Arrow, also of the types of which Arrow itself takes none."""
    way = _VIEWS.get(str(chunked.type))
    if way is not None:
        return chunked.cast(way).take(places).cast(chunked.type)
    if hasattr(chunked.type, "run_end_type"):
        rows = pa.compute.run_end_decode(chunked).take(places)
        return pa.compute.run_end_encode(rows, run_end_type=chunked.type.run_end_type)
    return chunked.take(places)


def _gather(series: Any, places: NDArray[np.integer[Any]]) -> Any:
    """Take rows of a column of polars; a place below 0 is one without a value."""
    rows = type(series)(places)
    return series.gather(rows.set(rows < 0, None) if (places < 0).any() else rows)


def _blanked(series: nw.Series[Any], missing: Mask) -> Any:
    """Build a native column of the series' own values, none where the mask says so."""
    native, library = series.to_native(), nw.get_native_namespace(series)
    if series.implementation.is_polars():
        return _gather(native, np.where(missing, -1, np.arange(len(missing))))
    if series.implementation.is_pyarrow():
        return _take(native, library.array(np.arange(len(missing)), mask=missing), library)
    return native.mask(missing).array


def take_table(frame: nw.DataFrame[Any], rows: NDArray[np.int64]) -> Any:
    """Build a native frame of some rows of another."""
    native = frame.to_native()
    if frame.implementation.is_polars():
        return native[rows]
    if frame.implementation.is_pyarrow():
        return type(native).from_arrays([take_rows(frame[name], rows) for name in frame.columns], schema=native.schema)
    index = native.index
    if hasattr(index, "step"):  # a mere count of rows would tell where each of them stood: it goes on counting
        index = type(index)(index.start, index.start + len(rows) * index.step, index.step, name=index.name)
    else:
        index = _only_used(index.take(rows))
    taken = type(native)({name: take_rows(frame[name], rows) for name in frame.columns}, index=index)
    taken.attrs = native.attrs
    return taken


def bare_table(frame: nw.DataFrame[Any]) -> Any:
    """Build a native frame of the same cells alone: rows are counted, and nothing is noted beside the columns."""
    native = frame.to_native()
    if frame.implementation.is_polars():
        return native
    if frame.implementation.is_pyarrow():
        schema = nw.get_native_namespace(frame).schema([field.remove_metadata() for field in native.schema])
        return type(native).from_arrays(native.columns, schema=schema)
    bare = native.reset_index(drop=True)
    bare.attrs = {}
    return bare


def _only_used(index: Any) -> Any:
    """Return an index without the labels that no row has: those of dropped records would leave with its type."""
    if hasattr(index, "levels"):
        used = index.remove_unused_levels()
        return used.set_levels([_only_used(level) for level in used.levels])
    return index.remove_unused_categories() if hasattr(index, "remove_unused_categories") else index


def _numbers(series: nw.Series[Any], numbers: Numbers) -> Any:
    """Build a native column of numbers in place of ``series``."""
    values, missing = numbers.values, numbers.missing
    native, library = series.to_native(), nw.get_native_namespace(series)
    whole = _whole_type(series, numbers)
    if series.implementation.is_polars():
        built = library.Series(series.name, values, nan_to_null=missing is not None)
        return built.cast(getattr(library, whole)) if whole else built
    if series.implementation.is_pyarrow():
        built = library.array(values, mask=missing, type=library.float64())
        return built.cast(whole.lower()) if whole else built
    if isinstance(native.dtype, np.dtype):
        return values.astype(whole.lower()) if whole and missing is None else values
    if hasattr(native.dtype, "pyarrow_dtype"):
        return library.array(values, dtype="double[pyarrow]").astype(f"{whole.lower() if whole else 'double'}[pyarrow]")
    return library.array(values, dtype="Float64").astype(whole or "Float64")


def _whole_type(series: nw.Series[Any], numbers: Numbers) -> str | None:
    """Name the integer type for whole numbers: the column's own, or a wider one where they outgrew it; else None."""
    if not numbers.whole:
        return None
    values = numbers.values if numbers.missing is None else numbers.values[~numbers.missing]
    ends = {int(values.min(initial=0)), int(values.max(initial=0))}
    own = [str(series.dtype)] if series.dtype.is_integer() else []
    limits = {name: np.iinfo(name.lower()) for name in (*own, "Int64")}
    return next((name for name, held in limits.items() if all(held.min <= end <= held.max for end in ends)), None)


def _instants(series: nw.Series[Any], instants: Instants) -> Any:
    """Build a native column of dates or times in place of ``series``, in its own unit and time zone."""
    native = series.to_native()
    if series.implementation.is_polars():
        unit = "D" if isinstance(series.dtype, nw.Date) else native.dtype.time_unit
        counts = instants.in_unit(unit)
        built = type(native)(series.name, counts.view(f"datetime64[{unit}]"))
        zone = getattr(native.dtype, "time_zone", None)
        return built.dt.replace_time_zone("UTC").dt.convert_time_zone(zone) if zone else built.cast(native.dtype)
    if series.implementation.is_pyarrow():
        pa = nw.get_native_namespace(series)
        unit = getattr(native.type, "unit", "D" if native.type.bit_width == 32 else "ms")
        counts = instants.in_unit(unit)
        integers = pa.array(counts if unit != "D" else counts.astype(np.int32), mask=instants.missing)
        return integers.view(native.type)
    pd, own = nw.get_native_namespace(series), getattr(native.dtype, "pyarrow_dtype", native.dtype)
    if native.dtype == object:  # Python dates
        return pd.array(instants.in_unit("D").view("datetime64[D]").astype(object), dtype=object)
    in_arrow = own is not native.dtype
    unit = getattr(own, "unit", None) or ("s" if in_arrow else np.datetime_data(own)[0])
    stamps, zone = instants.in_unit(unit).view(f"datetime64[{unit}]"), getattr(own, "tz", None)
    if zone:
        stamps = pd.DatetimeIndex(stamps).tz_localize("UTC").tz_convert(zone).array
    return pd.Series(stamps).astype(native.dtype).array if in_arrow else stamps


def _text(series: nw.Series[Any], text: Text) -> Any:
    """Build a native column of text in place of ``series``, whatever its type was."""
    library = nw.get_native_namespace(series)
    missing: Mask = text.codes < 0
    if series.implementation.is_polars():
        return _gather(library.Series(series.name, text.labels, dtype=library.String), text.codes)
    if series.implementation.is_pyarrow():
        return library.array(text.labels, type=library.string()).take(library.array(text.codes, mask=missing))
    return library.Series(text.labels).array.take(text.codes, allow_fill=bool(missing.any()))


def _categories(series: nw.Series[Any], categories: Categories) -> Any:
    """Build a native column of labels in the type of ``series``: never of codes.

    Only an ordered type lists labels that no record has, and only if they are steps of a scale.
    """
    native = series.to_native()
    if not (categories.scale and is_ordered(series)):
        categories = _used(categories)
    codes, labels = categories.codes, list(categories.labels)
    missing: Mask = codes < 0
    if series.implementation.is_polars():
        enum = nw.get_native_namespace(series).Enum
        dtype = enum(labels) if isinstance(native.dtype, enum) else native.dtype
        return _gather(type(native)(series.name, labels, strict=False).cast(dtype), codes)
    if series.implementation.is_pyarrow():
        pa = nw.get_native_namespace(series)
        positions = pa.array(codes, mask=missing)
        if hasattr(native.type, "index_type"):
            dictionary = pa.array(labels, type=native.type.value_type)
            indices = positions.cast(native.type.index_type)
            return pa.DictionaryArray.from_arrays(indices, dictionary, ordered=native.type.ordered)
        # Of plain numbers Arrow makes signed integers, and the largest unsigned ones are none; texts it only casts.
        whole = series.dtype.is_integer() and not any(isinstance(label, str) for label in labels)
        kept = native.type if whole else None
        return pa.array(labels, type=kept).take(positions).cast(native.type)
    pd = nw.get_native_namespace(series)
    if isinstance(native.dtype, pd.CategoricalDtype):
        own = native.cat.categories
        if categories.scale and native.dtype.ordered:
            position = np.append(own.get_indexer(labels), -1)  # code -1 reads the last entry
            return pd.Categorical.from_codes(position[codes], dtype=native.dtype)
        return pd.Categorical.from_codes(codes, pd.Index(labels).astype(own.dtype), ordered=native.dtype.ordered)
    if native.dtype == object:
        return np.array([*labels, None], dtype=object)[codes]  # code -1 reads the last entry
    return pd.array(labels, dtype=native.dtype).take(codes, allow_fill=bool(missing.any()))


def _used(categories: Categories) -> Categories:
    """Leave out the labels that no record has: one that is gone would still tell that somebody had it."""
    counts = np.bincount(categories.codes[categories.codes >= 0], minlength=len(categories.labels))
    return with_labels_at(np.flatnonzero(counts).tolist(), categories)


def without_unused(series: nw.Series[Any]) -> Any | None:
    """Return a native column whose type does not list labels that no record has, or None where it lists none."""
    native = series.to_native()
    if not isinstance(series.dtype, nw.Categorical) or series.implementation.is_polars() or is_ordered(series):
        return None
    if series.implementation.is_pyarrow():
        categories = factorise(series)
        return None if len(_used(categories).labels) == len(categories.labels) else _categories(series, categories)
    if hasattr(native.dtype, "pyarrow_dtype"):
        ordered = getattr(native.dtype.pyarrow_dtype, "ordered", False)
        return None if ordered else _categories(series, factorise(series))
    fewer = native.cat.remove_unused_categories()
    return None if len(fewer.cat.categories) == len(native.cat.categories) else fewer.array
