"""Attacks find what was planted, and nothing in records that were given to others at random."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from attacks.people_attacked import PLAN, people, plan
from shoal.attacks import ATTACKS, attack

QUICK = [
    key
    for key in ATTACKS
    if key not in ("identity", "releases", "subject_rows", "minimality", "difference", "dominance")
]


def released(frame: pl.DataFrame, **changes: object) -> pl.DataFrame:
    return shoal.anonymize(frame, plan(**changes)).in_original_order().data


@pytest.mark.parametrize("masked", [True, False], ids=["masked", "as they are"])
def test_records_given_to_others_at_random_tell_nothing(masked: bool) -> None:
    frame, control = people(600, 1), people(300, 2, "q")
    data = released(frame) if masked else frame.drop("name")
    # Everybody gets the released quasi-identifiers of somebody else: whatever works, works by chance.
    others = data.select("age", "stay", "town").sample(fraction=1, shuffle=True, seed=3)
    found = attack(frame, data.with_columns(others.get_columns()), plan(), control=control, attacks=QUICK)
    beyond = [name for name, attempt in found.items() if attempt.beyond_chance]
    # Membership asks whether a person is in the table at all, and the records of everybody are.
    assert set(beyond) <= {"membership"}
    assert len(found) >= 12
    for attempt in found.attempts:
        assert attempt.interval[0] <= attempt.difference <= attempt.interval[1]


def test_a_release_of_k_is_found_with_one_in_k_at_most() -> None:
    frame = people(500, 4)
    found = attack(frame, released(frame), plan())
    assert found.within_promise
    for key in ("singling_out", "linkage", "linkage_some", "linkage_noise", "linkage_rank", "assignment"):
        assert found[key].worst is not None
        assert found[key].worst <= 0.25 + 1e-12
        assert found[key].exposed == 0
    assert found["linkage"].beyond_chance
    assert found["linkage"].rate <= 0.25


def test_an_identity_left_in_is_found() -> None:
    frame = people(200, 5)
    data = released(frame).with_columns(name=frame["name"])
    everybody = attack(frame, data, plan(), attacks=["identity"])["identity"]
    assert everybody.rate == 1.0
    assert everybody.exposed == 200
    one = pl.when(pl.int_range(pl.len()) == 7).then(frame["name"]).otherwise(None)
    single = attack(frame, data.with_columns(name=one), plan(), attacks=["identity"])["identity"]
    assert single.successes == 1.0
    assert single.exposed == 1
    assert not attack(frame, data.with_columns(name=one), plan()).within_promise


def test_a_copied_column_is_found() -> None:
    frame = people(300, 6)
    data = released(frame).with_columns(age=frame["age"])
    found = attack(frame, data, plan(), attacks=["linkage", "singling_out", "linkage_rank"])
    assert found["linkage"].rate > 0.75
    assert found["linkage_rank"].rate > 0.75
    assert found["singling_out"].worst == 1.0
    assert found["singling_out"].beyond_chance
    assert not found.within_promise


def test_a_leak_under_a_name_that_the_plan_lacks_is_found() -> None:
    frame = people(300, 6)
    clean = released(frame)
    copied = attack(frame, clean.with_columns(note=frame["age"]), plan(), attacks=["identity"])["identity"]
    assert copied.rate > 0.75
    assert copied.beyond_promise
    one = pl.when(pl.int_range(pl.len()) == 7).then(frame["name"]).otherwise(None)
    single = attack(frame, clean.with_columns(note=one), plan(), attacks=["identity"])["identity"]
    assert (single.successes, single.exposed) == (1.0, 1)
    shuffled = frame["age"].sample(fraction=1.0, shuffle=True, seed=3)
    nothing = attack(frame, clean.with_columns(note=shuffled), plan(), attacks=["identity"])["identity"]
    assert (nothing.successes, nothing.exposed) == (0.0, 0)
    lists = clean.with_columns(note=pl.Series([[1]] * 300))
    assert "identity" in attack(frame, lists, plan()).skipped  # cells that are no text, numbers or dates


def test_identifiers_given_to_others_are_no_leak_and_one_in_a_remark_is() -> None:
    frame = people(300, 6)
    clean = released(frame)
    names = frame["name"].to_list()
    shuffled = pl.Series([names[0], *names[2:], names[1]])  # one stands beside its own record, as one does by chance
    nothing = attack(frame, clean.with_columns(note=shuffled), plan(), attacks=["identity"])["identity"]
    assert (nothing.successes, nothing.exposed) == (0.0, 0)

    one = pl.when(pl.int_range(pl.len()) == 7).then(frame["name"]).otherwise(pl.lit("none"))
    declared = plan(attributes={**PLAN["attributes"], "remark": {"role": "other"}})
    with_remark = frame.with_columns(remark=one)
    data = clean.with_columns(remark=one)
    found = attack(with_remark, data, declared, attacks=["identity"])["identity"]
    assert (found.successes, found.exposed) == (1.0, 1)
    harmless = data.with_columns(remark=pl.lit("none"))
    assert "identity" in attack(with_remark, harmless, declared).skipped


@pytest.mark.parametrize("sign", [1, -1], ids=["rising", "falling"])
def test_a_function_of_a_hidden_column_is_found(sign: int) -> None:
    frame = people(300, 6)
    clean = released(frame)
    undeclared = attack(frame, clean.with_columns(note=sign * frame["age"] ** 3), plan(), attacks=["followed"])
    assert undeclared["followed"].rate > 0.75
    assert undeclared["followed"].beyond_promise
    assert list(undeclared["followed"].detail) == ["note follows age, rank correlation"]
    # Ties are no one's fault: as many as share a value are guessed between, up and down.
    whole = frame.with_columns(age=(pl.col("age") // 10))
    tied = attack(whole, clean.with_columns(note=sign * whole["age"]), plan(), attacks=["followed"])["followed"]
    assert tied.successes == pytest.approx(whole["age"].n_unique())

    # What the plan declares was decided on: it is told, and breaks no promise.
    confidential = frame.with_columns(charge=sign * frame["age"] * 2 + 1)
    declared = attack(confidential, released(confidential), plan(), attacks=["followed"])["followed"]
    assert declared.beyond_chance
    assert not declared.beyond_promise
    gaps = confidential.with_columns(charge=pl.when(pl.col("age") > 70).then(None).otherwise(pl.col("charge")))
    partly = attack(gaps, released(gaps), plan(), attacks=["followed"])["followed"]
    assert 0 < partly.rate < declared.rate


def test_rows_in_no_order_break_no_promise_by_a_few_who_stand_at_their_place() -> None:
    wrong = 0
    for seed in range(40):
        frame = people(100, 100 + seed)
        wrong += attack(frame, released(frame), plan(), attacks=["row_order"])["row_order"].beyond_promise
    assert wrong <= 3


def test_a_class_of_one_is_found() -> None:
    frame = people(300, 7)
    data = released(frame)
    alone = pl.int_range(pl.len()) == 11
    data = data.with_columns(
        age=pl.when(alone).then(frame["age"]).otherwise(data["age"]),
        stay=pl.when(alone).then(frame["stay"]).otherwise(data["stay"]),
        town=pl.when(alone).then(frame["town"]).otherwise(data["town"]),
    )
    found = attack(frame, data, plan(), attacks=["linkage"])["linkage"]
    assert found.worst == 1.0
    assert found.exposed >= 1  # the class that it left has too few now, as well
    assert found.beyond_promise


@pytest.mark.parametrize("column", ["age", "name"])
@pytest.mark.parametrize("descending", [False, True])
def test_sorted_rows_are_found(column: str, descending: bool) -> None:
    frame = people(300, 8).sort(column, descending=descending)
    found = attack(frame, released(frame, order="keep"), plan(), attacks=["row_order"])["row_order"]
    assert found.rate > 0.9
    assert found.beyond_promise
    shuffled = shoal.anonymize(frame, plan(order="shuffle"))
    hidden = attack(frame, shuffled.data, plan(), rows=shuffled.rows, attacks=["row_order"])["row_order"]
    assert not hidden.beyond_chance
    assert not hidden.beyond_promise


def test_a_model_that_learnt_a_person_by_heart_is_told_from_one_that_did_not() -> None:
    pytest.importorskip("sklearn")
    frame = people(400, 9)
    data = frame.drop("name")
    found = attack(frame, data, plan(), attacks=["inference_model"])["inference_model[illness]"]
    assert found.baseline_from == "left out"
    assert found.beyond_chance  # the values are random: all of it is memory


def test_a_control_shows_what_any_study_would_tell() -> None:
    frame, control = people(400, 10), people(400, 11, "q")
    tables = [
        each.with_columns(illness=pl.when(pl.col("age") > 50).then(pl.lit("a")).otherwise(pl.lit("b")))
        for each in (frame, control)
    ]
    data = released(tables[0])
    alone = attack(tables[0], data, plan(), attacks=["inference_class"])["inference_class[illness]"]
    beside = attack(tables[0], data, plan(), control=tables[1], attacks=["inference_class"])["inference_class[illness]"]
    assert alone.beyond_chance  # one guess for everybody is right half of the time
    assert beside.baseline > 0.85
    assert beside.difference < 0.1
    assert beside.method == "Newcombe 1998"


def test_unmasked_records_show_who_is_in_the_table() -> None:
    frame = people(300, 12)
    found = attack(frame, frame.drop("name"), plan(), control=people(300, 13, "q"), attacks=["membership"])
    assert found["membership"].rate > 0.9
    assert found["membership"].baseline < 0.1
