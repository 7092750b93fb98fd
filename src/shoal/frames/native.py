"""Cells of a native column as arrays, where narwhals leaves that to each library: numbers, codes and labels.

No library is imported here: each function reaches its library through the objects that came in, so that a user of
one needs none of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shoal.frames.columns import Categories, DType, Label, Mask


def in_label_order(codes: NDArray[Any], labels: Sequence[Label], key: Callable[[Any], Any] | None = None) -> Categories:
    """Renumber codes so that labels stand in sorted order, or in that of a key."""
    order = sorted(range(len(labels)), key=lambda i: key(labels[i]) if key else labels[i])
    return with_labels_at(order, Categories(codes, tuple(labels)))


def with_labels_at(places: Sequence[int], categories: Categories) -> Categories:
    """Return categories with the labels at some places alone, in that order; cells that had others are missing."""
    position = np.full(len(categories.labels) + 1, -1, dtype=np.int32)  # code -1, missing, reads the last entry
    position[places] = np.arange(len(places), dtype=np.int32)
    return Categories(position[categories.codes], tuple(categories.labels[i] for i in places), categories.scale)


def factorise(series: nw.Series[Any]) -> Categories:
    """Categories of a column of text or of a categorical type."""
    native = series.to_native()
    if series.implementation.is_polars():
        return _factorise_polars(native, nw.get_native_namespace(series))
    if series.implementation.is_pyarrow():
        return _factorise_arrow(native)
    if hasattr(native, "cat") and not hasattr(native.dtype, "pyarrow_dtype"):
        return Categories(native.cat.codes.to_numpy().astype(np.int32), tuple(native.cat.categories.tolist()))
    codes, labels = native.factorize()
    return in_label_order(codes, labels.tolist())


def _factorise_polars(series: Any, pl: Any) -> Categories:
    if not isinstance(series.dtype, pl.Enum):
        # A Categorical's order depends on what the process saw before: it is no order, so labels are sorted.
        labels = series.cast(pl.String).unique().drop_nulls().sort()
        series = series.cast(pl.String).cast(pl.Enum(labels))
    codes = series.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
    return Categories(codes, tuple(series.dtype.categories.to_list()))


def _factorise_arrow(chunked: Any) -> Categories:
    if len(chunked) == 0:  # maybe without a chunk that would have a dictionary
        return Categories(np.empty(0, dtype=np.int32), ())
    own_order = hasattr(chunked.type, "index_type")
    if own_order and any(chunk.dictionary.null_count for chunk in chunked.chunks):
        chunked, own_order = chunked.cast(chunked.type.value_type), False  # a null among the categories is no category
    array = (chunked.unify_dictionaries() if own_order else chunked.dictionary_encode()).combine_chunks()
    codes = array.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    labels = array.dictionary.to_pylist()
    return Categories(codes, tuple(labels)) if own_order else in_label_order(codes, labels)


def is_ordered(series: nw.Series[Any]) -> bool:
    """Whether a categorical type says that its categories stand in an order."""
    of_arrow = getattr(series.to_native(), "type", None)
    return isinstance(series.dtype, nw.Enum) or bool(getattr(of_arrow, "ordered", False))


def nulls(series: nw.Series[Any]) -> Mask | None:
    """Where a column has no value; None when every value is there."""
    if series.null_count() == 0:
        return None
    mask: Mask = series.is_null().to_numpy().astype(np.bool_)
    return mask


def doubles(series: nw.Series[Any]) -> NDArray[np.float64]:
    """Numbers or booleans as float64, NaN where missing."""
    if series.dtype.is_integer() and series.implementation.is_pyarrow():
        # Arrow refuses to cast integers that a double does not hold exactly; NumPy rounds them, as everywhere else.
        return series.to_numpy().astype(np.float64)
    if series.dtype.is_integer() and hasattr(series.to_native().dtype, "pyarrow_dtype"):  # the same in pandas
        rounded: NDArray[np.float64] = series.to_native().to_numpy(dtype=np.float64, na_value=np.nan)
        return rounded
    values: NDArray[np.float64] = (series if series.dtype == nw.Float64 else series.cast(nw.Float64())).to_numpy()
    return values


def not_numbers(values: NDArray[np.float64]) -> Mask | None:
    """Where values are NaN; None where none is: the minimum is NaN if any value is, and most columns need no mask."""
    return np.isnan(values) if len(values) and np.isnan(values.min()) else None


def exact_numbers(series: nw.Series[Any], dtype: DType) -> tuple[NDArray[Any], Mask | None]:
    """Numbers in the column's own type (so that large integers stay exact), zero where missing."""
    if dtype == "float":
        values = doubles(series)
        return values, not_numbers(values)
    missing = nulls(series)
    values = (series if missing is None else series.fill_null(False if dtype == "boolean" else 0)).to_numpy()
    if values.dtype == object:
        values = values.astype(np.bool_ if dtype == "boolean" else np.int64)
    return values, missing


def distinct(values: NDArray[Any], missing: Mask | None) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Distinct present values, sorted, and the position of each value among them (-1 where missing)."""
    present = slice(None) if missing is None else ~missing
    distinct, positions = np.unique(values[present], return_inverse=True)
    codes: NDArray[np.int32] = np.full(len(values), -1, dtype=np.int32)
    codes[present] = positions
    return distinct, codes
