"""In how many dimensions records lie, roughly: attributes that go together count as one."""

from __future__ import annotations

import numpy as np

from shoal.points import Points

_SAMPLE = 20_000  # records that are looked at


def effective_dimension(points: Points) -> float:
    """Return how many attributes of equal spread and without correlation would spread records alike.

    Notes
    -----
    The participation ratio of the covariance matrix C, tr(C)² / tr(C²): d for d attributes of equal variance that are
    uncorrelated, 1 where one direction has all the variance. A nominal attribute is taken as one of its own.

    Examples
    --------
    >>> normal = np.random.default_rng(0).normal(size=(5000, 6))
    >>> round(effective_dimension(Points.of(normal)))
    6
    >>> round(effective_dimension(Points.of(normal @ np.diag([1, 1, 0.01, 0.01, 0.01, 0.01]))))
    2
    """
    some = points.take(np.arange(0, len(points), -(-len(points) // _SAMPLE)))
    columns = np.column_stack([some.coords, some.ranks * some.rank_steps])
    size = max(float(np.abs(columns).max(initial=0.0)), float(np.sqrt(some.code_weights).max(initial=0.0)))
    if size == 0:
        return 1.0
    columns = columns / size  # so that nothing overflows
    columns -= columns.mean(axis=0)
    covariance = columns.T @ columns / len(some)
    weights = some.code_weights / size / size
    nominal = np.array(
        [
            weight * (1.0 - np.square(np.unique(codes, return_counts=True)[1] / len(some)).sum()) / 2
            for weight, codes in zip(weights, some.codes.T, strict=True)
        ]
    )
    squares = float(np.square(covariance).sum() + np.square(nominal).sum())
    return float((np.trace(covariance) + nominal.sum()) ** 2 / squares) if squares > 0 else 1.0
