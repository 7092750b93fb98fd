"""Columns to points: scaled, weighted, with missing cells placed where they weigh least."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.encode.column import Column
from shoal.errors import DataError
from shoal.kinds import CONTINUOUS, Kind, Operator, Scale
from shoal.plan import Plan
from shoal.points import FARTHEST, Points
from shoal.scaling import Scaling, minmax, unscaled, zscore

_SCALINGS = {Scale.ZSCORE: zscore, Scale.MINMAX: minmax, Scale.NONE: unscaled}


def encode(columns: Sequence[Column], plan: Plan, *, scale: Scale | None = None) -> Points:
    """Turn columns into points.

    Parameters
    ----------
    columns
        What ``read_column`` gave.
    plan
        For scales; weights are the attributes'.
    scale
        In place of the plan's, for columns that are always compared in one way.

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
        coords[:, j] = scale_column(column, column.attribute.scale or scale or plan.scale)
        coords[:, j] *= math.sqrt(_weight(column))
        _require_near(coords[:, j], column.name)
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


def _require_near(coordinates: NDArray[np.float64], name: str) -> None:
    """Refuse coordinates too far apart to measure distances: only plans that do not scale, or weigh, have them."""
    if not max(coordinates.max(initial=0.0), -coordinates.min(initial=0.0)) <= FARTHEST:
        raise DataError(
            f"column {name!r}, as the plan scales and weighs it, reaches beyond ±{FARTHEST:g}: scale it by zscore or "
            "minmax, or lower its weight"
        )


def scaling_of(column: Column, scale: Scale) -> Scaling:
    """Return the zero and the unit of a continuous column."""
    return _SCALINGS[scale](column.observed)


def scale_column(column: Column, scale: Scale) -> NDArray[np.float64]:
    """Return a continuous column as comparable coordinates; a missing cell stands at the mean."""
    scaling = scaling_of(column, scale)
    coordinates = scaling(column.values)
    if column.missing is not None:
        coordinates[column.missing] = scaling.centre
    return coordinates


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
