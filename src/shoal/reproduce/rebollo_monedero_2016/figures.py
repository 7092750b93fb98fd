"""Rebollo-Monedero et al. 2016: the trade-off between distortion and dependence, with and without blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from shoal.comparison.tradeoff import WEIGHTS, TradeOff, trade_offs
from shoal.measures import Pair, compute
from shoal.partitioners import blocked, mdav
from shoal.points import Points
from shoal.reproduce.group_averages import Numbers, averages
from shoal.scaling import zscores
from shoal.steer import dependence

GAUSSIAN_KS = (50, 100, 200, 500)
REFERENCE_KS = (5, 10, 20, 50, 100)
QUASI_IDENTIFIERS = 6
"""The first columns of Census and Tarragona; the other 7 are confidential (section V.A)."""


def gaussian(correlation: float, *, n: int = 10_000, seed: int = 0) -> tuple[Numbers, Numbers]:
    """Draw a quasi-identifier and a confidential attribute, both standard normal, with a correlation (section V.A).

    Examples
    --------
    >>> x, y = gaussian(0.9)
    >>> round(float(np.corrcoef(x, y)[0, 1]), 2)
    0.9
    """
    first, second = np.random.default_rng(seed).standard_normal((2, n))
    return first, correlation * first + np.sqrt(1 - correlation**2) * second


def sides(table: Numbers) -> tuple[Numbers, Numbers]:
    """Split a reference table into its quasi-identifiers and its confidential attributes."""
    return table[:, :QUASI_IDENTIFIERS], table[:, QUASI_IDENTIFIERS:]


def dependence_curves(
    x: Numbers, y: Numbers, *, ks: Iterable[int], weights: Iterable[float] = WEIGHTS
) -> tuple[TradeOff, ...]:
    """Sweep λ and k with MDAV: the curves of D_Y against D_X, their relative increments and ℓ_avg (section V.B).

    Examples
    --------
    >>> x, y = gaussian(0.5, n=300)
    >>> plain, *_, full = dependence_curves(x, y, ks=[10])
    >>> plain.d_x < full.d_x, plain.d_y > full.d_y
    (True, True)
    """
    points = Points.of(zscores(x))

    def release(k: int, weight: float) -> Pair:
        labels = mdav(dependence(y, weight)(points), k)
        return Pair.of(x, averages(x, labels), confidential=y)

    return trade_offs(release, ks=ks, weights=weights)


@dataclass(frozen=True)
class BlockRow:
    """A release whose quasi-identifiers were grouped in blocks of ``size`` columns, with weight λ."""

    size: int
    weight: float
    d_x: float
    dld: float


def block_curves(
    x: Numbers, y: Numbers, *, k: int = 10, sizes: Iterable[int] = (2, 3, 6), weights: Iterable[float] = WEIGHTS
) -> tuple[BlockRow, ...]:
    """Group contiguous blocks of quasi-identifiers one by one, each with the whole confidential side (section V.C).

    Notes
    -----
    The paper prints the sizes 2, 4, 6 in its caption and speaks of 2 and 3 in its text; six columns fall into equal
    blocks of 2, 3 and 6.
    """
    points = Points.of(zscores(x))
    rows = []
    for size in sizes:
        blocks = [list(range(start, start + size)) for start in range(0, x.shape[1], size)]
        for weight in weights:
            labels = blocked(points, k, blocks=blocks, partition=dependence(y, weight).before(mdav))
            masked = np.empty_like(x, dtype=np.float64)
            for number, block in enumerate(blocks):
                masked[:, block] = averages(x[:, block], labels[:, number])
            scores = compute(Pair.of(x, masked, confidential=y), ["d_x", "dld"])
            rows.append(BlockRow(size, weight, scores["d_x"].value, scores["dld"].value))
    return tuple(rows)
