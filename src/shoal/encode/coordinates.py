"""Columns to points: scaled, weighted, with missing cells placed where they weigh least."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.encode.column import Column
from shoal.plan import Plan
from shoal.points import Points
from shoal.schema import CONTINUOUS, Kind, Operator, Scale


def encode(columns: Sequence[Column], plan: Plan) -> Points:
    """Turn columns into points.

    Parameters
    ----------
    columns
        What ``read_column`` gave.
    plan
        For scales; weights are the attributes'.

    Returns
    -------
    Points
        Continuous columns first, then ordinal, then nominal ones, each group in the order given.

    Notes
    -----
    Continuous columns become z-scores (deviation with n−1) or are scaled to [0, 1]; a constant column is the
    coordinate 0. Ordinal ranks lie 1/(number of categories) apart (P0 §III.C.2). A weight multiplies the squared
    difference. A missing cell stands at the mean, median or mode of the observed ones.
    """
    continuous = [column for column in columns if column.kind in CONTINUOUS]
    ordinal = [column for column in columns if column.kind is Kind.ORDINAL]
    nominal = [column for column in columns if column.kind is Kind.NOMINAL]
    n = len(columns[0])
    coords = np.empty((n, len(continuous)), order="F")
    for j, column in enumerate(continuous):
        coords[:, j] = scale_column(column, column.attribute.scale or plan.scale)
        coords[:, j] *= math.sqrt(_weight(column))
    return Points.build(
        coords=coords,
        ranks=_stack([_filled(column) for column in ordinal], n),
        rank_steps=[math.sqrt(_weight(column)) / max(1, len(column.levels)) for column in ordinal],
        rank_levels=[max(1, len(column.levels)) for column in ordinal],
        rank_convex=[column.attribute.operator is Operator.CONVEX_MEDIAN for column in ordinal],
        codes=_stack([_filled(column) for column in nominal], n),
        code_weights=[_weight(column) for column in nominal],
        code_levels=[max(1, len(column.levels)) for column in nominal],
    )


def scale_column(column: Column, scale: Scale) -> NDArray[np.float64]:
    """Return a continuous column as comparable coordinates."""
    observed = column.observed
    if len(observed) == 0 or observed.min() == observed.max():
        return np.zeros(len(column))
    # First to [-1, 1] around a value of the column: a large common offset must not eat the digits of the deviation, nor
    # very large or very small values its square.
    base = observed[0]
    reach = max(observed.max() - base, base - observed.min())
    near: NDArray[np.float64] = (column.values - base) / reach
    there = near if column.missing is None else near[~column.missing]
    mean = there.mean()
    if scale is Scale.ZSCORE:
        zero, unit = mean, there.std(ddof=1)
    else:
        zero, unit = there.min(), there.max() - there.min()
    if column.missing is not None:
        near[column.missing] = mean
    near -= zero
    near /= unit
    return near


def _weight(column: Column) -> float:
    return 1.0 if column.attribute.weight is None else column.attribute.weight


def _filled(column: Column) -> NDArray[np.int32]:
    """Return ranks or codes with the median or mode of the observed ones in missing cells."""
    if column.missing is None:
        return column.values
    counts = np.bincount(column.observed, minlength=max(1, len(column.levels)))
    if column.kind is Kind.ORDINAL:
        centre = int(np.searchsorted(counts.cumsum(), (counts.sum() + 1) // 2))
    else:
        centre = int(counts.argmax())
    return np.where(column.missing, np.int32(centre), column.values)


def _stack(parts: list[NDArray[np.int32]], n: int) -> NDArray[np.int32]:
    return np.column_stack(parts) if parts else np.empty((n, 0), dtype=np.int32)
