"""Tables that try to make a fast search and a full one disagree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], Table]


def _sphere(rng: np.random.Generator, n: int, d: int) -> Table:
    directions = rng.standard_normal((n, d))
    return directions / np.linalg.norm(directions, axis=1, keepdims=True)


def _with_a_far_record(rng: np.random.Generator, n: int, d: int) -> Table:
    table = rng.standard_normal((n, d))
    table[rng.integers(n)] = rng.choice([-1e9, 1e100, -1e150])
    return table


def _with_a_constant_column(rng: np.random.Generator, n: int, d: int) -> Table:
    table = rng.standard_normal((n, d))
    table[:, rng.integers(d)] = 0.1
    return table


# name: (rng, n, d) -> table. Exact ties, ties but for rounding, cancellation, underflow, and squares near overflow.
TABLES: dict[str, Draw] = {
    "all equal": lambda rng, n, d: np.full((n, d), rng.choice([0.0, 0.1, 1e12, -1e150])),
    "constant column": _with_a_constant_column,
    "lattice": lambda rng, n, d: rng.integers(-2, 3, (n, d)) * rng.choice([1.0, 0.1, 1 / 3, 1e8]),
    "duplicates": lambda rng, n, d: rng.standard_normal((max(1, n // 6), d))[rng.integers(0, max(1, n // 6), n)],
    "signed zeros": lambda rng, n, d: rng.choice([0.0, -0.0, 1.0], (n, d)),
    "axes": lambda rng, n, d: np.eye(d)[rng.integers(0, d, n)] * rng.choice([1.0, -1.0], (n, 1)),
    "sphere": _sphere,
    "far sphere": lambda rng, n, d: _sphere(rng, n, d) + rng.choice([1e3, 1e8, 1e15]),
    "line": lambda rng, n, d: np.outer(rng.integers(0, 30, n), rng.standard_normal(d)),
    "offset": lambda rng, n, d: 1e12 + rng.standard_normal((n, d)),
    "neighbouring doubles": lambda rng, n, d: 1.0 + rng.integers(-3, 4, (n, d)) * 2.0**-52,
    "large integers": lambda rng, n, d: (2**53 + 2 * rng.integers(0, 64, (n, d))).astype(float),
    "denormals": lambda rng, n, d: rng.integers(-20, 20, (n, d)) * 5e-324,
    "squares underflow": lambda rng, n, d: rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-170, -150),
    "far record": _with_a_far_record,
    "two clouds": lambda rng, n, d: rng.standard_normal((n, d)) + rng.choice([0.0, 1e9], (n, 1)),
    "heavy tails": lambda rng, n, d: rng.standard_t(1, (n, d)),
    "rows of every scale": lambda rng, n, d: (
        np.clip(rng.standard_normal((n, d)), -5, 5) * 10.0 ** rng.uniform(-300, 149, (n, 1))
    ),
    "columns of every scale": lambda rng, n, d: (
        np.clip(rng.standard_normal((n, d)), -5, 5) * 10.0 ** rng.uniform(-300, 149, d)
    ),
}
