"""Measures of a stream: how far tuples were moved, reordered and held back."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import DataError
from shoal.measures.definition import Definition, Score
from shoal.measures.pair import Pair
from shoal.measures.squared_error import mae, mse

QUANTILES = (0.5, 0.9, 0.99)
"""The quantiles of delays that are reported."""


def _definition(key: str, text: str) -> Definition:
    return Definition(key, text, aspect="utility", better="lower", low=0.0, high=math.inf)


POSITION_DIFFERENCE_MAX = _definition(
    "position_difference_max",
    "Positions in the stream between the first and the last tuple of a released group: the largest over the groups.",
)
POSITION_DIFFERENCE_AVG = _definition(
    "position_difference_avg",
    "Positions in the stream between the first and the last tuple of a released group: the mean over the groups.",
)
DELAY_MAX = _definition("delay_max", "Tuples that arrived after a released tuple until it left: the most.")
DELAY_AVG = _definition("delay_avg", "Tuples that arrived after a released tuple until it left: the mean.")


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
    these.

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
    scores = (
        mse(pair),
        mae(pair),
        position_difference_max(groups, places),
        position_difference_avg(groups, places),
        delay_max(places, left),
        delay_avg(places, left),
    )
    return {score.key: score for score in scores}


def position_difference_max(labels: ArrayLike, positions: ArrayLike) -> Score:
    """Return the largest distance in the stream between two tuples that left as one group.

    Parameters
    ----------
    labels, positions
        The group and the position of each released tuple.

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, section VI. ``groups`` holds the difference of each group. A group of g
    consecutive tuples has g − 1, so that k − 1 is the least that k-anonymity costs; ``parts`` holds what exceeds it,
    the reordering, at most.

    Examples
    --------
    >>> score = position_difference_max([0, 0, 1, 1], [0, 3, 1, 2])
    >>> score.value, score.parts
    (3.0, {'reordering': 2.0})
    """
    spans, excess = _spans(labels, positions)
    return POSITION_DIFFERENCE_MAX.score(
        spans.max(), (), groups={"difference": spans}, parts={"reordering": excess.max()}
    )


def position_difference_avg(labels: ArrayLike, positions: ArrayLike) -> Score:
    """Return the mean distance in the stream between the first and the last tuple of a group.

    Parameters
    ----------
    labels, positions
        The group and the position of each released tuple.

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, section VI. ``parts`` holds the mean reordering: what exceeds the size of the
    group less one.

    Examples
    --------
    >>> score = position_difference_avg([0, 0, 1, 1], [0, 3, 1, 2])
    >>> score.value, score.parts
    (2.0, {'reordering': 1.0})
    """
    spans, excess = _spans(labels, positions)
    return POSITION_DIFFERENCE_AVG.score(
        spans.mean(), (), groups={"difference": spans}, parts={"reordering": excess.mean()}
    )


def delay_max(positions: ArrayLike, left_at: ArrayLike) -> Score:
    """Return the longest time that a tuple was held back, in arrivals.

    Parameters
    ----------
    positions, left_at
        The position of each released tuple, and the one that had arrived last when it left.

    Examples
    --------
    >>> delay_max([0, 2, 1, 3], [2, 2, 4, 4]).value
    3.0
    """
    return DELAY_MAX.score(len(delay_distribution(positions, left_at)) - 1, ())


def delay_avg(positions: ArrayLike, left_at: ArrayLike) -> Score:
    """Return the mean time that tuples were held back, in arrivals.

    Parameters
    ----------
    positions, left_at
        The position of each released tuple, and the one that had arrived last when it left.

    Notes
    -----
    ``parts`` holds quantiles: the smallest delay that at least this share of the tuples did not exceed.

    Examples
    --------
    >>> score = delay_avg([0, 2, 1, 3], [2, 2, 4, 4])
    >>> score.value, score.parts
    (1.5, {'quantile 0.5': 1.0, 'quantile 0.9': 3.0, 'quantile 0.99': 3.0})
    """
    counts = delay_distribution(positions, left_at)
    below = np.cumsum(counts)
    quantiles = {f"quantile {share}": float(np.searchsorted(below, share * below[-1])) for share in QUANTILES}
    return DELAY_AVG.score(float(counts @ np.arange(len(counts))) / float(below[-1]), (), parts=quantiles)


def delay_distribution(positions: ArrayLike, left_at: ArrayLike) -> NDArray[np.int64]:
    """Count the tuples by delay: entry i is the number of tuples that i others arrived after before they left.

    Parameters
    ----------
    positions, left_at
        The position of each released tuple, and the one that had arrived last when it left.

    Examples
    --------
    >>> delay_distribution([0, 2, 1, 3], [2, 2, 4, 4]).tolist()
    [1, 1, 1, 1]
    """
    places = _whole_numbers("positions", positions)
    delays = _whole_numbers("left_at", left_at, len(places)) - places
    if delays.min() < 0:
        raise DataError("left_at must not be before the tuple's own position: a tuple leaves after it has arrived")
    return np.bincount(delays)


class _Spans(NamedTuple):
    """Per group, last minus first position, and how much that exceeds the group's size less one."""

    spans: NDArray[np.int64]
    excess: NDArray[np.int64]


def _spans(labels: ArrayLike, positions: ArrayLike) -> _Spans:
    """Return how far apart the tuples of each group stood."""
    groups = _whole_numbers("labels", labels)
    places = _whole_numbers("positions", positions, len(groups))
    if groups.min() < 0:
        raise DataError("labels must number the groups from 0")
    order = np.lexsort((places, groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ends = np.append(starts[1:], len(order)) - 1
    spans = places[order[ends]] - places[order[starts]]
    return _Spans(spans, spans - (ends - starts))


def _whole_numbers(name: str, values: ArrayLike, n: int | None = None) -> NDArray[np.int64]:
    array: NDArray[Any] = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) == 0:
        raise DataError(f"{name} must be one whole number per released tuple, and at least one tuple must be released")
    if n is not None and len(array) != n:
        raise DataError(f"{name} must hold one number per released tuple, but there are {len(array)} for {n} tuples")
    return array.astype(np.int64)
