"""Optimal univariate against microagg1d, the package of PyPI, after its compilation; and our two searches.

Run it by itself: ``python benchmarks/univariate.py [values]``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from shoal import _core
from shoal.partitioners import univariate


def seconds(call: Callable[..., object], *arguments: object, repeats: int = 5) -> float:
    """Return the least time of a few calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call(*arguments)
        times.append(time.perf_counter() - start)
    return min(times)


def sse(values: np.ndarray, labels: np.ndarray) -> float:
    """Sum the squared distances to the group means."""
    centred = values - values.mean()
    means = np.bincount(labels, weights=centred) / np.bincount(labels)
    return float(((centred - means[labels]) ** 2).sum())


def against_microagg1d(n: int) -> None:
    """Print times and ratios for k = 3, 10 and 100."""
    from microagg1d import univariate_microaggregation

    print(f"optimal univariate, {n:,} values, seconds")
    print(f"{'values':<12}{'k':>5}{'shoal':>9}{'microagg1d':>12}{'ratio':>8}   SSE, ours / theirs")
    rng = np.random.default_rng(0)
    inputs = {
        "normal": rng.standard_normal(n),
        "offset 1e12": 1e12 + rng.standard_normal(n),
        "whole": np.round(rng.standard_normal(n) * 100),
    }
    for name, values in inputs.items():
        for k in (3, 10, 100):
            univariate_microaggregation(values[: 10 * k], k)  # compile before the clock starts
            ours = seconds(univariate, values, k)
            theirs = seconds(univariate_microaggregation, values, k)
            ratio = sse(values, univariate(values, k)) / sse(values, univariate_microaggregation(values, k))
            print(f"{name:<12}{k:>5}{ours:>9.3f}{theirs:>12.3f}{theirs / ours:>7.1f}×   {ratio:.12f}")


def searches(n: int) -> None:
    """Print where looking at every candidate stops being faster than dividing."""
    print(f"\nthe two searches, {n:,} values, seconds")
    print(f"{'values':<12}{'k':>5}{'scan':>9}{'divide':>9}")
    normal = np.random.default_rng(0).standard_normal(n)
    nobody = np.empty(0, dtype=np.int32)  # every value is of a subject of its own
    for name, values in {"normal": normal, "whole": np.round(normal * 100)}.items():
        for k in (3, 10, 30, 100, 300, 1000):
            scan, divide = (seconds(_core.univariate, values, k, nobody, search) for search in ("scan", "divide"))
            print(f"{name:<12}{k:>5}{scan:>9.3f}{divide:>9.3f}")


def main(n: int = 1_000_000) -> None:
    """Print both tables."""
    against_microagg1d(n)
    searches(n)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
