"""Which released record belongs to which original one: by row order, by a map of rows, or by a column of names."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import DataError, PlanError
from shoal.frames import Table
from shoal.masking.recoding import recoded
from shoal.measures.proportions import LEVEL, exact
from shoal.plan import Plan
from shoal.republish.earlier_release import unchanged_columns


def match_rows(
    original: Table, released: Table, key_column: str | None = None, rows: ArrayLike | None = None
) -> NDArray[np.int64] | None:
    """Return the released row of each original record; None where rows stand in the same order.

    Parameters
    ----------
    original, released
        The tables.
    key_column
        The column to match by: a different value in every record, and the same values in both tables.
    rows
        The original position of each released row, as `Release.rows` has it.

    Raises
    ------
    DataError
        The tables do not hold the same records.
    PlanError
        Two ways to match are named.

    Examples
    --------
    >>> import polars as pl
    >>> first, second = pl.DataFrame({"id": [7, 8, 9]}), pl.DataFrame({"id": ["9", "7", "8"]})
    >>> match_rows(Table.of(first), Table.of(second), "id").tolist()
    [1, 2, 0]
    """
    if key_column is not None and rows is not None:
        raise PlanError("records are matched by a key column or by a map of rows: name one of them")
    if key_column is None:
        if len(original) != len(released):
            raise DataError(
                f"the original table has {len(original)} records and the released one {len(released)}: records are "
                "matched by row order, so either bring the same records or name a key column to match them by"
            )
        if len(original) == 0:
            raise DataError("the tables have no records: there is nothing to measure")
        return None if rows is None else _released_rows(np.asarray(rows), len(original))
    row_of = _rows_by_key(released, "released", key_column)
    keys = _rows_by_key(original, "original", key_column)
    lost = sum(key not in row_of for key in keys)
    new = len(row_of) - (len(keys) - lost)
    if lost or new:
        raise DataError(
            f"the tables do not hold the same records by {key_column!r}: {lost} of the original are not in the "
            f"released table, and {new} of the released are not in the original"
        )
    return np.fromiter((row_of[key] for key in keys), dtype=np.int64, count=len(keys))


def surviving_rows(original: Table, released: Table, rows: ArrayLike | None) -> NDArray[np.int64] | None:
    """Return the original row of each released one where records were dropped; None where all are there.

    Raises
    ------
    DataError
        The map names a row twice, or one that the original does not have.
    """
    if rows is None or len(released) >= len(original):
        return None
    found = np.asarray(rows)
    fits = found.dtype.kind in "iu" and found.shape == (len(released),) and len(found) > 0
    if not fits or len(np.unique(found)) < len(found) or found.min() < 0 or found.max() >= len(original):
        raise DataError(
            f"the map of rows must name rows of the {len(original)} original records, each at most once, and it does "
            "not: is it the map of another release?"
        )
    return found.astype(np.int64)


def _released_rows(rows: NDArray[np.int64], records: int) -> NDArray[np.int64]:
    """Turn the original row of each released record into the released row of each original one."""
    if rows.shape != (records,) or not np.array_equal(np.sort(rows), np.arange(records)):
        raise DataError(
            f"the map of rows must name each of the {records} original records once, and it does not: is it the map of "
            "another release?"
        )
    return np.argsort(rows)


def _rows_by_key(table: Table, side: str, key_column: str) -> dict[str, int]:
    """Return the row of each key, in row order; keys are compared as they are written."""
    if key_column not in table.names:
        raise DataError(f"the {side} table has no column {key_column!r} to match records by")
    categories = table.categories(key_column)
    if categories.missing is not None:
        raise DataError(f"column {key_column!r} of the {side} table has missing values: it cannot name records")
    labels = [str(label) for label in categories.labels]
    rows = {labels[code]: row for row, code in enumerate(categories.codes.tolist())}
    if len(rows) < len(table):
        raise DataError(
            f"column {key_column!r} of the {side} table has {len(rows)} different values in {len(table)} records: it "
            "must be different in every record to match them by"
        )
    return rows


def require_same_records(original: Table, released: Table, plan: Plan, *, perturbed: bool = False) -> None:
    """Refuse a release whose rows are not those of the original in their order.

    Parameters
    ----------
    original, released, plan
        The tables, as many rows in each, and what each column is.
    perturbed
        Whether another tool may have changed the columns that should leave as they are: then only the same values in
        another order are refused.

    Raises
    ------
    DataError
        No column that leaves as it was agrees row by row more often than it would in any order.
    """
    judged = False
    for before, after in unchanged_columns(original, released, plan, np.arange(len(released))):
        if _chance_to_agree(before, after) > 0.99:
            continue  # nearly constant: it agrees in any order
        judged |= not perturbed or np.array_equal(np.sort(before), np.sort(after))
        # A few records cannot agree beyond chance, and need not where all of them do.
        if np.array_equal(before, after) or agrees_beyond_chance(before, after):
            return
    if judged:
        raise DataError(
            "the released rows are not those of the original in its order: the columns that leave as they are do not "
            "agree, so say how rows belong together, by a row map or a key column"
        )


def require_known_order(
    original: Table, released: Table, plan: Plan, *, key_column: str | None, rows: ArrayLike | None
) -> None:
    """Refuse a release whose rows stand in another order, where neither a key nor their places say in which.

    Parameters
    ----------
    original, released, plan
        The tables as they are, the release by any tool, and what each column is.
    key_column, rows
        What was said of how rows belong together.
    """
    if key_column is None and rows is None and len(original) == len(released):
        before = recoded(original, plan, judge_totals=False).table
        require_same_records(before, released, plan, perturbed=True)


def agrees_beyond_chance(before: NDArray[np.int64], after: NDArray[np.int64], *, level: float = LEVEL) -> bool:
    """Tell whether codes agree row by row more often than they would in any order; −1 equals nothing.

    Examples
    --------
    >>> agrees_beyond_chance(np.array([4, 5, 6, 7, 8]), np.array([4, 5, 6, 7, 4]))
    True
    >>> agrees_beyond_chance(np.array([4, 5, 6, 7, 8]), np.array([5, 6, 7, 8, 4]))
    False
    """
    agreeing = float(((before == after) & (before >= 0)).sum())
    return exact(agreeing, len(before), level=level)[0] > _chance_to_agree(before, after)


def _chance_to_agree(before: NDArray[np.int64], after: NDArray[np.int64]) -> float:
    n, levels = len(before), int(max(before.max(), after.max(), 0)) + 1
    counts = [np.bincount(codes[codes >= 0], minlength=levels) for codes in (before, after)]
    return float((counts[0] / n * counts[1] / n).sum())
