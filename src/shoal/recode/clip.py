"""Top and bottom coding: values beyond a bound become the bound, which is a value or a quantile of the column."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from shoal.frames import Instants, Numbers, Table, microseconds, units_in
from shoal.kinds import CONTINUOUS
from shoal.options import Options
from shoal.recode.recoding import RecodedColumn, Recoding

Bound: TypeAlias = Annotated[float, Field(allow_inf_nan=False)] | datetime
Quantile: TypeAlias = Annotated[float, Field(gt=0, lt=1)]


class Bounds(NamedTuple):
    """The least and greatest value that are left, None where there is no such bound."""

    low: float | int | None
    high: float | int | None


class Clip(Options):
    """Where a column is cut off."""

    low: Bound | None = Field(None, description="least value: what lies below becomes it")
    high: Bound | None = Field(None, description="greatest value: what lies above becomes it")
    low_quantile: Quantile | None = Field(None, description="the same at this quantile of the column, above 0")
    high_quantile: Quantile | None = Field(None, description="the same at this quantile of the column, below 1")

    @model_validator(mode="after")
    def _consistent(self) -> Clip:
        given = {name for name in type(self).model_fields if getattr(self, name) is not None}
        if not given:
            raise ValueError("clip needs a bound: low, high, low_quantile or high_quantile")
        for side in ("low", "high"):
            if {side, f"{side}_quantile"} <= given:
                raise ValueError(f"clip takes {side} or {side}_quantile, not both")
        if {"low", "high"} <= given:
            if isinstance(self.low, datetime) != isinstance(self.high, datetime):
                raise ValueError("low and high of clip must be of one kind: two numbers or two dates")
            if not as_number(self.low) < as_number(self.high):
                raise ValueError("low of clip must lie below high: nothing else would be left of the column")
        if {"low_quantile", "high_quantile"} <= given and not (self.low_quantile or 0) < (self.high_quantile or 0):
            raise ValueError("low_quantile of clip must lie below high_quantile")
        return self

    def bounds(self) -> Bounds:
        """Return the bounds that are values, as numbers; dates in microseconds."""
        return Bounds(*(None if bound is None else as_number(bound) for bound in (self.low, self.high)))


def as_number(bound: Any) -> float | int:
    """Return a bound as a number, a date in microseconds since 1970."""
    return microseconds(bound) if isinstance(bound, datetime) else float(bound)


class Clipping(Recoding):
    """Cut a column off at its ends.

    Notes
    -----
    Top and bottom coding (Hundepool et al. 2012). A quantile is the least value that so many of the
    observed ones do not exceed, so that it is a value of the column.
    """

    key = "clip"
    kinds = CONTINUOUS
    summary = "values beyond a bound become the bound: `low` and `high`, or `low_quantile` and `high_quantile`"
    remedy = "choose bounds that lie inside the column"

    def needs_table(self, option: Clip) -> bool:
        """A quantile is one of the whole table."""
        return option.low_quantile is not None or option.high_quantile is not None

    def words(self, option: Clip) -> str:
        """Say where it is cut off; a quantile's value is a record's, and is not said."""
        ends = (("below", option.low, option.low_quantile), ("above", option.high, option.high_quantile))
        return " and ".join(
            f"cut off {side} {_shown(value) if quantile is None else f'its {quantile:g} quantile'}"
            for side, value, quantile in ends
            if value is not None or quantile is not None
        )

    def apply(self, table: Table, name: str, option: Clip, subjects: NDArray[np.int32] | None) -> RecodedColumn:
        """Cut off numbers or dates."""
        if table.dtype(name) in ("date", "datetime"):
            return _clip_dates(table.instants(name), option)
        numbers, bounds = table.numbers(name), option.bounds()
        values = _clipped(numbers, bounds.low, bounds.high, option)
        whole = numbers.whole and all(bound is None or float(bound).is_integer() for bound in bounds)
        return RecodedColumn(Numbers(values, numbers.missing, whole=whole), _changed(numbers, values))


def _clip_dates(instants: Instants, option: Clip) -> RecodedColumn:
    low, high = (None if bound is None else int(bound) for bound in option.bounds())
    # Bounds between two of the column's units move inward: no value lies beyond what the plan says.
    if instants.unit == "ns":
        low, high = (None if bound is None else bound * 1000 for bound in (low, high))
    else:
        step = units_in(instants.unit, "us")
        low, high = None if low is None else -(-low // step), None if high is None else high // step
    values = _clipped(instants, low, high, option)
    return RecodedColumn(Instants(values, instants.unit, instants.missing), _changed(instants, values))


def _clipped(column: Numbers | Instants, low: Any, high: Any, option: Clip) -> NDArray[Any]:
    """Return the values of a column, cut off at bounds or quantiles; what stands at a missing cell stays."""
    observed = column.values if column.missing is None else column.values[~column.missing]
    if len(observed):
        low = _quantile(observed, option.low_quantile) if option.low_quantile is not None else low
        high = _quantile(observed, option.high_quantile) if option.high_quantile is not None else high
    values = cut_off(column.values, low, high)
    return values if column.missing is None else np.where(column.missing, column.values, values)


def _changed(column: Numbers | Instants, values: NDArray[Any]) -> NDArray[np.bool_]:
    changed: NDArray[np.bool_] = values != column.values
    return changed if column.missing is None else changed & ~column.missing


def cut_off(values: NDArray[Any], low: Any, high: Any) -> NDArray[Any]:
    """Return values with those beyond a bound at the bound; None is no bound, and what is no number stays.

    >>> cut_off(np.array([1.0, 5.0, np.nan]), 2, None).tolist()
    [2.0, 5.0, nan]
    """
    if low is not None:
        values = np.where(values < low, np.asarray(low, dtype=values.dtype), values)
    if high is not None:
        values = np.where(values > high, np.asarray(high, dtype=values.dtype), values)
    return values


def _quantile(observed: NDArray[Any], share: float) -> Any:
    """Return the least observed value that at least this share of them do not exceed."""
    place = int(np.ceil(share * len(observed))) - 1
    return np.partition(observed, max(place, 0))[max(place, 0)]


def _shown(bound: Any) -> str:
    if isinstance(bound, datetime):
        return bound.isoformat(sep=" ").removesuffix(" 00:00:00")
    return f"{bound:.15g}"
