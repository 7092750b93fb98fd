"""Measures of a stream: how far tuples were moved, reordered and held back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import DataError
from shoal.measures.declaration import LOSS
from shoal.measures.definition import Definition, Score
from shoal.measures.pair import Pair
from shoal.measures.squared_error import mae, mse

QUANTILES = (0.5, 0.9, 0.99)
"""The quantiles of delays that are reported."""


POSITION_DIFFERENCE_MAX = Definition(
    "position_difference_max",
    "Positions in the stream between the first and the last tuple of a released group: the largest over the groups.",
    **LOSS,
)
POSITION_DIFFERENCE_AVG = Definition(
    "position_difference_avg",
    "Positions in the stream between the first and the last tuple of a released group: the mean over the groups.",
    **LOSS,
)
DELAY_MAX = Definition("delay_max", "Tuples that arrived after a released tuple until it left: the most.", **LOSS)
DELAY_AVG = Definition("delay_avg", "Tuples that arrived after a released tuple until it left: the mean.", **LOSS)


def measure_stream(pair: Pair, labels: ArrayLike, positions: ArrayLike, left_at: ArrayLike) -> dict[str, Score]:
    """Measure the released tuples of a stream.

    Parameters
    ----------
    pair
        The quasi-identifiers of the released tuples, before and after.
    labels
        The group that each released tuple left in, from 0.
    positions
        The position of each of them in the stream.
    left_at
        The position that had arrived last when it left.

    Returns
    -------
    Scores ``mse``, ``mae``, ``position_difference_max``, ``position_difference_avg``, ``delay_max``, ``delay_avg``.

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, section VI. Dropped tuples have no release to compare with: count them beside
    these. ``groups`` of the differences holds that of each group, from the first to the last tuple. A group of g
    consecutive tuples has g − 1, so that k − 1 is the least that k-anonymity costs; ``parts`` holds what exceeds it,
    the reordering. ``parts`` of the mean delay holds quantiles: the smallest delay that at least this share of the
    tuples did not exceed.

    Examples
    --------
    Tuples 0 and 2 left together when 2 had arrived, tuples 1 and 3 when 4 had.

    >>> pair = Pair.of([0.0, 4.0, 8.0, 10.0], [2.0, 2.0, 9.0, 9.0])
    >>> scores = measure_stream(pair, [0, 0, 1, 1], [0, 2, 1, 3], [2, 2, 4, 4])
    >>> {key: round(score.value, 3) for key, score in scores.items()}
    ... # doctest: +NORMALIZE_WHITESPACE
    {'mse': 0.025, 'mae': 0.15, 'position_difference_max': 2.0, 'position_difference_avg': 2.0,
     'delay_max': 3.0, 'delay_avg': 1.5}
    """
    groups, places, left = (
        _whole_numbers(name, values, len(pair))
        for name, values in (("labels", labels), ("positions", positions), ("left_at", left_at))
    )
    if groups.min() < 0:
        raise DataError("labels must number the groups from 0")
    delays = left - places
    if delays.min() < 0:
        raise DataError("left_at must not be before the tuple's own position: a tuple leaves after it has arrived")
    order = np.lexsort((places, groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ends = np.append(starts[1:], len(order)) - 1
    spans = places[order[ends]] - places[order[starts]]
    excess = spans - (ends - starts)
    counts = np.bincount(delays)
    below = np.cumsum(counts)
    quantiles = {f"quantile {share}": float(np.searchsorted(below, share * below[-1])) for share in QUANTILES}
    mean_delay = float(counts @ np.arange(len(counts))) / float(below[-1])
    by_group = {"difference": spans}
    scores = (
        mse(pair),
        mae(pair),
        POSITION_DIFFERENCE_MAX.score(spans.max(), (), groups=by_group, parts={"reordering": excess.max()}),
        POSITION_DIFFERENCE_AVG.score(spans.mean(), (), groups=by_group, parts={"reordering": excess.mean()}),
        DELAY_MAX.score(len(counts) - 1, ()),
        DELAY_AVG.score(mean_delay, (), parts=quantiles),
    )
    return {score.key: score for score in scores}


def _whole_numbers(name: str, values: ArrayLike, n: int) -> NDArray[np.int64]:
    array: NDArray[Any] = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) == 0:
        raise DataError(f"{name} must be one whole number per released tuple, and at least one tuple must be released")
    if len(array) != n:
        raise DataError(f"{name} must hold one number per released tuple, but there are {len(array)} for {n} tuples")
    return array.astype(np.int64)
