"""Rebollo-Monedero et al. 2016: the trade-off between distortion and dependence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.comparison.tradeoff import WEIGHTS, TradeOff, trade_offs
from shoal.measures import Pair, compute
from shoal.partitioners import blocked, mdav
from shoal.points import Points
from shoal.reproduce.exhibit import Exhibit, Numbers, TwoSides, averages, block_averages, table
from shoal.reproduce.reference import Reference
from shoal.scaling import zscores
from shoal.steer import dependence

PAPER = "Rebollo-Monedero et al. 2016"
GAUSSIAN_KS = (50, 100, 200, 500)
REFERENCE_KS = (5, 10, 20, 50, 100)
QUASI_IDENTIFIERS = 6
"""The first columns of Census and Tarragona; the other 7 are confidential (section V.A)."""


def gaussian(correlation: float, *, n: int = 10_000, seed: int = 0) -> TwoSides:
    """Draw a quasi-identifier and a confidential attribute, both standard normal, with a correlation (section V.A).

    >>> x, y = gaussian(0.9)
    >>> round(float(np.corrcoef(x, y)[0, 1]), 2)
    0.9
    """
    first, second = np.random.default_rng(seed).standard_normal((2, n))
    return TwoSides(first, correlation * first + np.sqrt(1 - correlation**2) * second)


def sides(table: Numbers) -> TwoSides:
    """Split a reference table into its quasi-identifiers and its confidential attributes."""
    return TwoSides(table[:, :QUASI_IDENTIFIERS], table[:, QUASI_IDENTIFIERS:])


def dependence_curves(
    x: Numbers, y: Numbers, *, ks: Iterable[int], weights: Iterable[float] = WEIGHTS
) -> tuple[TradeOff, ...]:
    """Sweep λ and k with MDAV: the curves of D_Y against D_X, their relative increments and ℓ_avg (section V.B).

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

    The paper prints the sizes 2, 4, 6 in its caption and speaks of 2 and 3 in its text; six columns fall into equal
    blocks of 2, 3 and 6.
    """
    points = Points.of(zscores(x))
    rows = []
    for size in sizes:
        blocks = [list(range(start, start + size)) for start in range(0, x.shape[1], size)]
        for weight in weights:
            labels = blocked(points, k, blocks=blocks, partition=dependence(y, weight).before(mdav))
            pair = Pair.of(x, block_averages(x, blocks, labels), confidential=y)
            scores = compute(pair, ["d_x", "dld"])
            rows.append(BlockRow(size, weight, scores["d_x"].value, scores["dld"].value))
    return tuple(rows)


SHOWN = (0.0, 0.1, 0.5, 1.0)
"""The λ that are printed; all tenths are computed."""


def _curves(source: Callable[[Reference], TwoSides], ks: Sequence[int]) -> Callable[[Reference], Iterator[str]]:
    def make(reference: Reference) -> Iterator[str]:
        rows = dependence_curves(*source(reference), ks=ks)
        yield "The paper draws these as figures without numbers; what it concludes from them stands below.\n"
        head = ["k", *(f"{what} at λ = {weight:g}" for what in ("D_X", "D_Y", "ℓ_avg") for weight in SHOWN)]
        yield from table(head, (_row(rows, k) for k in ks))
        yield from _claims(rows, ks)

    return make


def _row(rows: Sequence[TradeOff], k: int) -> list[str]:
    at = {row.weight: row for row in rows if row.k == k}
    shown = [at[weight] for weight in SHOWN]
    distortions = [f"{value:.3f}" for value in (*(row.d_x for row in shown), *(row.d_y for row in shown))]
    return [str(k), *distortions, *(f"{row.l_avg:.2f}" for row in shown)]


def _claims(rows: Sequence[TradeOff], ks: Sequence[int]) -> Iterator[str]:
    plain, full = [r for r in rows if r.weight == 0], [r for r in rows if r.weight == 1]
    smallest = [row for row in rows if row.k == min(ks)]
    slight = next(row for row in smallest if row.weight == 0.1)
    orders = f"{sum(r.d_x <= r.d_y for r in plain)} of {len(plain)}, {sum(r.d_y <= r.d_x for r in full)} of {len(full)}"
    price = f"D_X {slight.d_x_change:+.1%}, D_Y {slight.d_y_change:+.1%}"
    impact = f"{smallest[0].l_avg:.2f}, {slight.l_avg:.2f} at λ = 0.1, {smallest[-1].l_avg:.2f} at λ = 1"
    by_k = [[row for row in rows if row.k == k] for k in sorted(ks)]
    grows = all(
        a.d_x < b.d_x and a.d_y < b.d_y
        for smaller, larger in pairwise(by_k)
        for a, b in zip(smaller, larger, strict=True)
    )
    yield from table(
        ["the paper says", "here"],
        [
            ["D_X ≤ D_Y for λ = 0, and conversely for λ = 1", orders],
            ["either distortion increases with k", ("" if grows else "not ") + "for every k and λ"],
            ["at low k a small price in D_X buys much of D_Y", f"k = {min(ks)}, λ = 0.1: {price}"],
            ["hardly any impact on ℓ_avg but towards λ = 1", f"k = {min(ks)}: {impact}"],
        ],
    )


def _blocks(reference: Reference) -> Iterator[str]:
    rows = {(row.size, row.weight): row for row in block_curves(*sides(reference.table("census")))}
    yield "Census, k = 10, the first six columns in contiguous blocks of b, each with the whole confidential side.\n"
    sizes = (2, 3, 6)
    yield from table(
        ["λ", *(f"D_X, b = {b}" for b in sizes), *(f"DLD, b = {b}" for b in sizes)],
        (
            [f"{w:g}", *(f"{rows[b, w].d_x:.4f}" for b in sizes), *(f"{rows[b, w].dld:.1f}" for b in sizes)]
            for w in SHOWN
        ),
    )
    halves = f"÷{rows[6, 0].d_x / rows[3, 0].d_x:.1f}, ÷{rows[3, 0].d_x / rows[2, 0].d_x:.1f}"
    yield from table(
        ["the paper says", "here"],
        [
            ["at λ = 0 the distortion halves for b = 3, and once again for b = 2", halves],
            ["blocks of 2 near full disclosure", f"{rows[2, 0].dld:.1f} %"],
            ["without blocks DLD is about 1/k", f"{rows[6, 0].dld:.1f} %"],
            ["identical when λ = 1", f"D_X {', '.join(f'{rows[b, 1].d_x:.4f}' for b in sizes)}"],
        ],
    )


def _on_gaussian(correlation: float) -> Exhibit:
    title = f"{PAPER}, section V.B: the trade-off on Gaussian data with correlation {correlation}"
    curves = _curves(lambda _: gaussian(correlation), GAUSSIAN_KS)
    return Exhibit(f"p3-gaussian-{10 * correlation:.0f}", title, curves)


def _on_reference(name: str) -> Exhibit:
    title = f"{PAPER}, section V.B: the trade-off on {name.capitalize()}"
    return Exhibit(f"p3-{name}", title, _curves(lambda reference: sides(reference.table(name)), REFERENCE_KS), (name,))


EXHIBITS = (
    _on_gaussian(0.5),
    _on_gaussian(0.9),
    _on_reference("census"),
    _on_reference("tarragona"),
    Exhibit("p3-blocks", f"{PAPER}, section V.C: blocks of quasi-identifiers on Census", _blocks, ("census",)),
)
