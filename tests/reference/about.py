"""Whom records are about, in ways that make groups of k subjects hard to form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.points import Points

Subjects = NDArray[np.int64]
Draw = Callable[[np.random.Generator, int, int], Subjects]


def _all_of_them(rng: np.random.Generator, n: int, k: int, rest: Subjects) -> Subjects:
    """Put k subjects anywhere, so that at least as many are there."""
    subjects = rest.copy()
    subjects[rng.permutation(n)[:k]] = np.arange(k)
    return subjects


# name: (rng, n, k) -> the subject of each of n records, at least k of them (n ≥ k).
SUBJECTS: dict[str, Draw] = {
    "each its own": lambda rng, n, k: rng.permutation(n),
    "four records each": lambda rng, n, k: _all_of_them(rng, n, k, rng.permutation(np.arange(n) // 4)),
    "side by side": lambda rng, n, k: _all_of_them(rng, n, k, np.arange(n) // 5),
    "one has most": lambda rng, n, k: _all_of_them(rng, n, k, np.where(rng.random(n) < 0.8, 0, rng.integers(0, n, n))),
    "exactly k": lambda rng, n, k: _all_of_them(rng, n, k, rng.integers(0, k, n)),
    "one has all others": lambda rng, n, k: _all_of_them(rng, n, k, np.zeros(n, dtype=np.int64)),
    "a few more than k": lambda rng, n, k: _all_of_them(rng, n, k, rng.integers(0, k + 3, n)),
    "long ones": lambda rng, n, k: _all_of_them(rng, n, k, np.arange(n) // max(n // (2 * k), 1)),
}


def whose(points: Points) -> list[int]:
    """Return the subject of each record; without any, each is its own."""
    return points.subjects.tolist() or list(range(len(points)))


def fewest_subjects(labels: NDArray[np.int64], subjects: Subjects) -> int:
    """Count the different subjects of each group, and return the least."""
    return min(len(set(subjects[labels == group].tolist())) for group in range(labels.max() + 1))
