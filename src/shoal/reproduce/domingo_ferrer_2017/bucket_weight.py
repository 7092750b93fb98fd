"""Domingo-Ferrer and Soria-Comas 2017: how heavy the bucket number must be for t-closeness, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.constrain import steered, t_first
from shoal.measures import Pair, compute
from shoal.reproduce.group_averages import Numbers, averages
from shoal.scaling import unit_range


@dataclass(frozen=True)
class WeightRow:
    """Groups steered with weight ω, not repaired: how far they are from the table, and what they lose."""

    weight: float
    emd_max: float
    emd_avg: float
    mse: float
    mae: float


def perfectly_correlated(n: int = 1000) -> tuple[Numbers, Numbers]:
    """Return the records (i, i), the hardest case for t-closeness (section VI.A).

    Notes
    -----
    The paper counts i from 0 to 1000; with i from 0 to 999 the buckets for t = 0.05 and t = 0.1 have equal sizes.
    """
    values = np.arange(n, dtype=np.float64)
    return values[:, None], values


def weight_curve(x: Numbers, y: Numbers, weights: Iterable[float], *, t: float, k: int = 2) -> tuple[WeightRow, ...]:
    """Sweep ω: Figures 1 and 2.

    Examples
    --------
    >>> rows = weight_curve(*perfectly_correlated(), [98, 99], t=0.05)
    >>> [round(row.emd_max, 4) for row in rows]
    [0.0999, 0.0495]
    """
    rows = []
    for weight in weights:
        labels = steered(x, y, k=k, t=t, weight=weight, guarantee=False)
        scores = compute(grouped(x, y, labels), ["emd_max", "emd_avg", "mse", "mae"])
        rows.append(WeightRow(weight, **{key: score.value for key, score in scores.items()}))
    return tuple(rows)


@dataclass(frozen=True)
class MethodRow:
    """A method that guarantees t: what its groups lose."""

    method: str
    k: int
    t: float
    groups: int
    normalised_sse: float
    emd_max: float


def against_t_first(x: Numbers, y: Numbers, *, ks: Iterable[int], ts: Iterable[float]) -> tuple[MethodRow, ...]:
    """Compare steering with the best method of Soria-Comas et al. 2015 at equal k and t (section VI.C).

    Examples
    --------
    >>> for row in against_t_first(*perfectly_correlated(200), ks=[2], ts=[0.1]):
    ...     print(row.method, row.groups, round(row.normalised_sse, 4))
    t_first 40 0.0808
    steered 40 0.084
    """
    points = unit_range(x)
    rows = []
    for k in ks:
        for t in ts:
            for method in (t_first, steered):
                labels = method(points, y, k=k, t=t)
                scores = compute(grouped(x, y, labels), ["normalised_sse", "emd_max"])
                values = {key: score.value for key, score in scores.items()}
                rows.append(MethodRow(method.__name__, k, t, int(labels.max()) + 1, **values))
    return tuple(rows)


def grouped(x: Numbers, y: Numbers, labels: NDArray[np.int64]) -> Pair:
    """Pair a table with its averages by group.

    The classes are the groups: two groups that share an average stay two, as the method left them.
    """
    pair = Pair.of(x, averages(x, labels), confidential=y)
    return Pair(pair.columns, pair.confidential, labels=labels)
