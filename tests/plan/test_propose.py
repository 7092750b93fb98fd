"""What `shoal init` proposes: roles and kinds by cells and names, with the reason beside each."""

from __future__ import annotations

import tomllib

import numpy as np
import polars as pl
import pytest

import shoal
from hospital import KINDS, ROLES, hospital
from shoal import files
from shoal.frames import Table
from shoal.plan.propose import WORDS, draft_plan, looks_like_codes, sample_rows
from shoal.plan.propose.column_words import known_order
from shoal.plan.propose.patterns import gap_candidates, is_email, is_icd, is_national_number, is_phone
from shoal.plan.propose.profile import profile_of


@pytest.fixture(scope="module")
def drafted(tmp_path_factory):
    path = tmp_path_factory.mktemp("hospital") / "hospital.csv"
    hospital().write_csv(path)
    source = files.read(path)
    return draft_plan(Table.of(source.frame), source.guess_kinds(missing=WORDS)), source


def test_every_role_and_kind_of_a_hospital_table_is_right_but_what_only_a_person_knows(drafted):
    draft, _ = drafted
    assert {column.name: column.role for column in draft.columns} == ROLES
    assert {column.name: column.kind for column in draft.columns if column.kind} == KINDS
    assert draft.subject == "patient_id"
    assert draft.undecided == ("x17",)


def test_gaps_weights_and_orders_are_found(drafted):
    draft, _ = drafted
    proposed = tomllib.loads(draft.text(name="hospital.csv", schema="x"))
    assert proposed["weights"] == "survey_weight"
    assert proposed["missing"] == "keep"
    assert proposed["attributes"]["education"]["missing_values"] == [-9]
    assert proposed["attributes"]["charge"]["missing_values"] == ["NA"]
    assert proposed["attributes"]["severity"]["order"] == ["minor", "moderate", "major", "extreme"]


def test_the_proposal_tells_reasons_and_no_value_of_a_record(drafted):
    draft, source = drafted
    text = draft.text(name="hospital.csv", schema="x")
    lines = [line for line in text.splitlines() if " = { role" in line]
    assert len(lines) == len(ROLES)
    assert all(line.partition("#")[2].strip() for line in lines)
    for name in ("email", "phone", "nat_no", "postcode", "born"):
        assert not any(cell in text for cell in source.frame[name].head(50).to_list())


def test_the_plan_runs_as_it_stands_once_what_was_left_is_decided(drafted, tmp_path):
    draft, source = drafted
    text = draft.text(name="hospital.csv", schema="x").replace('role = "?"', 'role = "confidential"')
    plan = shoal.Plan.parse(text)
    from shoal.run.source_parsing import parsed

    release = shoal.anonymize(parsed(source, plan).frame, plan)
    assert release.guarantees.holds
    assert set(release.data["sex"].unique()) <= {"1", "2"}


def profile(values, name="column", guess=None):
    table = Table.of(pl.DataFrame({name: values}))
    return profile_of(table, table, name, guess=guess)


@pytest.mark.parametrize(
    ("test", "yes", "no"),
    [
        (is_email, ["a@b.org", "c.d@e.co.uk"], ["a at b", "@home"]),
        (is_phone, ["+34 977 123 456", "(0)20 7946 0958"], ["2021-03-04", "12345678"]),
        (is_national_number, ["123-45-6789", "987-65-4321"], ["12345", "98765"]),
        (is_icd, ["J45.0", "C50", "S72.01A"], ["A1", "URGENT"]),
    ],
)
def test_patterns(test, yes, no):
    assert test(profile(yes))
    assert not test(profile(no))


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 5, 9, -99, -99], (-99,)),
        ([-5, 5, 9, -99, -99], ()),  # others are negative as well
        ([20, 40, 60, 999, 999], (999,)),
        ([20, 40, 95, 99, 99], ()),  # too near to tell
        ([20, 40, 60, 999], ()),  # once may be a value
        ([1.5, 2.5, -9.0, -9.0, 99.0, 99.0], (-9, 99)),
    ],
)
def test_numbers_that_mean_no_value_stand_apart(values, found):
    assert gap_candidates(profile(values)) == found


def test_words_that_mean_no_value():
    assert gap_candidates(profile(["1", "2", "NA", "."], guess="numeric")) == (".", "NA")
    assert gap_candidates(profile(["red", "NA", "None"])) == ("NA",)
    assert gap_candidates(profile(["1900-01-01", "1900-01-01", "2020-02-02"], guess="date")) == ("1900-01-01",)


def test_a_weight_of_bodies_is_none_of_samples():
    random = np.random.default_rng(0)
    rows = 300
    frame = pl.DataFrame(
        {
            "weight": np.round(random.normal(75, 12, rows), 1),
            "height": random.integers(150, 200, rows),
            "hh_weight": random.uniform(20, 90, rows),
        }
    )
    columns = {column.name: column for column in draft_plan(Table.of(frame), {}).columns}
    assert not columns["weight"].is_weight
    assert columns["hh_weight"].is_weight
    assert columns["hh_weight"].role == "other"


def test_a_weight_that_may_be_of_bodies_is_asked_for():
    random = np.random.default_rng(0)
    for weights in (random.normal(75, 4, 300), random.integers(2400, 4200, 300), random.normal(300, 40, 300).round()):
        frame = pl.DataFrame({"weight": weights})
        (column,) = draft_plan(Table.of(frame), {}).columns
        assert column.role != "other"
        assert not column.is_weight
    (column,) = draft_plan(Table.of(pl.DataFrame({"pweight": random.uniform(20, 900, 300)})), {}).columns
    assert (column.role, column.is_weight) == ("other", True)


@pytest.mark.parametrize(
    ("name", "levels", "rows", "codes"),
    [("sex", 2, 100, True), ("region", 12, 100, True), ("children", 6, 900, False), ("q", 5, 10, False)],
)
def test_few_whole_numbers_are_codes_unless_the_name_counts(name, levels, rows, codes):
    assert looks_like_codes(name, levels, rows) is codes


def test_levels_that_a_file_states_are_believed():
    frame = pl.DataFrame({"mood": [1, 2, 3, 4, 5] * 20, "q1": [1, 2] * 50})
    draft = draft_plan(Table.of(frame), {}, hints={"mood": "ordinal", "q1": "scale"})
    assert [column.kind for column in draft.columns] == ["ordinal", "numeric"]


def test_labelled_codes_are_nominal_unless_an_order_is_stated_or_known():
    labels = {"housing": ["owner", "tenant"], "mood": ["sad", "glad"], "frequency": ["never", "often"]}
    frame = pl.DataFrame(
        {name: pl.Series(words * 20, dtype=pl.Enum(words)) for name, words in labels.items()},
    )
    columns = {column.name: column for column in draft_plan(Table.of(frame), {}, hints={"mood": "ordinal"}).columns}
    assert {name: column.kind for name, column in columns.items()} == {
        "housing": "nominal",
        "mood": "ordinal",
        "frequency": "ordinal",
    }
    assert all(column.order is None for column in columns.values())


def test_the_size_of_a_household_is_no_subject():
    frame = pl.DataFrame({"household_size": [1, 2, 3, 4] * 10, "household": [f"h{i // 2}" for i in range(40)]})
    assert draft_plan(Table.of(frame), {}).subject == "household"


def test_scales_in_words_are_known_in_their_order():
    assert known_order(["often", "never", "always"]) == ("never", "often", "always")
    assert known_order(["often", "blue"]) is None
    assert known_order(["often", "Often"]) is None


def test_of_a_large_table_a_seeded_sample_is_looked_at():
    assert sample_rows(1000) is None
    rows = sample_rows(2_000_000)
    assert len(rows) == 100_000
    assert (np.diff(rows) > 0).all()
    assert (rows == sample_rows(2_000_000)).all()
    n = 300_000
    frame = pl.DataFrame({"person_id": np.arange(n) // 2, "sex": np.arange(n) % 2, "pay": np.arange(n) * 1.5})
    draft = draft_plan(Table.of(frame), {})
    assert draft.subject == "person_id"
    assert [column.kind for column in draft.columns] == [None, "nominal", "numeric"]
    assert draft.columns[0].reason.startswith("150,000 distinct in 300,000 records")


def test_every_column_that_only_a_person_knows_is_named_and_the_example_is_short():
    frame = pl.DataFrame({f"x{i}": ["a", "b", "c", "d"] * 3 for i in range(30)})
    with pytest.raises(shoal.PlanError) as refused:
        shoal.propose(frame)
    assert all(f"'x{i}'" in str(refused.value) for i in range(30))
    assert 'roles={"x0": "...", "x1": "...", ...})' in str(refused.value)
