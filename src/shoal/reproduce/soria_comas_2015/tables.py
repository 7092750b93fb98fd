"""Soria-Comas et al. 2015, Tables 1-3 and Figures 5-7: the group sizes that k and t lead to, and what they cost."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.constrain import emd, k_first, merge, t_first
from shoal.measures import Pair, compute
from shoal.points import Points
from shoal.reproduce.group_averages import Numbers, averages
from shoal.scaling import zscores

Algorithm = Literal["merge", "k_first", "t_first"]
ALGORITHMS: dict[Algorithm, int] = {"merge": 1, "k_first": 2, "t_first": 3}
"""The algorithms by their numbers in the paper, which are those of the tables."""

KS = (2, 5, 10, 15, 20, 25, 30)
TABLE_TS = (0.01, 0.05, 0.09, 0.13, 0.17, 0.21, 0.25)
FIGURE_TS = (0.02, 0.05, 0.09, 0.13, 0.17, 0.21, 0.25)

QUASI_IDENTIFIERS = ("TAXINC", "POTHVAL")
CONFIDENTIAL = {"MCD": "FEDTAX", "HCD": "FICA"}
"""The confidential column of the moderately and of the highly correlated data set (section 8.1)."""

_RUN = {"merge": merge, "k_first": k_first, "t_first": t_first}


@dataclass(frozen=True)
class Row:
    """One run: group sizes, the largest distance, the loss of the quasi-identifiers and the seconds it took."""

    algorithm: Algorithm
    k: int
    t: float
    smallest: int
    average: float
    largest_emd: float
    normalised_sse: float
    seconds: float


def data_set(census: Mapping[str, ArrayLike], name: str) -> tuple[Numbers, Numbers]:
    """Return the quasi-identifiers and the confidential attribute of MCD or HCD from the columns of Census."""
    quasi = np.column_stack([np.asarray(census[column], dtype=np.float64) for column in QUASI_IDENTIFIERS])
    return quasi, np.asarray(census[CONFIDENTIAL[name]], dtype=np.float64)


def rows(
    quasi: Numbers,
    confidential: NDArray[np.float64],
    *,
    algorithms: Iterable[Algorithm] = ALGORITHMS,
    ks: Iterable[int] = KS,
    ts: Iterable[float] = TABLE_TS,
) -> tuple[Row, ...]:
    """Run the algorithms for every k and t.

    Notes
    -----
    Table 1 is `merge`, Table 2 `k_first`, Table 3 `t_first`: smallest and average group size. Figure 5 is the seconds,
    Figures 6 and 7 the normalised SSE (equation 5) by t and by k. Quasi-identifiers are standardised.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(60, 2)), rng.permutation(60).astype(float)
    >>> [(row.algorithm, row.smallest) for row in rows(x, y, ks=[5], ts=[0.1])]
    [('merge', 10), ('k_first', 5), ('t_first', 5)]
    """
    points = Points.of(zscores(quasi))
    ks, ts = tuple(ks), tuple(ts)
    return tuple(_row(points, quasi, confidential, algorithm, k, t) for algorithm in algorithms for k in ks for t in ts)


def _row(
    points: Points, quasi: Numbers, confidential: NDArray[np.float64], algorithm: Algorithm, k: int, t: float
) -> Row:
    start = time.perf_counter()
    labels = _RUN[algorithm](points, confidential, k=k, t=t)
    seconds = time.perf_counter() - start
    sizes, worst = np.bincount(labels), float(emd(confidential, labels).max())
    return Row(algorithm, k, t, int(sizes.min()), float(sizes.mean()), worst, loss_of(quasi, labels), seconds)


def loss_of(quasi: Numbers, labels: NDArray[np.int64]) -> float:
    """Return the normalised SSE (equation 5) of replacing records by the averages of their groups."""
    return compute(Pair.of(quasi, averages(quasi, labels)), ["normalised_sse"])["normalised_sse"].value
