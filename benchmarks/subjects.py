"""Groups of k subjects: time against groups of k records, loss against merging those, and the rule that was chosen.

python benchmarks/run.py subjects [million] [rules]
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
from numpy.typing import NDArray

from clock import alternately, seconds
from shoal.constrain import repair
from shoal.partitioners import mdav, vmdav
from shoal.points import Points

Labels = NDArray[np.int64]


def stays(sizes: NDArray[np.int64], d: int, correlation: float, seed: int = 0) -> Points:
    """Draw normal records, so many of each subject; two of the same have this correlation in every attribute."""
    rng = np.random.default_rng(seed)
    subjects = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    centres = rng.standard_normal((len(sizes), d))[subjects]
    noise = rng.standard_normal((len(subjects), d))
    return Points.of(np.sqrt(correlation) * centres + np.sqrt(1.0 - correlation) * noise).about(subjects)


def loss(points: Points, labels: Labels) -> float:
    """Return the sum of squared errors in percent of that of one group."""
    x = points.coords - points.coords.mean(axis=0)
    sizes = np.bincount(labels)
    means = np.column_stack([np.bincount(labels, column) for column in x.T]) / sizes[:, None]
    return 100.0 * float(((x - means[labels]) ** 2).sum() / (x**2).sum())


def merged(points: Points, k: int) -> Labels:
    """Form groups of k records and merge those of fewer than k subjects, the worst first, with the nearest group."""
    return repair(points, mdav(points.coords, k), [], k=k)


def a_million(n: int = 1_000_000, d: int = 4) -> None:
    """Compare a million records, four of each subject, with a million records that are all subjects of their own."""
    print(f"\n{n:,} × {d} normal, four records of each subject; processor time in seconds, loss in percent")
    print(f"{'correlation':>12}{'k':>4}{'records':>9}{'subjects':>9}{'ratio':>7}{'merged after':>14}", end="")
    print(f"{'loss: subjects':>16}{'merged':>8}")
    for correlation in (0.0, 0.5, 0.9, 0.99):
        points = stays(np.full(n // 4, 4), d, correlation)
        for k in (3, 5, 10):
            records, subjects = alternately(partial(mdav, points.coords, k), partial(mdav, points, k), repeats=3)
            after = seconds(partial(merged, points, k), 1)
            ours, theirs = loss(points, mdav(points, k)), loss(points, merged(points, k))
            print(f"{correlation:>12}{k:>4}{records:>9.2f}{subjects:>9.2f}{subjects / records:>6.2f}×", end="")
            print(f"{after / records:>13.2f}×{ours:>16.4f}{theirs:>8.4f}", flush=True)


def by_rule(points: Points, k: int, along: float) -> Labels:
    """Form groups as `mdav` does, with records of the subjects at hand coming along within so much of the radius.

    In plain NumPy; nothing but continuous attributes, and no two records of a subject alike.
    """
    x, subjects = points.coords, points.subjects
    labels = np.full(len(x), -1)
    rest = np.arange(len(x))
    opposite = None
    while len(np.unique(subjects[rest])) >= k:
        centre = x[rest].mean(axis=0) if opposite is None else x[opposite]
        row = rest[((x[rest] - centre) ** 2).sum(axis=1).argmax()]
        opposite = row if opposite is None else None
        distances = ((x[rest] - x[row]) ** 2).sum(axis=1)
        distances[rest == row] = -1.0
        near = rest[np.argsort(distances, kind="stable")]
        distances = np.sort(distances)
        firsts = np.sort(np.unique(subjects[near], return_index=True)[1])
        taken = distances < along**2 * distances[firsts[k - 1]]
        taken[firsts[:k]] = True
        if len(np.unique(subjects[near[~taken]])) < k:
            taken[firsts] = True
        labels[near[taken]] = labels.max() + 1
        rest = np.sort(near[~taken])
    sizes = np.bincount(labels[labels >= 0])
    means = np.column_stack([np.bincount(labels[labels >= 0], column[labels >= 0]) for column in x.T]) / sizes[:, None]
    for row in rest:
        labels[row] = ((means - x[row]) ** 2).sum(axis=1).argmin()
    return labels


HEAVY = np.append([300, 200, 150, 100, 100], np.full(288, 4))
TABLES = {
    "four each, correlation 0": (np.full(500, 4), 0.0),
    "four each, correlation .5": (np.full(500, 4), 0.5),
    "four each, correlation .9": (np.full(500, 4), 0.9),
    "some with hundreds, 0": (HEAVY, 0.0),
    "some with hundreds, .5": (HEAVY, 0.5),
    "some with hundreds, .9": (HEAVY, 0.9),
    "30 subjects, .5": (np.full(30, 67), 0.5),
    "four equal records each": (np.full(500, 4), 1.0),
}
SHARES = (0.0, 0.5, 0.75, 0.9, 1.0)


def rules() -> None:
    """Print the loss of each rule as a multiple of that of merging, over 2, 4, 8 attributes and k = 3, 5, 10."""
    print("\nabout 2,000 records: loss in units of that of groups of records, merged; by the share of the radius")
    print("within which further records of a subject come along; then V-MDAV, and MDAV of records, not merged")
    print(f"{'':<28}" + "".join(f"{share:>7}" for share in SHARES) + f"{'vmdav':>7}{'plain':>7}")
    for name, (sizes, correlation) in TABLES.items():
        logarithms = []
        for d in (2, 4, 8):
            points = stays(sizes, d, correlation, seed=d)
            for k in (3, 5, 10):
                if correlation < 1.0:
                    found = [by_rule(points, k, share) for share in SHARES]
                    assert (found[SHARES.index(0.75)] == mdav(points, k)).all()
                else:  # equal records stay together, whatever the share
                    found = [mdav(points, k)] * len(SHARES)
                found += [vmdav(points, k), mdav(points.coords, k)]
                base = loss(points, merged(points, k))
                logarithms.append([np.log(loss(points, labels) / base) for labels in found])
        means = np.exp(np.mean(logarithms, axis=0))
        print(f"{name:<28}" + "".join(f"{ratio:>7.2f}" for ratio in means), flush=True)


PARTS = {"million": a_million, "rules": rules}


def main(*parts: str) -> None:
    """Print the parts asked for, or all."""
    for part in parts or PARTS:
        PARTS[part]()


if __name__ == "__main__":
    main(*sys.argv[1:])
