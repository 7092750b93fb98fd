"""Raw arrays of values, checked and turned into numbers or ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.classes import is_missing
from shoal.errors import DataError
from shoal.kinds import Kind


class DeclaredKind(NamedTuple):
    """A kind and, of an ordinal column, its categories, lowest first."""

    kind: Kind
    order: Sequence[Any] | None = None


class Observed(NamedTuple):
    """Numbers, and where they are missing; None where none is."""

    values: NDArray[np.float64]
    missing: NDArray[np.bool_] | None


def declared_kind(name: str, kind: Kind | str | Sequence[Any]) -> DeclaredKind:
    """Return the kind that was declared for a column and, for an ordinal one, its categories, lowest first.

    >>> declared_kind("town", "nominal").kind, declared_kind("grade", ["C", "B", "A"]).order
    (<Kind.NOMINAL: 'nominal'>, ['C', 'B', 'A'])
    """
    if not isinstance(kind, str):
        return DeclaredKind(Kind.ORDINAL, kind)
    if kind not in (Kind.NUMERIC, Kind.DATE, Kind.NOMINAL):
        raise DataError(
            f"column {name!r} cannot be of kind {str(kind)!r}: use numeric, date or nominal, or list the categories of "
            "an ordinal column, lowest first"
        )
    return DeclaredKind(Kind(kind))


def missing_cells(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the cells that are missing: NaN, NaT, None."""
    if column.dtype.kind in "iub":
        return np.zeros(len(column), dtype=np.bool_)
    if column.dtype.kind in "fmM":
        return np.asarray(np.isnan(column))
    return np.fromiter((is_missing(cell) for cell in column.tolist()), dtype=np.bool_, count=len(column))


def numbers(name: str, column: NDArray[Any]) -> Observed:
    """Return a column as float64 and where it is missing; dates count their unit from the epoch."""
    absent = missing_cells(column)
    if column.dtype.kind in "mM":
        values = column.astype(np.int64).astype(np.float64)
    elif column.dtype.kind in "iubf":
        values = column.astype(np.float64, copy=False)
    else:
        try:
            values = np.where(absent, np.nan, column).astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(f"column {name!r} holds values that are not numbers: say what kind it is") from None
    if np.isinf(values).any():
        raise DataError(f"column {name!r} has an infinite value, and a numeric column must be finite")
    return Observed(np.ascontiguousarray(values), absent if absent.any() else None)


def ranks_in(name: str, column: NDArray[Any], absent: NDArray[np.bool_], order: Sequence[Any]) -> NDArray[np.int32]:
    """Return the place of each value in an order; what stands at a missing cell is 0."""
    places = {category: place for place, category in enumerate(order)}
    if len(places) != len(order):
        raise DataError(f"the order of column {name!r} must name each category once")
    cells = column.tolist()
    ranks = [0 if gone else places.get(cell, -1) for cell, gone in zip(cells, absent, strict=True)]
    if -1 in ranks:
        raise DataError(
            f"column {name!r} has a value in row {ranks.index(-1) + 1} that is not in its order: add the category"
        )
    return np.asarray(ranks, dtype=np.int32)
