"""Time and extra memory of the measures that look at every record: a million against a million.

python benchmarks/measure.py [records] [columns]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from peak import extra_memory
from shoal.measures import Pair, compute, equivalence_classes


def main(n: int = 1_000_000, d: int = 4) -> None:
    """Measure two releases of correlated normal data: noise on every value, and groups of ten."""
    rng = np.random.default_rng(0)
    original = np.asfortranarray(rng.normal(size=(n, d)) @ rng.normal(size=(d, d)))
    charge = (original[:, 0] * 100 + rng.normal(0, 50, n)).round()
    for name, released in (
        ("noise of 1 % of a deviation", noisy(original, 0.01, rng)),
        ("noise of 30 % of a deviation", noisy(original, 0.3, rng)),
        ("groups of 10", grouped(original, 10)),
    ):
        print(f"\n{n:,} records × {d} columns, {name}; extra memory in units of the table's {n * d * 8 / 1e6:,.0f} MB")
        report("equivalence classes", n * d * 8, partial(count_classes, released))
        for key in ("dld", "id", "il", "il_percent", "mae", "emd_max", "l_entropy"):
            pair = Pair.of(original, released, confidential=charge)
            report(key, n * d * 8, partial(value_of, pair, key))


def count_classes(released: np.ndarray) -> int:
    """Return the number of different released records."""
    return int(equivalence_classes(released).max()) + 1


def value_of(pair: Pair, key: str) -> float:
    """Return the value of one measure."""
    return compute(pair, [key])[key].value


def noisy(original: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Add independent noise to every value."""
    return np.asfortranarray(original + rng.normal(size=original.shape) * share * original.std(axis=0))


def grouped(original: np.ndarray, k: int) -> np.ndarray:
    """Halve the records along their widest column until fewer than 2k are left, and average each cell."""
    released = np.empty_like(original)
    pending = [np.arange(len(original))]
    while pending:
        rows = pending.pop()
        if len(rows) < 2 * k:
            released[rows] = original[rows].mean(axis=0)
            continue
        values = original[rows]
        widest = int(np.ptp(values, axis=0).argmax())
        order = np.argpartition(values[:, widest], len(rows) // 2)
        pending += [rows[order[: len(rows) // 2]], rows[order[len(rows) // 2 :]]]
    return released


def report(name: str, unit: int, call: Callable[[], float]) -> None:
    """Print the value of a call, its time and its memory."""
    start = time.perf_counter()
    value, memory = extra_memory(call)
    print(f"  {name:20} {value:14,.4f} {time.perf_counter() - start:8.2f} s {memory / unit:6.2f}×", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
