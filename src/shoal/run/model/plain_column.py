"""Columns as plain values for JSON, and back: one value for each group of a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.encode import Column, Spec
from shoal.kinds import CONTINUOUS, Kind


def column_to_dict(column: Column) -> dict[str, Any]:
    """Return a column as plain values; a missing cell is None."""
    values: list[Any] = column.values.tolist()
    if column.kind is Kind.PLACE:
        values = [[place.real, place.imag] for place in values]
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
    filled: NDArray[Any]
    if spec.kind is Kind.PLACE:
        filled = np.array([complex(*(value or (0.0, 0.0))) for value in values], dtype=np.complex128)
    elif spec.kind in CONTINUOUS or spec.kind is Kind.CYCLIC:
        filled = np.array([0.0 if value is None else value for value in values], dtype=np.float64)
    else:
        filled = np.array([0 if value is None else value for value in values], dtype=np.int32)
        if (filled < 0).any() or (filled >= max(1, len(given["levels"]))).any():
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
