"""The columns of a model: one value for each group, and how often it has each confidential value; as JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.frames import Table
from shoal.kinds import Missing
from shoal.kinds.column import Column, Spec
from shoal.kinds.registry import kind_of, read_column
from shoal.kinds.text import category_text


def column_to_dict(column: Column) -> dict[str, Any]:
    """Return a column as plain values; a missing cell is None."""
    values = kind_of(column.spec).to_plain(column)
    if column.missing is not None:
        values = [None if gone else value for value, gone in zip(values, column.missing.tolist(), strict=True)]
    return {
        "name": column.name,
        "values": values,
        "levels": list(column.levels),
        "origin": column.origin,
        "unit": column.unit,
        "whole": column.whole,
    }


def column_from_dict(given: Mapping[str, Any], spec: Spec) -> Column:
    """Return the column that `column_to_dict` wrote, compared and averaged as ``spec`` says."""
    values = given["values"]
    missing = np.array([value is None for value in values], dtype=np.bool_)
    filled = kind_of(spec).from_plain(values)
    if spec.kind.is_categorical and ((filled < 0).any() or (filled >= max(1, len(given["levels"]))).any()):
        raise ValueError("a code without a category")
    return Column(
        spec.name,
        spec,
        filled,
        missing if missing.any() else None,
        tuple(given["levels"]),
        int(given["origin"]),
        given["unit"],
        bool(given["whole"]),
    )


_ARRAYS = ("groups", "places", "counts")


@dataclass(frozen=True, eq=False)
class Histogram:
    """The values of one confidential attribute in the groups of a release."""

    values: Column = field(repr=False)  # the different ones
    # groups, places, counts: which group has which of them how often
    groups: NDArray[np.int64] = field(repr=False)
    places: NDArray[np.int64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)

    @classmethod
    def of(cls, released: Table, spec: Spec, labels: NDArray[np.int64]) -> Histogram:
        """Count the values of a released column."""
        column = read_column(released, _with_gaps(spec))
        codes = released.class_codes(spec.name)
        _, first, place = np.unique(codes, return_index=True, return_inverse=True)
        cells, counts = np.unique(labels * len(first) + place, return_counts=True)
        return cls(column.take(first), cells // len(first), cells % len(first), counts)

    @property
    def labels(self) -> NDArray[np.int64]:
        """The group of each record, one after the other."""
        return np.repeat(self.groups, self.counts)

    def beside(self, new: Table) -> pl.Series:
        """Return the values of all records, in the order of `labels`, and those of new ones after them."""
        spec = self.values.spec
        old = self.values.take(np.repeat(self.places, self.counts))
        return pl.Series(
            spec.name, [*_plain(old), *_plain(read_column(new, spec))], dtype=_dtype(spec, self.values, new)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        arrays = {name: getattr(self, name).tolist() for name in _ARRAYS}
        return {"values": column_to_dict(self.values), **arrays}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], spec: Spec, groups: int) -> Histogram:
        """Return the histogram of so many groups that `to_dict` wrote."""
        arrays = [np.array(given[name], dtype=np.int64) for name in _ARRAYS]
        values = column_from_dict(given["values"], _with_gaps(spec))
        for array, least, most in zip(arrays, (0, 0, 1), (groups, len(values), 1 << 40), strict=True):
            if array.shape != arrays[0].shape or (array < least).any() or (array >= most).any():
                raise ValueError("a count without a group or a value")
        return cls(values, *arrays)


def _with_gaps(spec: Spec) -> Spec:
    """Return how a column is read whose missing cells are judged by the guarantee."""
    return replace(spec, missing=Missing.IMPUTE)


def _plain(column: Column) -> list[Any]:
    """Return values of two tables so that they can stand in one column: dates as microseconds, categories as text."""
    gone = np.zeros(len(column), dtype=np.bool_) if column.missing is None else column.missing
    if column.kind.is_date:
        values: list[Any] = column.counted_from(0, "us").astype(np.int64).tolist()
    elif column.levels:
        texts = [category_text(level) for level in column.levels]
        values = [texts[code] for code in column.values]  # that of a missing cell may be any
    else:
        values = column.values.tolist()
    return [None if missing else value for value, missing in zip(values, gone.tolist(), strict=True)]


def _dtype(spec: Spec, values: Column, new: Table) -> Any:
    if spec.kind.is_date:
        return pl.Datetime("us")
    if spec.kind.is_number:
        return pl.Float64
    if spec.kind.is_ordinal:  # an order that the column's type has, and the plan does not write down
        levels = dict.fromkeys(map(category_text, [*values.levels, *read_column(new, spec).levels]))
        return pl.Enum(list(levels))
    return pl.String
