"""The registry: every key of the specification, only what is asked, and what stands beside a value."""

from __future__ import annotations

import json
from operator import attrgetter

import numpy as np
import pytest

import shoal.measures
from shoal.errors import DataError, PlanError
from shoal.measures import MEASURES, Measure, Pair, compute, l_avg, l_recursive
from shoal.registry import Registry

KEYS = [
    "sse",
    "il_percent",
    "normalised_sse",
    "mse",
    "mae",
    "emd_max",
    "emd_avg",
    "k_min",
    "k_prime",
    "k_linked",
    "subject_risk",
    "il",
    "il1s",
    "dld",
    "id",
    "id_sd",
    "dr",
    "score",
    "d_x",
    "d_y",
    "l_avg",
    "l_distinct",
    "l_entropy",
    "l_recursive",
    "p_sensitive",
    "delta_disclosure",
    "mutual_information",
    "population_k",
    "population_risk",
    "population_il",
    "population_error",
]


@pytest.fixture
def pair():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    return Pair.of(x, x.reshape(20, 3, 2).mean(axis=1).repeat(3, axis=0), confidential=rng.integers(0, 6, 60))


def test_every_key_is_there_and_is_a_function_of_the_package():
    assert list(MEASURES) == KEYS
    for key, measure in MEASURES.items():
        assert getattr(shoal.measures, key) is measure.function
        assert measure.function.__name__ == key


KEY = attrgetter("key")


def test_only_what_is_asked_is_computed(pair, monkeypatch):
    def fail(pair):
        raise AssertionError("not asked for")

    spoiled = [Measure(measure.definition, fail) for key, measure in MEASURES.items() if key != "k_min"]
    monkeypatch.setattr(
        "shoal.measures.registry.MEASURES", Registry("measure", [*spoiled, MEASURES["k_min"]], name=KEY)
    )
    assert list(compute(pair, ["k_min"])) == ["k_min"]
    with pytest.raises(AssertionError, match="not asked for"):
        compute(pair, ["k_prime"])


def test_what_measures_share_is_computed_once(pair, monkeypatch):
    from shoal.measures import linkage

    calls = []
    link = linkage.link
    monkeypatch.setattr(linkage, "link", lambda *a, **k: calls.append(1) or link(*a, **k))
    monkeypatch.setattr("shoal.measures.linkage.link", linkage.link)
    compute(pair, ["dld", "dr", "score"])
    assert len(calls) == 1


def test_measures_that_do_not_apply_are_left_out_unless_asked_for():
    towns = {"town": ["a", "b"]}
    pair = Pair.of(towns, towns, kinds={"town": "nominal"})
    assert set(compute(pair)) == {"sse", "il_percent", "normalised_sse", "mse", "mae", "k_min", "k_prime", "dld", "d_x"}
    with pytest.raises(DataError, match="il needs at least one quasi-identifier of kind numeric"):
        compute(pair, ["il"])
    with pytest.raises(DataError, match="emd_max needs at least one confidential attribute, and the table has none"):
        compute(pair, ["emd_max"])


def test_measures_of_numbers_say_which_columns_they_cover():
    rng = np.random.default_rng(0)
    quasi = {"age": rng.normal(size=9), "born": rng.normal(size=9), "grade": [0, 1, 2] * 3, "town": list("abcabcabc")}
    pair = Pair.of(quasi, quasi, kinds={"born": "date", "grade": [0, 1, 2], "town": "nominal"})
    covered = {key: score.columns for key, score in compute(pair).items()}
    assert covered["sse"] == covered["mse"] == covered["dld"] == ("age", "born", "grade", "town")
    assert covered["il"] == ("age",)
    assert covered["il1s"] == covered["id_sd"] == ("age", "born")
    assert covered["id"] == ("age", "born", "grade")


def test_an_unknown_key_or_option_is_refused(pair):
    with pytest.raises(PlanError, match=r"measure must be one of sse, .*, not 'ssee'; did you mean 'sse'"):
        compute(pair, ["ssee"])
    with pytest.raises(PlanError, match="no measure takes the option 'colour'"):
        compute(pair, ["sse"], colour="red")


def test_options_reach_the_measures_that_take_them(pair):
    plain = compute(pair)
    changed = compute(pair, c=0.4, width=3.0, subsets=1)
    differing = {key for key in plain if plain[key].value != changed[key].value}
    assert differing == {"l_recursive", "l_avg", "dld", "dr", "score"}
    for measure, option in ((l_recursive, {"c": 0.0}), (l_avg, {"width": -1.0})):
        with pytest.raises(PlanError, match="must be positive"):
            measure(pair, **option)


def test_scores_become_json(pair):
    text = json.dumps({key: score.to_dict() for key, score in compute(pair).items()}, allow_nan=False)
    back = json.loads(text)
    assert back["k_min"]["value"] == 3
    assert back["k_min"]["groups"]["size"] == [3] * 20
    assert back["sse"]["range"] == [0.0, None]
    assert back["sse"]["attributes"].keys() == {"0", "1"}
    assert back["score"]["parts"].keys() == {"il", "dr", "dld", "id"}
    assert "interval" not in back["dld"]
    assert "groups" not in compute(pair, ["k_min"])["k_min"].to_dict(groups=False)
    sampled = compute(pair, ["dld"], subsets=[["0"], ["1"], ["0", "1"]], sample=2)["dld"].to_dict()
    assert len(sampled["interval"]) == 2
    assert len(sampled["parts"]) == 2
