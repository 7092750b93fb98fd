"""Equivalence classes: the records of a table that nobody can tell apart by the columns given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.errors import DataError


def equivalence_classes(columns: NDArray[Any] | Sequence[ArrayLike]) -> NDArray[np.int64]:
    """Number the groups of records that agree in every column.

    Columns are arrays of numbers, truth values, dates, strings or objects, or one array of records by columns. −0.0
    equals 0.0, and a missing cell (NaN, NaT, None) any other of its column. Classes are numbered from 0 in the order
    their first record appears.

    Notes
    -----
    One pass per column over a hash table whose size follows the number of classes: time is linear in the number of
    cells, and only one column at a time is converted.

    Examples
    --------
    >>> age = [30, 30, 41, 30]
    >>> county = ["Osona", "Osona", "Osona", None]
    >>> equivalence_classes([age, county]).tolist()
    [0, 0, 1, 2]
    """
    if isinstance(columns, np.ndarray):
        if columns.ndim != 2:
            raise DataError(f"columns must be a table of records by columns, not an array of {columns.ndim} dimensions")
        n, parts = columns.shape[0], list(columns.T)
    else:
        parts = [np.asarray(column) for column in columns]
        if not parts:
            raise DataError("columns must hold at least one column to tell records apart")
        n = len(parts[0])
    labels = np.zeros(n, dtype=np.int64)
    for position, column in enumerate(parts):
        if column.shape != (n,):
            raise DataError(
                f"column {position} must be one cell for each of the {n} records, but its shape is {column.shape}"
            )
        if n and labels[-1] == n - 1:
            continue  # every record is a class of its own already
        labels = _core.split_classes(labels, _cells(column, position))
    return labels


def subjects_of_each(classes: NDArray[np.int64], subjects: NDArray[np.int32] | None) -> NDArray[np.int64]:
    """Count the different subjects of each class; its records where every record is a subject of its own.

    >>> subjects_of_each(np.array([0, 0, 1, 1]), np.array([7, 7, 7, 8], dtype=np.int32)).tolist()
    [1, 2]
    """
    if subjects is None:
        return np.bincount(classes)
    return np.bincount(classes[first_rows(equivalence_classes([classes, subjects]))])


def first_rows(classes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return the first record of each class.

    >>> first_rows(np.array([0, 1, 0, 2])).tolist()
    [0, 1, 3]
    """
    first = np.empty(int(classes.max(initial=-1)) + 1, dtype=np.int64)
    first[classes[::-1]] = np.arange(len(classes))[::-1]  # the last to write is the first record
    return first


def _cells(column: NDArray[Any], position: int) -> NDArray[np.int64] | NDArray[np.float64]:
    """Return cells as int64 or float64, such that equal cells stay equal and different ones different."""
    kind = column.dtype.kind
    if kind == "f" and column.dtype.itemsize <= 8:
        return np.ascontiguousarray(column, dtype=np.float64)
    if kind in "iub":
        # An unsigned 64-bit number keeps its bits: only equality matters here.
        return np.ascontiguousarray(column).astype(np.int64, copy=False)
    if kind in "mM":
        return np.ascontiguousarray(column).view(np.int64)
    if kind in "OUST":
        return _numbered(column, position)
    raise DataError(
        f"column {position} has cells of type {column.dtype}, which cannot be compared: give numbers, dates or strings"
    )


def _numbered(column: NDArray[Any], position: int) -> NDArray[np.int64]:
    """Number the distinct objects of a column by first appearance; missing ones share one number."""
    missing = object()
    numbers: dict[object, int] = {}
    try:
        codes = [numbers.setdefault(missing if is_missing(cell) else cell, len(numbers)) for cell in column.tolist()]
    except (TypeError, ValueError) as error:
        raise DataError(
            f"column {position} has cells that cannot be compared: give numbers, dates or strings"
        ) from error
    return np.asarray(codes, dtype=np.int64)


def is_missing(cell: object) -> bool:
    """Tell None, and whatever like NaN and NaT does not equal itself, or like pandas' NA refuses to say."""
    try:
        return cell is None or bool(cell != cell)
    except TypeError:
        return True
