"""Random points of every kind, for tests."""

from __future__ import annotations

import numpy as np

from shoal.points import Points


def mixed_points(
    rng: np.random.Generator,
    n: int,
    coords: int,
    ordinal: int = 0,
    nominal: int = 0,
    *,
    distinct: int = 3,
    levels: int = 6,
) -> Points:
    """Draw n records with few distinct values per attribute, so that ties abound."""
    rank_levels = rng.integers(1, levels, ordinal)
    code_levels = rng.integers(1, levels, nominal)
    return Points.build(
        coords=rng.integers(0, distinct, (n, coords)).astype(float),
        ranks=rng.integers(0, rank_levels, (n, ordinal)),
        rank_steps=1.0 / rank_levels,
        rank_levels=rank_levels,
        rank_convex=rng.random(ordinal) < 0.5,
        codes=rng.integers(0, code_levels, (n, nominal)),
        code_weights=rng.choice([0.5, 1.0, 2.0], nominal),
        code_levels=code_levels,
    )


def repeated_points(rng: np.random.Generator, n: int, different: int, *kinds: int) -> Points:
    """Draw n records of which only some are different; zeros of either sign are equal."""
    points = mixed_points(rng, different, *kinds, distinct=5).take(rng.integers(0, different, n))
    points.coords[::2] *= -1.0
    return points
