"""Which released record belongs to which original one: by row order, by a map of rows, or by a column of names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import DataError, PlanError, nearest
from shoal.frames import Table
from shoal.masking.recoding import recoded
from shoal.measures.generalization import read_generalized
from shoal.measures.proportions import LEVEL, exact
from shoal.plan import Plan
from shoal.plan.missing_values import open_table
from shoal.recode import Recoded
from shoal.republish.earlier_release import unchanged_columns


@dataclass(frozen=True, eq=False)
class MatchedTables:
    """A table and its release, and which record of one is which of the other.

    By a ``key_column`` that both have, different in every record, or by ``rows``, the original position of each
    released row (`Release.rows`; fewer where records were dropped). ``judge_totals`` refuses totals of the original
    that are no sums; the original ``is_part`` of a table where that was recoded before.

    >>> import polars as pl
    >>> first, second = pl.DataFrame({"id": [7, 8, 9]}), pl.DataFrame({"id": ["9", "7", "8"]})
    >>> plan = Plan(k=2, attributes={"id": {"role": "quasi_identifier", "kind": "nominal"}})
    >>> MatchedTables.read(first, second, plan, key_column="id").places.tolist()
    [1, 2, 0]
    """

    original: Table
    released: Table
    plan: Plan
    key_column: str | None = None
    rows: ArrayLike | None = None
    judge_totals: bool = False
    is_part: bool = False

    @classmethod
    def read(cls, original: Any, released: Any, plan: Plan, **how: Any) -> MatchedTables:
        """Open two frames; intervals and stars in the release of another tool are read as `read_generalized` does."""
        released_table = read_generalized(open_table(released, plan), plan).table
        return cls(open_table(original, plan), released_table, plan, **how)

    @cached_property
    def recoding(self) -> Recoded:
        """All of the original, before and after recoding."""
        if self.is_part:
            return Recoded(self.original, self.original)
        return recoded(self.original, self.plan, judge_totals=self.judge_totals)

    @cached_property
    def survivors(self) -> NDArray[np.int64] | None:
        """The original row of each released one where records were dropped; None where all are there."""
        original, released = self.original, self.released
        if self.key_column is not None or self.rows is None or len(released) >= len(original):
            return None
        rows = np.asarray(self.rows)
        fits = rows.dtype.kind in "iu" and rows.shape == (len(released),) and len(rows) > 0
        if not fits or len(np.unique(rows)) < len(rows) or rows.min() < 0 or rows.max() >= len(original):
            raise DataError(
                f"the map of rows must name rows of the {len(original)} original records, each at most once, and it "
                "does not: is it the map of another release?"
            )
        return rows.astype(np.int64)

    @cached_property
    def places(self) -> NDArray[np.int64] | None:
        """The released row of each record that left, in the order of the original; None where that is theirs, too."""
        if self.key_column is not None:
            if self.rows is not None:
                raise PlanError("records are matched by a key column or by a map of rows: name one of them")
            return _matched_by_key(self.recoding.before, self.released, self.key_column)
        if self.survivors is not None:
            return None
        if len(self.original) != len(self.released):
            raise DataError(
                f"the original table has {len(self.original)} records and the released one {len(self.released)}: "
                "records are matched by row order, so either bring the same records or name a key column to match them "
                "by"
            )
        if len(self.original) == 0:
            raise DataError("the tables have no records: there is nothing to measure")
        if self.rows is None:
            return None
        rows = np.asarray(self.rows)
        if rows.shape != (len(self.original),) or not np.array_equal(np.sort(rows), np.arange(len(rows))):
            raise DataError(
                f"the map of rows must name each of the {len(self.original)} original records once, and it does not: "
                "is it the map of another release?"
            )
        return np.argsort(rows)

    @cached_property
    def origins(self) -> NDArray[np.int64]:
        """The original row of each record that left."""
        return np.arange(len(self.original)) if self.survivors is None else self.survivors

    def left(self, table: Table) -> Table:
        """Return the records that left of a table that has those of the original."""
        return table if self.survivors is None else table.take(self.survivors)

    @cached_property
    def after(self) -> Table:
        """The released records in the order of the original."""
        return self.released if self.places is None else self.released.take(self.places)

    def require_columns(self, before: Sequence[str], after: Sequence[str]) -> None:
        """Refuse tables that lack columns which the plan declares."""
        require_columns(self.original, "original", before)
        require_columns(self.released, "released", after)

    def require_known_order(self, *, perturbed: bool = True) -> None:
        """Refuse released rows in another order, where neither a key nor their places say in which."""
        if self.key_column is None and self.rows is None and len(self.original) == len(self.released):
            require_same_records(self.recoding.table, self.released, self.plan, perturbed=perturbed)


def require_columns(table: Table, side: str, names: Sequence[str]) -> None:
    """Refuse a table that lacks columns which the plan declares."""
    absent = [name for name in names if name not in table.names]
    if absent:
        raise DataError(
            f"the {side} table does not have {', '.join(map(repr, absent))}, which the plan declares"
            f"{nearest(absent[0], table.names)}"
        )


def _matched_by_key(original: Table, released: Table, key_column: str) -> NDArray[np.int64]:
    """Return the released row of each original record by a column of names."""
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
    """Refuse a release in which no column that leaves as it was agrees row by row more often than in any order.

    Where another tool may have changed the columns that should leave as they are (``perturbed``), only the same values
    in another order are refused.
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


def agrees_beyond_chance(before: NDArray[np.int64], after: NDArray[np.int64], *, level: float = LEVEL) -> bool:
    """Tell whether codes agree row by row more often than they would in any order; −1 equals nothing.

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
