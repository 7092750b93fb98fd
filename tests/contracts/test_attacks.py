"""What every registered attack must do, whatever it is."""

from __future__ import annotations

import json

import polars as pl
import pytest

import shoal
from attacks.people_attacked import people, plan
from shoal.attacks import ATTACKS, attack, attack_measures
from shoal.errors import DataError


@pytest.fixture(scope="module")
def frame():
    return people(240, 20)


@pytest.fixture(scope="module")
def released(frame):
    return shoal.anonymize(frame, plan()).in_original_order().data


@pytest.fixture(scope="module")
def control():
    return people(120, 21, "q")


@pytest.fixture(params=ATTACKS, ids=str)
def key(request):
    return request.param


def attempts(frame, released, control, key, seed=0):
    """Return what came of an attack, for each attribute that it guesses; nothing where it cannot be tried here."""
    try:
        return attack(frame, released, plan(), control=control, attacks=[key], seed=seed).attempts
    except DataError:
        return ()


def test_it_says_what_it_is(key):
    entry = ATTACKS[key]
    assert entry.key == key
    assert entry.title[0].islower()
    assert entry.definition.endswith(".")
    assert any(character.isdigit() for character in entry.reference)
    what = attack_measures()[f"attack_{key}"]
    assert (what.aspect, what.better, what.unit, what.low, what.high) == ("risk", "lower", "%", 0.0, 100.0)


def test_what_cannot_be_tried_is_refused_in_one_sentence_with_the_reason(frame, released, control, key):
    reason = attack(frame, released, plan(), control=control).skipped.get(key)
    if reason is None:
        assert attempts(frame, released, control, key)
        return
    with pytest.raises(DataError, match="cannot be tried") as refused:
        attack(frame, released, plan(), control=control, attacks=[key])
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_rates_are_shares_of_those_tried_beside_a_baseline_in_words(frame, released, control, key):
    for found in attempts(frame, released, control, key):
        assert 0 <= found.successes <= found.tried <= found.total
        assert 0 <= found.baseline <= 1
        assert found.baseline_text
        assert found.interval[0] <= found.difference <= found.interval[1]


def test_a_release_of_k_keeps_what_is_promised(frame, released, control, key):
    for found in attempts(frame, released, control, key):
        assert found.allowed in (None, 0.25)
        assert found.exposed in (None, 0)


def test_numbers_are_plain_and_hold_no_value(frame, released, control, key):
    for found in attempts(frame, released, control, key):
        text = json.dumps(found.to_dict(), allow_nan=False)
        assert not any(town in text for town in ("Vic", "Olot", "Ripoll"))


def test_the_same_seed_gives_the_same_answer_and_nothing_is_changed(frame, released, control, key):
    before = [table.clone() for table in (frame, released, control)]
    one, other = ([each.to_dict() for each in attempts(frame, released, control, key, seed=5)] for _ in range(2))
    assert one == other
    assert all(was.equals(now) for was, now in zip(before, (frame, released, control), strict=True))


def test_records_in_another_order_are_attacked_as_well(frame, released, control, key):
    order = pl.int_range(frame.height, eager=True).shuffle(seed=3)
    straight = attempts(frame, released, control, key)
    shuffled = attempts(frame[order], released[order], control, key)
    assert len(straight) == len(shuffled)
    for one, other in zip(straight, shuffled, strict=True):
        assert one.counted == other.counted
        assert one.allowed == other.allowed
