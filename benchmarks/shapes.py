"""Points of several shapes, seeded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SHAPES = ("normal", "heavy-tailed", "clustered", "duplicates")


def points_of(shape: str, n: int, d: int) -> NDArray[np.float64]:
    """Draw n points: normal, Student's t with two degrees of freedom, 20 clusters, or few distinct values."""
    rng = np.random.default_rng(0)
    if shape == "normal":
        return rng.standard_normal((n, d))
    if shape == "heavy-tailed":
        return rng.standard_t(2, (n, d))
    if shape == "clustered":
        return 10 * rng.standard_normal((20, d))[rng.integers(0, 20, n)] + rng.standard_normal((n, d))
    return np.floor(2 * rng.standard_normal((n, d)))
