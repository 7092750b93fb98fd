"""Column: the values of one attribute in the form that distances and aggregation work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.encode.order import in_declared_order
from shoal.errors import DataError
from shoal.frames import Table, Unit
from shoal.kinds import CONTINUOUS, Kind, Missing
from shoal.plan.attribute import Attribute

WIDEST = 1e300
"""How far apart the numbers of a column may be."""


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute of every record.

    Parameters
    ----------
    name, attribute
        The column and what the plan says of it.
    values
        float64 for numeric and date columns; int32 positions in ``levels`` for ordinal and nominal ones. What stands
        at a missing cell is undefined.
    missing
        True where the cell is missing, or None where no cell is.
    levels
        The categories, in category order; None among them is the category of missing cells.
    origin, unit
        What was subtracted from a date's integer so that float64 holds it exactly, and what the integer counts.
    whole
        The column is one of integers.
    """

    name: str
    attribute: Attribute
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None
    levels: tuple[Any, ...] = ()
    origin: int = 0
    unit: Unit = "D"
    whole: bool = False

    def __len__(self) -> int:
        return len(self.values)

    @property
    def kind(self) -> Kind:
        """How values are compared."""
        assert self.attribute.kind is not None, "read_column only takes attributes with a kind"
        return self.attribute.kind

    @property
    def observed(self) -> NDArray[Any]:
        """The values of the cells that are there."""
        return self.values if self.missing is None else self.values[~self.missing]


def read_column(table: Table, name: str, attribute: Attribute, missing: Missing) -> Column:
    """Read one attribute of a table, checked against the plan.

    Raises
    ------
    DataError
        A missing value under ``error``, an infinity, a category outside the declared order, a column that is not
        of the declared kind. The message names the column, the rule and the first row, never the value.
    """
    read = _read_continuous if attribute.kind in CONTINUOUS else _read_categories
    return read(table, name, attribute, missing)


def _read_continuous(table: Table, name: str, attribute: Attribute, policy: Missing) -> Column:
    if attribute.kind is Kind.DATE:
        instants = table.instants(name)
        absent = _apply_policy(name, instants.missing, policy)
        there = instants.values if absent is None else instants.values[~absent]
        origin = int(there.min()) if len(there) else 0
        return Column(
            name, attribute, (instants.values - origin).astype(np.float64), absent, origin=origin, unit=instants.unit
        )
    numbers = table.numbers(name)
    _check_range(name, numbers.values)
    return Column(name, attribute, numbers.values, _apply_policy(name, numbers.missing, policy), whole=numbers.whole)


def _check_range(name: str, values: NDArray[np.float64]) -> None:
    """Refuse infinities, and numbers so far apart that sums of their differences overflow; NaN is missing, and fine."""
    lowest, highest = (float(bound(values, initial=0.0, where=~np.isnan(values))) for bound in (np.min, np.max))
    if np.isfinite(lowest) and np.isfinite(highest):
        if highest - lowest <= WIDEST:
            return
        raise DataError(f"column {name!r} has numbers further apart than {WIDEST:g}: write it in a larger unit")
    infinite = np.isinf(values)
    raise DataError(
        f"column {name!r} has {int(infinite.sum())} infinite values, the first in row {first_row(infinite)}: "
        "a numeric column must be finite"
    )


def _read_categories(table: Table, name: str, attribute: Attribute, policy: Missing) -> Column:
    categories = table.categories(name)
    levels, codes = categories.labels, categories.codes
    if attribute.kind is Kind.ORDINAL:
        levels, codes = in_declared_order(table, categories, name, attribute)
    absent = categories.missing
    if policy is not Missing.CATEGORY or absent is None:
        return Column(name, attribute, codes, _apply_policy(name, absent, policy), levels)
    # Missing is a category of its own: below the lowest of an order, last among names.
    if attribute.kind is Kind.ORDINAL:
        return Column(name, attribute, codes + np.int32(1), None, (None, *levels))
    return Column(name, attribute, np.where(absent, np.int32(len(levels)), codes), None, (*levels, None))


def _apply_policy(name: str, absent: NDArray[np.bool_] | None, policy: Missing) -> NDArray[np.bool_] | None:
    if absent is None or not absent.any():
        return None
    if policy is Missing.IMPUTE:
        return absent
    raise DataError(
        f"column {name!r} has {int(absent.sum())} missing values, the first in row {first_row(absent)}, and "
        'missing = "error": fill them, or set missing = "impute" (or "category" for a nominal or ordinal column)'
    )


def first_row(mask: NDArray[np.bool_]) -> int:
    """Return the first row a mask marks, counted from 1 as people do."""
    return int(np.argmax(mask)) + 1
