"""What an attack needs, what it refuses, and what it says."""

from __future__ import annotations

import importlib.util
import json
import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from attacks.people_attacked import people, plan
from shoal.attacks import ATTACKS, Attack, Baseline, Outcome, attack, attack_release
from shoal.attacks.minimality import posterior
from shoal.errors import DataError, PlanError
from shoal.measures.proportions import above_known, exact, newcombe, wilson


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return people(240, 20)


@pytest.fixture(scope="module")
def data(frame: pl.DataFrame) -> pl.DataFrame:
    return shoal.anonymize(frame, plan()).in_original_order().data


def test_what_cannot_be_tried_is_told_and_refused_where_it_was_asked_for(
    frame: pl.DataFrame, data: pl.DataFrame
) -> None:
    found = attack(frame, data, plan())
    assert {"identity", "releases", "subject_rows", "membership", "minimality", "dominance"} <= set(found.skipped)
    for key, reason in found.skipped.items():
        with pytest.raises(DataError, match="cannot be tried") as caught:
            attack(frame, data, plan(), attacks=[key])
        assert reason in str(caught.value)


@pytest.mark.parametrize(("absent", "called"), [("sklearn", "scikit-learn"), ("scipy", "scipy")])
def test_what_needs_a_library_that_is_not_installed_says_which(
    frame: pl.DataFrame, data: pl.DataFrame, monkeypatch: pytest.MonkeyPatch, absent: str, called: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == absent else name)
    for key in ("assignment", "inference_model"):
        with pytest.raises(DataError, match=rf"it needs {called}: pip install 'shoal\[learn\]'$"):
            attack(frame, data, plan(), attacks=[key])


def test_numbers_are_plain_and_hold_no_record(frame: pl.DataFrame, data: pl.DataFrame) -> None:
    text = json.dumps(attack(frame, data, plan(), attacks=["linkage", "inference_class"]).to_dict(), allow_nan=False)
    assert "Ripoll" not in text
    content = json.loads(text)
    one = content["attempts"]["linkage"]
    assert one["rate"] - one["baseline"]["rate"] == pytest.approx(one["difference"])
    assert one["allowed"] == 0.25
    assert content["attempts"]["inference_class[illness]"]["attribute"] == "illness"


@pytest.mark.parametrize("share", [0.05, 1.0])
def test_a_control_that_overlaps_is_refused(frame: pl.DataFrame, data: pl.DataFrame, share: float) -> None:
    some = frame.sample(fraction=share, seed=1)
    mixed = pl.concat([people(100, 21, "q"), some])
    with pytest.raises(DataError, match=r"control overlaps the original: .* values of 'name'"):
        attack(frame, data, plan(), control=mixed)
    nameless = pl.concat([people(100, 21, "q"), some]).drop("name")
    with pytest.raises(DataError, match=r"control overlaps the original: .* records are equal"):
        attack(frame, data, plan(), control=nameless)


def test_a_bound_on_the_prosecutor_is_what_the_promise_allows(frame: pl.DataFrame, data: pl.DataFrame) -> None:
    assert attack(frame, data, plan(), attacks=["linkage"])["linkage"].beyond_promise is False
    bounded = attack(frame, data, plan(risk={"prosecutor": "public"}), attacks=["linkage"])["linkage"]
    assert bounded.allowed == pytest.approx(1 / 11)
    assert bounded.beyond_promise  # classes of four, and eleven were asked for
    assert attack(frame, data, plan(risk={"prosecutor": 0.9}), attacks=["linkage"])["linkage"].allowed == 0.25


def test_a_control_of_another_kind_is_told_from_the_original(frame: pl.DataFrame, data: pl.DataFrame) -> None:
    words = people(50, 21, "q").with_columns(age=pl.lit("old"))
    with pytest.raises(DataError, match=r"of the control table, column 'age' holds text"):
        attack(frame, data, plan(), control=words)


def test_a_control_may_be_alike_where_the_original_is_alike_itself(frame: pl.DataFrame, data: pl.DataFrame) -> None:
    coarse = frame.select("town", "illness", name="name")
    small = plan(attributes={name: plan().to_dict()["attributes"][name] for name in ("name", "town", "illness")})
    others = people(100, 22, "q").select("town", "illness")
    found = attack(coarse, coarse.drop("name"), small, control=others, attacks=["linkage"])
    assert found["linkage"].tried == 240


def test_a_release_of_other_rows_is_refused(frame: pl.DataFrame, data: pl.DataFrame) -> None:
    with pytest.raises(DataError, match="not those of the original in its order"):
        attack(frame, data.sample(fraction=1, shuffle=True, seed=2), plan())
    with pytest.raises(DataError, match="records and the released one"):
        attack(frame, data.head(100), plan())
    with pytest.raises(DataError, match="map of another release"):
        attack(frame, data, plan(), rows=[0] * 240)


def test_columns_that_the_intruder_knows(frame: pl.DataFrame, data: pl.DataFrame) -> None:
    few = attack(frame, data, plan(), known=["town"], attacks=["linkage"])["linkage"]
    more = attack(frame, data, plan(), known=["town", "charge"], attacks=["linkage"])["linkage"]
    assert few.rate < 0.05
    assert few.allowed == 0.25
    assert more.rate > 0.8
    assert more.allowed is None  # the promise is about quasi-identifiers
    for known, message in [
        (["twon"], "does not declare; did you mean 'town'"),
        (["name"], "is an identifier"),
        ([], "at least one column"),
    ]:
        with pytest.raises(PlanError, match=message):
            attack(frame, data, plan(), known=known)


def test_unknown_attacks_and_plans_are_refused(frame: pl.DataFrame, data: pl.DataFrame) -> None:
    with pytest.raises(PlanError, match="did you mean 'linkage'"):
        attack(frame, data, plan(), attacks=["linkag"])
    with pytest.raises(PlanError, match=r"must be a shoal\.Plan"):
        attack(frame, data, {"k": 3})  # type: ignore[arg-type]


def test_persons_are_counted_and_their_rows_intersected() -> None:
    visits = people(120, 23)
    # Everybody comes twice, to classes that have nobody else in common.
    twice = pl.concat([visits, visits.with_columns(age=pl.col("age").reverse(), stay=pl.col("stay").reverse())])
    asked = plan(subject="name")
    release = shoal.anonymize(twice, asked).in_original_order().data
    found = attack(twice, release, asked, attacks=["linkage", "subject_rows"])
    assert found["linkage"].tried == 120
    assert found["linkage"].counted == "subjects (name)"
    assert found["linkage"].exposed == 0
    rows = found["subject_rows"]
    assert rows.rate > 0.5 > rows.baseline
    assert rows.allowed is None  # nobody promised it without pseudonyms
    assert rows.detail["left alone"] > 10


def test_two_releases_are_intersected(frame: pl.DataFrame) -> None:
    first, second = shoal.anonymize(frame, plan()), shoal.anonymize(frame, plan(k=5))
    same = attack(frame, first.data, plan(), rows=first.rows, after=[first], attacks=["releases"])["releases"]
    both = attack(frame, first.data, plan(), rows=first.rows, after=[second], attacks=["releases"])["releases"]
    assert same.rate == pytest.approx(same.baseline)
    assert not same.beyond_promise
    assert both.rate > 1.5 * both.baseline
    assert both.beyond_promise


def test_a_heavy_person_shows_in_the_mean() -> None:
    draw = np.random.default_rng(24)
    table = people(200, 24).with_columns(weight=pl.Series(draw.pareto(0.8, 200) + 0.01))
    weighted = plan(
        weights="weight", dominance=1.0, attributes={**plan().to_dict()["attributes"], "weight": {"role": "other"}}
    )
    release = shoal.anonymize(table, weighted)
    found = attack(table, release.data, weighted, rows=release.rows, attacks=["dominance"])["dominance"]
    assert found.rate > found.baseline
    assert 0.5 < found.detail["largest share"] <= 1


def test_minimality_rules_out_what_needed_no_merging() -> None:
    # The first group of two has one value by the rule, or the second of three would have kept it too.
    values = np.array([0, 0, 1, 2, 3])

    def violates(first: np.ndarray) -> bool:
        return len(set(values[first])) == 1

    chances = posterior(values, 2, violates)
    assert chances is not None
    assert chances[0].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert posterior(values, 2, lambda first: False) is None


def test_merged_classes_are_enumerated(frame: pl.DataFrame) -> None:
    diverse = plan(k=3, diversity={"distinct": 3, "attributes": ["illness"]})
    release = shoal.anonymize(frame, diverse)
    found = attack(frame, release.data, diverse, rows=release.rows, attacks=["minimality"])["minimality[illness]"]
    assert found.detail["classes"] >= 1
    assert 0 < found.rate <= 1


def test_merged_classes_are_not_enumerated_where_the_last_record_may_have_been_dropped(frame: pl.DataFrame) -> None:
    diverse = plan(k=3, diversity={"distinct": 3, "attributes": ["illness"]})
    dropping = diverse.replace(suppress=0.1)
    rows = np.arange(len(frame) - 1)
    release = shoal.anonymize(frame[:-1], diverse)
    with pytest.raises(shoal.DataError, match="minimality cannot be tried: records may have been dropped"):
        attack(frame, release.data, dropping, rows=rows[release.rows], attacks=["minimality"])


def test_few_records_of_many_categories_are_guessed_without_a_warning(frame: pl.DataFrame) -> None:
    few = frame[:30].with_columns(illness=pl.Series([f"illness {row % 20}" for row in range(30)]))
    release = shoal.anonymize(few, plan())
    found = attack(few, release.data, plan(), rows=release.rows, attacks=["inference_model"])
    assert "inference_model[illness]" in found


def test_attacks_are_measures_of_a_release(frame: pl.DataFrame) -> None:
    release = shoal.anonymize(frame, plan())
    scores = attack_release(frame, release, plan(), keys=["attack_linkage", "attack_inference_class"])
    direct = attack(frame, release.data, plan(), rows=release.rows, attacks=["linkage"])["linkage"]
    assert scores["attack_linkage"].value == pytest.approx(100 * direct.rate)
    assert scores["attack_linkage"].key == "attack_linkage"


def test_what_was_found_is_told_on_a_screen(frame: pl.DataFrame, data: pl.DataFrame) -> None:
    found = attack(frame, data, plan(), attacks=["linkage", "inference_class"])
    first, *rest = repr(found).splitlines()
    assert first == "3 attempts, 0 attacks not tried"
    assert rest[0].startswith("  linkage: ")
    assert rest[0].endswith("allowed 25.0 %")


def test_the_control_is_counted_by_persons(frame: pl.DataFrame, data: pl.DataFrame) -> None:
    others = people(60, 26, "q")
    asked = plan(subject="name")
    found = attack(frame, data, asked, control=pl.concat([others, others]), attacks=["membership"])["membership"]
    assert found.baseline_tried == 60


def test_the_column_that_divides_a_table_is_known(frame: pl.DataFrame) -> None:
    asked = plan(by="town")
    release = shoal.anonymize(frame, asked)
    found = attack(frame, release.data, asked, rows=release.rows, attacks=["linkage"])["linkage"]
    assert found.allowed == 0.25
    assert found.exposed == 0


def test_one_more_attack_is_one_entry(frame: pl.DataFrame, data: pl.DataFrame) -> None:
    def always(material: Any) -> list[Outcome]:
        return [Outcome(np.ones(len(material)), Baseline(0.5, "a coin"))]

    with ATTACKS.temporarily(Attack("coin", "coin", "Always right.", "Nobody 1900", always)):
        found = attack(frame, data, plan(), attacks=["coin"])["coin"]
    assert (found.rate, found.baseline, found.beyond_chance) == (1.0, 0.5, True)


def test_whoever_listens_may_stop_it(frame: pl.DataFrame, data: pl.DataFrame) -> None:
    heard: list[tuple[int, int]] = []
    attack(frame, data, plan(), attacks=["linkage", "singling_out"], progress=lambda *done: heard.append(done))
    assert heard[-1] == (2000, 2000)
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attack(frame, data, plan(), progress=stop)


def test_intervals_hold_what_they_say() -> None:
    draw = np.random.default_rng(25)
    hits = [wilson(float(x), 40)[0] <= 0.15 <= wilson(float(x), 40)[1] for x in draw.binomial(40, 0.15, 2000)]
    assert 0.93 < np.mean(hits) < 0.985
    pairs = zip(draw.binomial(40, 0.3, 2000), draw.binomial(60, 0.2, 2000), strict=True)
    inside = [(low := newcombe(a, 40, b, 60))[0] <= 0.1 <= low[1] for a, b in pairs]
    assert 0.93 < np.mean(inside) < 0.985
    assert above_known(0, 10, 0.1)[0] == pytest.approx(-0.1)
    assert wilson(10, 10)[1] == 1.0


def test_what_is_rare_is_not_found_beyond_chance_too_often() -> None:
    # One success is expected, as where one in n is guessed: three happen in 8 % of the cases.
    draw = np.random.default_rng(26)
    beyond = [above_known(float(x), 1000, 0.001)[0] > 0 for x in draw.binomial(1000, 0.001, 4000)]
    assert np.mean(beyond) < 0.025
    for level in (0.95, 0.999):
        for successes, tried in ((1, 7), (5, 600), (30, 40)):
            low, high = exact(successes, tried, level=level)
            assert at_least(successes, tried, low) == pytest.approx((1 - level) / 2, rel=1e-6)
            assert 1 - at_least(successes + 1, tried, high) == pytest.approx((1 - level) / 2, rel=1e-6)
    assert exact(0, 20)[0] == 0.0
    assert exact(20, 20)[1] == 1.0


def at_least(successes: int, tried: int, chance: float) -> float:
    """Return the probability of so many successes or more."""
    return sum(math.comb(tried, i) * chance**i * (1 - chance) ** (tried - i) for i in range(successes, tried + 1))
