"""Population uniques: how many people are alone with their quasi-identifiers, estimated from a sample."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import DataError, PlanError

Estimator = Literal["pitman", "snb", "zayatz"]

SMALL_FRACTION = 0.1
"""Up to which sampling fraction the rule takes Pitman's estimate."""
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class PopulationUniques:
    """How many people of the population are unique, by three estimators."""

    # sample, sample_uniques, population: people of the sample, those of them who are alone in their class, and
    # people of the population
    sample: int
    sample_uniques: int
    population: int
    # pitman, snb, zayatz: the estimates; None where a model does not fit the sample
    pitman: float | None
    snb: float | None
    zayatz: float | None
    chosen: Estimator  # the estimator that the rule of Dankar et al. 2012 takes

    @property
    def estimate(self) -> float:
        """The estimate that was chosen."""
        value = getattr(self, self.chosen)
        assert value is not None, "the rule chooses what is there"
        return float(value)

    @property
    def share(self) -> float:
        """The share of the population that is unique."""
        return self.estimate / self.population

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        names = ("sample", "sample_uniques", "population", "pitman", "snb", "zayatz", "chosen", "estimate", "share")
        return {name: getattr(self, name) for name in names}


def population_uniques(sizes: ArrayLike, population: int) -> PopulationUniques:
    """Estimate how many people of a population are unique, from the classes of a sample of it.

    Parameters
    ----------
    sizes
        The people of each equivalence class of the sample.
    population
        The people of the population, at least those of the sample.

    Raises
    ------
    DataError
        The population is smaller than the sample.

    Notes
    -----
    The rule of Dankar et al. 2012: up to a sampling fraction of 0.1 the estimate of Pitman's model (Hoshino 2001),
    above it the smaller of the slide negative binomial (Chen and Keller-McNulty) and that of Zayatz 1991;
    Zayatz's wherever the other has none.

    Examples
    --------
    >>> found = population_uniques([1] * 40 + [2] * 15 + [5] * 6, 1000)
    >>> found.chosen, found.sample_uniques, round(found.share, 2)
    ('pitman', 40, 0.08)
    """
    classes = np.asarray(sizes)
    if classes.ndim != 1 or classes.dtype.kind not in "iu" or len(classes) == 0 or (classes < 1).any():
        raise PlanError("sizes must be the people of each class: whole numbers of at least 1")
    sample = int(classes.sum())
    if population < sample:
        raise DataError(
            f"the population has {population} people and the sample {sample}: a sample is no larger than its population"
        )
    counted, counts = np.unique(classes, return_counts=True)
    uniques = int(counts[counted == 1].sum())
    # A census counts them, and a sample without any expects none.
    estimates: dict[str, float | None] = dict.fromkeys(("pitman", "snb", "zayatz"), float(uniques))
    if uniques and population > sample:
        estimates = {
            "pitman": pitman(counted, counts, population),
            "snb": slide_negative_binomial(counted, counts, population),
            "zayatz": zayatz(counted, counts, population),
        }
    return PopulationUniques(
        sample, uniques, int(population), **estimates, chosen=_chosen(estimates, sample / population)
    )


def _chosen(estimates: dict[str, float | None], fraction: float) -> Estimator:
    """Choose by the rule of Dankar et al. 2012."""
    if fraction <= SMALL_FRACTION:
        return "zayatz" if estimates["pitman"] is None else "pitman"
    snb, other = estimates["snb"], estimates["zayatz"]
    return "snb" if snb is not None and other is not None and snb <= other else "zayatz"


Counts = NDArray[Any]
"""The sizes that classes of a sample have, or how many classes have each."""


def zayatz(sizes: Counts, counts: Counts, population: int) -> float:
    """Return the estimate of Zayatz 1991.

    Notes
    -----
    Bayes' rule: a class that is unique in the sample is so in the population with the probability p₁·P(f = 1 | F = 1) /
    Σ pⱼ·P(f = 1 | F = j), where pⱼ is the share of classes of size j, taken from the sample, and f is hypergeometric.
    """
    sample, classes = int(sizes @ counts), int(counts.sum())
    chances = {int(size): _seen_once(int(size), sample, population) for size in sizes}
    total = math.fsum(count / classes * chances[int(size)] for size, count in zip(sizes, counts, strict=True))
    uniques = int(counts[sizes == 1].sum())
    return uniques * (uniques / classes * chances[1] / total) * population / sample


def _seen_once(size: int, sample: int, population: int) -> float:
    """Return the chance that a sample has one of so many people: j·C(N − j, n − 1) / C(N, n).

    As j·n/N·∏ (N − n − i)/(N − 1 − i), i from 0 to j − 2: the factorials of a large population leave no digits.
    """
    if population - size < sample - 1:
        return 0.0
    others = population - 1 - np.arange(size - 1, dtype=np.float64)
    return size * sample / population * math.exp(float(np.log1p(-(sample - 1) / others).sum()))


def pitman(sizes: Counts, counts: Counts, population: int) -> float | None:
    """Return the estimate of Pitman's model, its two parameters by maximum likelihood.

    None where the likelihood has its maximum at the edge of the model, or it expects more uniques than people.

    Notes
    -----
    Hoshino 2001: Σᵢ ln(θ + iα) − Σᵢ ln(θ + i) + Σ sⱼ·Σᵢ ln(i − α) is greatest, and Γ(θ + 1) / Γ(θ + α)·N^α of N people
    are expected to be unique. Sums of logarithms are differences of lnΓ.
    """
    sample, classes = int(sizes @ counts), int(counts.sum())
    larger = [(int(size), int(count)) for size, count in zip(sizes, counts, strict=True) if size > 1]

    def likelihood(theta: float, alpha: float) -> float:
        ratio = theta / alpha
        return (
            (classes - 1) * math.log(alpha)
            + math.lgamma(ratio + classes)
            - math.lgamma(ratio + 1)
            - math.lgamma(theta + sample)
            + math.lgamma(theta + 1)
            + math.fsum(count * (math.lgamma(size - alpha) - math.lgamma(1 - alpha)) for size, count in larger)
        )

    def best_theta(alpha: float) -> float:
        return math.exp(_greatest(lambda log: likelihood(math.exp(log), alpha), -12.0, math.log(100.0 * sample)))

    low, high = 1e-6, 1 - 1e-6
    alpha = _greatest(lambda value: likelihood(best_theta(value), value), low, high)
    if alpha < low * 10 or 1 - alpha < low * 10:
        return None
    theta = best_theta(alpha)
    expected = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(population))
    return expected if expected <= population else None


def _greatest(function: Callable[[float], float], low: float, high: float, rounds: int = 60) -> float:
    """Return where a function of one hill is greatest, by golden sections."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(rounds):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
    return (low + high) / 2


def slide_negative_binomial(sizes: Counts, counts: Counts, population: int) -> float | None:
    """Return the estimate of the slide negative binomial model; None where no parameters expect the sample's.

    Notes
    -----
    Chen and Keller-McNulty: a class of the population has one person and a negative binomial (α, β) of others, so
    that K·β^α of K classes are unique. K is estimated from the sample by Shlosser (Haas and Stokes 1998), α and β such
    that the expected uniques and pairs of a Bernoulli sample are those of this one. With s = 1 − p, q = s(1 − β):
    E(s₁) = K·p·(β / (1 − q))^α·(1 + αq / (1 − q)), E(s₂) = K·p²·α(1 − β)·β^α·(2 − (1 − α)q) / (2·(1 − q)^(α + 2)).
    """
    fraction = int(sizes @ counts) / population
    ones, twos = (int(counts[sizes == size].sum()) for size in (1, 2))
    classes = shlosser(sizes, counts, fraction)
    share = ones / (classes * fraction)
    for rising in (False, True):
        fitted = _parameters(share, twos / classes, fraction, rising=rising)
        if fitted is not None:
            return min(float(population), float(classes * fitted.beta**fitted.alpha))
    return None


_BETAS = [1 / (1 + math.exp(-place / 10)) for place in range(-120, 121)]


class _NegativeBinomial(NamedTuple):
    """The parameters of a negative binomial."""

    alpha: float
    beta: float


def _parameters(once: float, twice: float, fraction: float, *, rising: bool) -> _NegativeBinomial | None:
    """Return α and β by which these shares of classes are seen once and twice, on one branch of α; None if none are."""

    def gap(beta: float) -> float | None:
        alpha = _alpha_for(once, beta, fraction, rising=rising)
        return None if alpha is None else _pairs(alpha, beta, fraction) - twice

    def halved(low: float, high: float, side: Callable[[float | None], bool]) -> list[float]:
        """Narrow two places down between which something changes."""
        first = side(gap(low))
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if side(gap(middle)) == first else (low, middle)
        return [low, high]

    places = list(_BETAS)
    for low, high in pairwise(_BETAS):  # the solution may lie next to where a branch ends
        if (gap(low) is None) != (gap(high) is None):
            places += halved(low, high, lambda value: value is None)
    for low, high in pairwise(sorted(places)):
        left, right = gap(low), gap(high)
        if left is not None and right is not None and (left > 0) != (right > 0):
            beta = halved(low, high, lambda value: value is not None and value > 0)[1]
            alpha = _alpha_for(once, beta, fraction, rising=rising)
            return None if alpha is None else _NegativeBinomial(alpha, beta)
    return None


def _alpha_for(once: float, beta: float, fraction: float, *, rising: bool) -> float | None:
    """Return the α by which a share of classes is seen once, in units of the fraction; None if there is none.

    The logarithm of that share is concave in α and 0 for α = 0, so that it falls to every share below 1, and rises to
    those between 1 and its greatest before it falls to them.
    """
    odds = (1 - fraction) * (1 - beta) / (1 - (1 - fraction) * (1 - beta))
    slope = -math.log1p(fraction * (1 - beta) / beta)

    def level(alpha: float) -> float:
        return alpha * slope + math.log1p(alpha * odds) - math.log(once)

    top = max(0.0, -1 / slope - 1 / odds)
    if level(top) < 0 or (rising and once < 1):
        return None
    low, high = (0.0, top) if rising else (top, 2 * top + 1.0)
    while not rising and level(high) > 0:
        low, high = high, 2 * high
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if (level(middle) > 0) == rising else (middle, high)
    return (low + high) / 2


def _pairs(alpha: float, beta: float, fraction: float) -> float:
    """Return the share of classes that are expected to be seen twice."""
    missed = (1 - fraction) * (1 - beta)
    size = alpha * math.log(beta) - (alpha + 2) * math.log1p(-missed)
    return fraction**2 * alpha * (1 - beta) * (2 - (1 - alpha) * missed) / 2 * math.exp(size)


def shlosser(sizes: Counts, counts: Counts, fraction: float) -> float:
    """Return how many classes a population has, from those of a sample: the estimator of Shlosser, as modified.

    Notes
    -----
    Haas and Stokes 1998: s + s₁·(Σ i·p²(1 − p²)^(i−1)·sᵢ / Σ (1 − p)^i·((1 + p)^i − 1)·sᵢ)·
    (Σ (1 − p)^i·sᵢ / Σ i·p(1 − p)^(i−1)·sᵢ)².
    """
    i, s, p = sizes.astype(np.float64), counts.astype(np.float64), fraction
    first = float((i * p**2 * (1 - p**2) ** (i - 1)) @ s)
    second = float((np.expm1(i * np.log1p(-(p**2))) - np.expm1(i * np.log1p(-p))) @ s)  # p may be tiny
    third = float((1 - p) ** i @ s)
    fourth = float((i * p * (1 - p) ** (i - 1)) @ s)
    return float(s.sum()) + float(s[i == 1].sum()) * first / second * (third / fourth) ** 2
