"""Measures of two tables by a plan: frames in, scores out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.encode import first_row, in_declared_order
from shoal.errors import DataError, PlanError, nearest
from shoal.frames import Categories, Table
from shoal.kinds import Kind
from shoal.measure.column_pair import ColumnPair
from shoal.measure.confidential_column import ConfidentialColumn
from shoal.measure.definition import Score
from shoal.measure.matching import match_rows
from shoal.measure.pair import Pair
from shoal.measure.registry import compute
from shoal.plan import Plan
from shoal.plan.attribute import Attribute, Role
from shoal.subsets import Known

Rows = NDArray[np.int64] | None


def measure(
    original: Any,
    released: Any,
    plan: Plan,
    *,
    keys: Iterable[str] | None = None,
    key_column: str | None = None,
    subsets: Known | None = None,
    sample: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, Score]:
    """Measure a release against the table it was made from.

    Parameters
    ----------
    original, released
        pandas, polars or pyarrow tables; the release may come from any tool.
    plan
        Says which columns are quasi-identifiers and confidential attributes, and of what kind; nothing else of it
        counts.
    keys
        The measures wanted, such as ``["il_percent", "dld"]``; None for every one that the columns allow.
    key_column
        Match records by this column, which both tables have; by row order if None.
    subsets, sample, seed
        The quasi-identifiers that an intruder knows, as `Subsets.of` takes them: all of them if None.
    progress
        Called now and then by the measures that take long, with the work done and the work to do.

    Returns
    -------
    Scores by key.

    Raises
    ------
    DataError
        The tables do not match in records, columns or kinds of columns.
    PlanError
        There is no such measure, or an option makes no sense.

    Examples
    --------
    >>> import polars as pl
    >>> import shoal
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67], "pay": [7, 8, 9, 5]})
    >>> plan = shoal.Plan(k=2, attributes={
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "pay": {"role": "confidential", "kind": "numeric"},
    ... })
    >>> scores = measure(frame, shoal.anonymize(frame, plan).data, plan, keys=["k_min", "il_percent"])
    >>> {key: round(score.value, 2) for key, score in scores.items()}
    {'k_min': 2.0, 'il_percent': 2.48}
    """
    pair = pair_tables(Table.of(original), Table.of(released), plan, key_column=key_column)
    options = {"subsets": subsets, "sample": sample, "seed": seed, "progress": progress}
    return compute(pair, keys, **options)


def pair_tables(original: Table, released: Table, plan: Plan, *, key_column: str | None = None) -> Pair:
    """Pair two tables by a plan, record by record in the original's order.

    Parameters
    ----------
    original, released
        Tables that have the plan's quasi-identifiers; the released one its confidential attributes too.
    plan
        Says which those are, and of what kind.
    key_column
        Match records by this column; by row order if None.
    """
    if not isinstance(plan, Plan):
        raise PlanError(f"plan must be a shoal.Plan, not a {type(plan).__name__}")
    quasi, secret = plan.names(Role.QUASI_IDENTIFIER), plan.names(Role.CONFIDENTIAL)
    _require_columns(original, "original", quasi)
    _require_columns(released, "released", (*quasi, *secret))
    rows = match_rows(original, released, key_column)
    return Pair(
        tuple(_column_pair(original, released, name, plan.attributes[name], rows) for name in quasi),
        tuple(_confidential(released, name, plan.attributes[name], rows) for name in secret),
    )


def _require_columns(table: Table, side: str, names: tuple[str, ...]) -> None:
    absent = [name for name in names if name not in table.names]
    if absent:
        raise DataError(
            f"the {side} table does not have {', '.join(map(repr, absent))}, which the plan declares"
            f"{nearest(absent[0], table.names)}"
        )


def _column_pair(original: Table, released: Table, name: str, attribute: Attribute, rows: Rows) -> ColumnPair:
    match attribute.kind:
        case Kind.NUMERIC:
            x, x_absent = _numbers(original, name, "original")
            y, y_absent = _numbers(released, name, "released")
            return ColumnPair.continuous(
                name, Kind.NUMERIC, x, _taken(y, rows), missing=(x_absent, _taken_mask(y_absent, rows))
            )
        case Kind.DATE:
            return _date_pair(original, released, name, rows)
        case Kind.ORDINAL:
            return _ordinal_pair(original, released, name, attribute, rows)
    return _nominal_pair(original, released, name, rows)


_FINENESS = ("D", "m", "s", "ms", "us", "ns")


def _date_pair(original: Table, released: Table, name: str, rows: Rows) -> ColumnPair:
    before, after = original.instants(name), released.instants(name)
    finest = max(before.unit, after.unit, key=_FINENESS.index)
    cells = _taken(after.in_unit(finest), rows)
    gone = _taken_mask(after.missing, rows)
    # One origin for both sides, so that float64 holds the differences.
    observed = before.in_unit(finest)
    origin = observed.min() if before.missing is None else observed[~before.missing].min(initial=observed.max())
    x, y = (
        (np.where(absent, origin, values) if absent is not None else values) - origin
        for values, absent in ((observed, before.missing), (cells, gone))
    )
    return ColumnPair.continuous(
        name, Kind.DATE, x.astype(np.float64), y.astype(np.float64), missing=(before.missing, gone), cells=cells
    )


def _nominal_pair(original: Table, released: Table, name: str, rows: Rows) -> ColumnPair:
    before, after = _categories(original, name), _categories(released, name)
    levels, codes = _common_codes(before, after)
    x, y = before.codes, _taken(codes, rows)
    if (x < 0).any() or (y < 0).any():  # a missing name is a name of its own
        x, y, levels = np.where(x < 0, np.int32(levels), x), np.where(y < 0, np.int32(levels), y), levels + 1
    return ColumnPair(name, Kind.NOMINAL, x, y, levels, y)


def _ordinal_pair(original: Table, released: Table, name: str, attribute: Attribute, rows: Rows) -> ColumnPair:
    before, after = _categories(original, name), _categories(released, name)
    if attribute.order is not None:
        order, x = in_declared_order(original, before, name, attribute.order)
        y = in_declared_order(released, after, name, attribute.order)[1]
        levels = len(order)
    else:
        # The order of the original's own type; what is released must be one of its categories.
        order, x = in_declared_order(original, before, name, attribute.order)
        levels, y = _common_codes(Categories(x, order), after)
        if levels > len(order):
            strange = y >= len(order)
            raise DataError(
                f"the released column {name!r} has {int(strange.sum())} values that the original does not have, the "
                f"first in row {first_row(strange)}: declare the order of its categories in the plan"
            )
    y = _taken(y, rows)
    lift = int((x < 0).any() or (y < 0).any())  # a missing category is one below the lowest
    return ColumnPair(name, Kind.ORDINAL, x + np.int32(lift), y + np.int32(lift), levels + lift, y)


def _confidential(released: Table, name: str, attribute: Attribute, rows: Rows) -> ConfidentialColumn:
    match attribute.kind:
        case Kind.NUMERIC:
            values, absent = _numbers(released, name, "released")
            return ConfidentialColumn(name, Kind.NUMERIC, _taken(values, rows), _taken_mask(absent, rows))
        case Kind.DATE:
            instants = released.instants(name)
            values = (instants.values - instants.values.min()).astype(np.float64)
            return ConfidentialColumn(name, Kind.DATE, _taken(values, rows), _taken_mask(instants.missing, rows))
    categories = _categories(released, name)
    codes, absent = categories.codes, categories.missing
    if attribute.kind is Kind.ORDINAL:
        codes = in_declared_order(released, categories, name, attribute.order)[1]
        return ConfidentialColumn(name, Kind.ORDINAL, _taken(codes, rows), _taken_mask(absent, rows))
    return ConfidentialColumn(name, Kind.NOMINAL, _taken(codes, rows), _taken_mask(absent, rows))


def _numbers(table: Table, name: str, side: str) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
    numbers = table.numbers(name)
    infinite = np.isinf(numbers.values)
    if infinite.any():
        raise DataError(
            f"the {side} column {name!r} has {int(infinite.sum())} infinite values, the first in row "
            f"{first_row(infinite)}: a numeric column must be finite"
        )
    return numbers.values, numbers.missing


def _common_codes(before: Categories, after: Categories) -> tuple[int, NDArray[np.int32]]:
    """Number the second's labels after the first's; return how many there are and the second's new codes."""
    places = {str(label): place for place, label in enumerate(before.labels)}
    moved = [places.setdefault(str(label), len(places)) for label in after.labels]
    return len(places), np.array([*moved, -1], dtype=np.int32)[after.codes]


def _categories(table: Table, name: str) -> Categories:
    """Return a column's categories as people write them: a tool that turned 2 into 2.0 meant the same."""
    found = table.categories(name)
    whole = [int(label) if isinstance(label, float) and label.is_integer() else label for label in found.labels]
    return Categories(found.codes, tuple(whole))


def _taken(values: NDArray[Any], rows: Rows) -> NDArray[Any]:
    return values if rows is None else values[rows]


def _taken_mask(absent: NDArray[np.bool_] | None, rows: Rows) -> NDArray[np.bool_] | None:
    return None if absent is None else _taken(absent, rows)
