"""The one-dimension family on large inputs: Mic1D-k on ten million values, projections, individual ranking.

Run it by itself: ``python benchmarks/one_dimension.py``.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from shoal.partitioners import individual, mic1d, projected


def seconds(call: Callable[..., object], *arguments: object, **options: object) -> float:
    """Return the time of one call."""
    start = time.perf_counter()
    call(*arguments, **options)
    return time.perf_counter() - start


def main() -> None:
    """Print a line for each piece of work."""
    rng = np.random.default_rng(0)
    values = rng.lognormal(size=(1_000_000, 10))
    print("seconds (wall)")
    for cut in ("fixed", "optimal"):
        for k in (1000, 100_000):
            took = seconds(mic1d, values, k, cut=cut)
            print(f"mic1d, 10,000,000 values, k = {k:,}, {cut} cut: {took:.2f}")
    took = seconds(np.argsort, values.ravel(), kind="stable")
    print(f"for comparison, one stable numpy.argsort of the values (mic1d sorts twice): {took:.2f}")
    for k in (3, 10, 100):
        print(f"projected, 1,000,000 × 10, k = {k}: {seconds(projected, values, k):.2f}")
    print(f"individual, 1,000,000 × 10, k = 5: {seconds(individual, values, 5):.2f}")


if __name__ == "__main__":
    main()
