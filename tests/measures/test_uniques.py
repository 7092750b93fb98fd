"""Population uniques: estimators against their definitions and on known populations, and the rule that chooses."""

import math

import numpy as np
import pytest

from reference import uniques as slow
from shoal.errors import DataError, PlanError
from shoal.measures import population_uniques, uniques

SAMPLES = [
    [1] * 40 + [2] * 15 + [5] * 6,
    [1] * 3 + [2],
    [1] * 10 + [2] * 9 + [3] * 8 + [40],
    [1, 1, 2, 2, 2, 3, 60],
]


FITTED = [sizes for sizes in SAMPLES if uniques.pitman(*np.unique(sizes, return_counts=True), 10**4) is not None]
"""Those whose likelihood is greatest inside the model."""


def test_most_samples_have_an_estimate():
    assert len(FITTED) >= 2


def counted(sizes):
    return np.unique(sizes, return_counts=True)


@pytest.mark.parametrize("sizes", SAMPLES)
@pytest.mark.parametrize("times", [1.5, 4, 30, 1e10])
def test_zayatz_is_bayes_rule(sizes, times):
    population = int(sum(sizes) * times)
    assert uniques.zayatz(*counted(sizes), population) == pytest.approx(slow.zayatz(sizes, population), rel=1e-9)


@pytest.mark.parametrize("sizes", FITTED)
def test_pitman_has_the_greatest_likelihood(sizes):
    """Recover (θ, α) from the estimates for two populations, and compare with neighbours by the plain sums."""
    few, many = (uniques.pitman(*counted(sizes), population) for population in (10**4, 10**6))
    alpha = math.log(many / few) / math.log(100)
    level = math.log(few) - alpha * math.log(10**4)
    low, high = 1e-6, 1e5
    for _ in range(200):
        theta = math.sqrt(low * high)
        above = math.lgamma(theta + 1) - math.lgamma(theta + alpha) > level
        low, high = (low, theta) if above else (theta, high)
    best = slow.pitman_likelihood(sizes, theta, alpha)
    for factor in (0.9, 0.99, 1.01, 1.1):
        assert slow.pitman_likelihood(sizes, theta * factor, alpha) <= best + 1e-6
        if 0 < alpha * factor < 1:
            assert slow.pitman_likelihood(sizes, theta, alpha * factor) <= best + 1e-6


def seen_once(alpha, beta, fraction):
    """The share of classes that are expected to be seen once, as the documentation has it."""
    missed = (1 - fraction) * (1 - beta)
    return fraction * (beta / (1 - missed)) ** alpha * (1 + alpha * missed / (1 - missed))


@pytest.mark.parametrize(("alpha", "beta", "fraction"), [(0.5, 0.2, 0.3), (2.0, 0.6, 0.1), (0.1, 0.05, 0.6)])
def test_the_moments_of_the_slide_negative_binomial(alpha, beta, fraction):
    once = seen_once(alpha, beta, fraction)
    expected = slow.slide_negative_binomial_moments(alpha, beta, fraction)
    assert (once, uniques._pairs(alpha, beta, fraction)) == pytest.approx(expected, rel=1e-8)
    branches = [uniques._alpha_for(expected[0] / fraction, beta, fraction, rising=rising) for rising in (False, True)]
    assert pytest.approx(alpha, rel=1e-6) in branches
    pairs = [uniques._parameters(expected[0] / fraction, expected[1], fraction, rising=bool(side)) for side in (0, 1)]
    found = [pair for pair in pairs if pair is not None]
    assert found
    for pair in found:  # several may expect the same
        assert (seen_once(*pair, fraction), uniques._pairs(*pair, fraction)) == pytest.approx(expected, rel=1e-6)


def skewed(people, seed):
    """A population whose classes are few and large, and many and small."""
    return np.random.default_rng(seed).zipf(1.4, people) % 50_000


@pytest.mark.parametrize("fraction", [0.05, 0.3, 0.6])
def test_estimates_are_near_what_is_there(fraction):
    people = skewed(40_000, 1)
    sizes = np.bincount(people)
    truth = int((sizes == 1).sum())
    drawn = np.random.default_rng(2).choice(people, int(fraction * len(people)), replace=False)
    seen = np.bincount(drawn)
    found = population_uniques(seen[seen > 0], len(people))
    assert found.estimate == pytest.approx(truth, rel=0.35)
    assert found.share == found.estimate / 40_000


def test_the_rule_takes_pitman_of_small_samples_and_the_smaller_of_the_others_of_large_ones():
    sizes = SAMPLES[0]
    assert population_uniques(sizes, 1000).chosen == "pitman"
    large = population_uniques(sizes, 250)
    others = [value for value in (large.snb, large.zayatz) if value is not None]
    assert large.chosen in ("snb", "zayatz")
    assert large.estimate == min(others)


@pytest.mark.parametrize("sizes", SAMPLES)
@pytest.mark.parametrize("times", [10**10, 10**15])
def test_a_sample_that_is_hardly_any_of_its_population_has_estimates(sizes, times):
    found = population_uniques(sizes, sum(sizes) * times)
    assert 0 <= found.share <= 1
    few = uniques.shlosser(*counted(sizes), 1e-5) * 1e-5  # classes are about as many as the population is large
    assert uniques.shlosser(*counted(sizes), 1 / times) / times == pytest.approx(few, rel=0.01)


def test_a_whole_population_and_a_sample_without_uniques_need_no_estimate():
    assert population_uniques([1, 1, 2, 5], 9).estimate == 2
    assert population_uniques([2, 3, 5], 1000).estimate == 0


def test_everybody_unique_is_no_mistake():
    found = population_uniques([1] * 50, 5000)
    assert 0 <= found.estimate <= 5000
    assert found.to_dict()["chosen"] == found.chosen


def test_what_cannot_be_is_refused():
    with pytest.raises(DataError, match="the population has 3 people and the sample 4"):
        population_uniques([2, 2], 3)
    for sizes in ([], [0, 1], [1.5], [[1, 2]]):
        with pytest.raises(PlanError, match="sizes must be the people of each class"):
            population_uniques(sizes, 100)
