"""Attribute subsets: all, of a size, listed, or a seeded sample with a confidence interval."""

from __future__ import annotations

import itertools
import math
import statistics

import numpy as np
import pytest

from shoal.errors import PlanError
from shoal.measures import Pair, Subsets, dld, dr, id, il, k_min, k_prime, score

NAMES = ("a", "b", "c", "d", "e")


@pytest.fixture(scope="module")
def pair():
    rng = np.random.default_rng(2)
    original = {name: rng.normal(10, 2, 60) for name in NAMES}
    released = {name: (column * 2).round() / 2 for name, column in original.items()}
    return Pair.of(original, released)


def test_all_subsets_are_every_combination_once():
    drawn = Subsets.of(NAMES, "all").drawn
    expected = [c for r in range(1, 6) for c in itertools.combinations(NAMES, r)]
    assert list(drawn) == expected


@pytest.mark.parametrize("known", ["all", 3])
def test_a_sample_is_drawn_without_repetition_and_by_its_seed(known):
    everything = set(Subsets.of(NAMES, known).drawn)
    sample = Subsets.of(NAMES, known, sample=7, seed=1)
    assert len(set(sample.drawn)) == 7
    assert set(sample.drawn) <= everything
    assert sample.population == len(everything)
    assert sample.drawn == Subsets.of(NAMES, known, sample=7, seed=1).drawn
    assert sample.drawn != Subsets.of(NAMES, known, sample=7, seed=2).drawn


def test_a_sample_covers_every_subset_evenly():
    counts = dict.fromkeys(Subsets.of(NAMES, 2).drawn, 0)
    for seed in range(600):
        for subset in Subsets.of(NAMES, 2, sample=3, seed=seed).drawn:
            counts[subset] += 1
    assert sum(counts.values()) == 1800
    assert all(abs(count - 180) < 5 * math.sqrt(180) for count in counts.values())


def test_a_sample_works_for_more_subsets_than_fit_in_a_word():
    names = [f"q{j}" for j in range(150)]
    for known in ("all", 40):
        sample = Subsets.of(names, known, sample=20, seed=3)
        assert len(set(sample.drawn)) == 20
        assert sample.population > 2**64
    assert all(len(subset) == 40 for subset in sample.drawn)


def test_a_sample_of_everything_is_everything():
    assert Subsets.of(NAMES, 2, sample=10) == Subsets.of(NAMES, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subsets": "some"}, "subsets must be"),
        ({"subsets": 6}, "from 1 to 5, not 6"),
        ({"subsets": 0}, "from 1 to 5, not 0"),
        ({"subsets": []}, "at least one subset"),
        ({"subsets": [("a", "z")]}, "must name quasi-identifiers"),
        ({"subsets": [("a", "a")]}, "each once"),
        ({"subsets": [()]}, "must name quasi-identifiers"),
        ({"subsets": None, "sample": 3}, "sample needs subsets"),
        ({"subsets": "all", "sample": 1}, "sample must be at least 2"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(PlanError, match=message):
        Subsets.of(NAMES, **options)


def test_too_many_subsets_ask_for_a_sample():
    with pytest.raises(PlanError, match="set sample"):
        Subsets.of([f"q{j}" for j in range(20)], "all")


@pytest.mark.parametrize("measure", [dld, k_prime])
def test_the_value_is_the_mean_over_subsets(pair, measure):
    found = measure(pair, subsets="all")
    each = {names: measure(pair.only(names)).value for names in Subsets.of(NAMES, "all").drawn}
    assert found.value == pytest.approx(statistics.fmean(each.values()))
    assert found.parts["a + c"] == pytest.approx(each["a", "c"])
    assert len(found.parts) == 31
    assert found.interval is None


def test_k_min_is_the_smallest_over_subsets(pair):
    found = k_min(pair, subsets=[("a",), ("b", "c")])
    assert found.value == min(k_min(pair.only("a")).value, k_min(pair.only("bc")).value)


def test_dr_and_score_average_the_intruders_knowledge_only(pair):
    risks = {
        names: (dld(pair.only(names)).value + id(pair.only(names)).value) / 2 for names in Subsets.of(NAMES, 2).drawn
    }
    assert dr(pair, subsets=2).value == pytest.approx(statistics.fmean(risks.values()))
    assert score(pair, subsets=2).value == pytest.approx((il(pair).value + statistics.fmean(risks.values())) / 2)
    assert score(pair).value == pytest.approx((il(pair).value + dr(pair).value) / 2)
    assert dr(pair).value != pytest.approx(dr(pair, subsets=2).value)


def test_a_subset_without_order_has_linkage_alone():
    rng = np.random.default_rng(0)
    town = rng.integers(0, 3, 30)
    quasi = {"age": rng.normal(size=30), "town": town}
    pair = Pair.of(quasi, quasi, kinds={"town": "nominal"})
    found = dr(pair, subsets=[("town",)])
    assert found.value == pytest.approx(dld(pair.only(["town"])).value)
    assert "id" not in found.parts
    assert score(pair, subsets=[("town",)]).value == pytest.approx(found.value / 2)


def test_the_interval_of_a_sample_mostly_covers_the_mean_of_all(pair):
    whole = dr(pair, subsets="all").value
    covered = 0
    for seed in range(100):
        found = dr(pair, subsets="all", sample=12, seed=seed)
        low, high = found.interval
        assert low < found.value < high
        covered += low <= whole <= high
    assert covered >= 85
    assert score(pair, subsets="all", sample=12, seed=0).interval is not None
    assert k_prime(pair, subsets="all", sample=12, seed=0).interval is not None


def test_progress_counts_subsets(pair):
    heard = []
    dr(pair, subsets=4, progress=lambda done, total: heard.append((done, total)))
    assert heard == [(i, 5) for i in range(1, 6)]
