"""Runs and t-closeness with several records of a subject: loss against merging groups of records, and time.

Run it by itself: ``python benchmarks/closeness_subjects.py [loss] [time]``; without arguments, both.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from shoal.constrain import k_first, repair, steered, t_first
from shoal.partitioners import projected, univariate
from shoal.points import Points
from shoal.protect import Closeness, Confidential

Labels = np.ndarray


def stays(n: int, each: int, spread: float, seed: int = 0) -> tuple[Points, np.ndarray]:
    """Return records of three attributes, so many of each subject and so far from its own place, and their values."""
    rng = np.random.default_rng(seed)
    subjects = rng.permutation(np.arange(n) // each)
    x = rng.normal(size=(n // each + 1, 3))[subjects] + spread * rng.normal(size=(n, 3))
    return Points.of(x).about(subjects), 0.3 * x[:, 0] + 0.95 * rng.normal(size=n)


def loss(points: Points, labels: Labels) -> float:
    """Return the sum of squared errors in percent of that of one group."""
    x = points.coords - points.coords.mean(axis=0)
    sizes = np.bincount(labels)
    means = np.column_stack([np.bincount(labels, column) for column in x.T]) / sizes[:, None]
    return 100 * float(((x - means[labels]) ** 2).sum() / (x**2).sum())


def losses(n: int = 20_000, k: int = 5) -> None:
    """Print what groups lose that are formed of k subjects, and those of k records that are merged until they are."""
    print(f"{n:,} records, k = {k}: loss (%) with groups of subjects / with groups of records, merged")
    ways: dict[str, Callable[..., Labels]] = {"t_first": t_first, "k_first": k_first, "steered": steered}
    columns = [f"{way} {t}" for way in ways for t in (0.05, 0.15)]
    print(f"{'records each':>12}{'spread':>8}{'projected':>16}" + "".join(f"{name:>16}" for name in columns))
    for each, spread in ((2, 0.1), (4, 0.0), (4, 0.1), (4, 0.5), (4, 2.0), (12, 0.1)):
        points, values = stays(n, each, spread)
        plain = Points.of(points.coords)
        pairs = [(projected(points, k), repair(points, projected(plain, k), [], k=k))]
        for way in ways.values():
            for t in (0.05, 0.15):
                rule = Closeness(Confidential.ordered(values), t)
                merged = repair(points, way(plain, values, k=k, t=t), [rule], k=k)
                pairs.append((way(points, values, k=k, t=t), merged))
        cells = [f"{loss(points, formed):.1f} / {loss(points, merged):.1f}" for formed, merged in pairs]
        print(f"{each:>12}{spread:>8}" + "".join(f"{cell:>16}" for cell in cells), flush=True)


def seconds(call: Callable[[], Labels]) -> float:
    """Return the processor time of a call, which other work on the machine does not add to."""
    start = time.process_time()
    call()
    return time.process_time() - start


def times(n: int = 1_000_000, k: int = 5) -> None:
    """Print the time with subjects relative to that of the same records, each a subject of its own."""
    print(f"\n{n:,} records, k = {k}: processor seconds, and with subjects relative to those")
    print(f"{'':<12}{'records':>9}{'2 each':>9}{'4 each':>9}{'100 each':>10}")
    values = stays(n, 1, 0.0)[1]
    work: dict[str, Callable[[Points], Labels]] = {
        "univariate": lambda points: univariate(points.select([0]), k),
        "projected": lambda points: projected(points, k),
        "t_first .1": lambda points: t_first(points, values, k=k, t=0.1),
    }
    for name, call in work.items():
        tables = [stays(n, each, 0.1)[0] for each in (2, 4, 100)]
        plain = [seconds(lambda call=call, points=points: call(Points.of(points.coords))) for points in tables]
        spent = [seconds(lambda call=call, points=points: call(points)) for points in tables]
        ratios = [f"{own / base:.2f}×" for own, base in zip(spent, plain, strict=True)]
        print(f"{name:<12}{plain[1]:>9.2f}{ratios[0]:>9}{ratios[1]:>9}{ratios[2]:>10}", flush=True)


if __name__ == "__main__":
    for part in sys.argv[1:] or ("loss", "time"):
        {"loss": losses, "time": times}[part]()
