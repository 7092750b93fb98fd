"""Gaps: what means "no value", gaps that stay where a class of k shares them, and counts of what became of each."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import command
import shoal
from shoal.auditor import audit
from shoal.classes import equivalence_classes
from shoal.errors import DataError, PlanError
from shoal.frames import Table
from shoal.masking.kept_gaps import parts_by_gaps
from shoal.measures import assess, measure
from shoal.plan.missing_values import open_table

NUMERIC = {"role": "quasi_identifier", "kind": "numeric"}
NOMINAL = {"role": "quasi_identifier", "kind": "nominal"}
SECRET = {"role": "confidential", "kind": "numeric"}


def people(n: int = 120, *, gaps: float = 0.3, seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    age = random.integers(18, 90, n).astype(float)
    age[random.random(n) < gaps] = np.nan
    town = np.where(random.random(n) < gaps, None, random.choice(["Reus", "Valls", "Falset"], n))
    return pl.DataFrame(
        {
            "age": pl.Series(age).fill_nan(None),
            "town": pl.Series(town.tolist(), dtype=pl.String),
            "pay": random.integers(0, 50, n),
        }
    )


def a_plan(k: int = 4, **keys: object) -> shoal.Plan:
    attributes = {"age": NUMERIC, "town": NOMINAL, "pay": SECRET}
    return shoal.Plan(**{"k": k, "missing": "keep", "attributes": attributes, **keys})


def smallest_class(frame: pl.DataFrame, names: list[str]) -> int:
    return int(frame.group_by(names).len()["len"].min())


@pytest.mark.parametrize("gaps", [0.02, 0.3, 0.6])
@pytest.mark.parametrize("method", ["mdav", "vmdav"])
def test_gaps_that_stay_are_shared_by_k_records(method, gaps):
    frame = people(gaps=gaps)
    release = shoal.anonymize(frame, a_plan(method=method, order="keep"))
    assert smallest_class(release.data, ["age", "town"]) >= 4
    for name in ("age", "town"):
        counts = release.manifest["gaps"][name]
        was, left = frame[name].is_null(), release.data[name].is_null()
        assert counts == {
            "missing": was.sum(),
            "filled": (was & ~left).sum(),
            "suppressed": (left & ~was).sum(),
        }


def test_keep_keeps_more_gaps_than_filling_does_and_moves_fewer_cells_than_there_are():
    frame = people(400)
    kept = shoal.anonymize(frame, a_plan())
    filled = shoal.anonymize(frame, a_plan(missing="impute"))
    left = {name: kept.data[name].null_count() for name in ("age", "town")}
    assert all(left[name] > filled.data[name].null_count() for name in left)
    for name, counts in kept.manifest["gaps"].items():
        assert counts["filled"] + counts["suppressed"] < counts["missing"] / 4, name


def test_where_too_few_have_a_gap_it_is_filled():
    third = pl.int_range(pl.len()).is_in([3, 17])
    frame = people(60, gaps=0).with_columns(age=pl.when(third).then(None).otherwise("age"))
    release = shoal.anonymize(frame, a_plan())
    assert release.data["age"].null_count() == 0
    assert release.manifest["gaps"] == {"age": {"missing": 2, "filled": 2, "suppressed": 0}}


def test_where_most_have_a_gap_the_others_are_suppressed():
    frame = pl.DataFrame({"age": [None] * 9 + [50.0], "town": ["Reus"] * 10, "pay": range(10)})
    release = shoal.anonymize(frame, a_plan(10))
    assert release.data["age"].null_count() == 10
    assert release.manifest["gaps"] == {"age": {"missing": 9, "filled": 0, "suppressed": 1}}


def test_a_class_of_gaps_has_k_persons_and_what_is_constant_of_one_stays_so():
    random = np.random.default_rng(1)
    persons = np.repeat(np.arange(60), 3)
    born = np.where(random.random(60) < 0.3, np.nan, random.integers(1930, 2010, 60))[persons]
    stay = np.where(random.random(180) < 0.3, np.nan, random.integers(1, 30, 180))
    frame = pl.DataFrame({"who": persons, "born": born, "stay": stay}).with_columns(
        pl.col("born", "stay").fill_nan(None)
    )
    plan = shoal.Plan(
        k=4, subject="who", missing="keep", order="keep",
        attributes={"who": {"role": "identifier"}, "born": NUMERIC, "stay": NUMERIC},
    )  # fmt: skip
    release = shoal.anonymize(frame, plan)
    assert release.guarantees["k_anonymity"].achieved >= 4
    together = release.data.with_columns(who=frame["who"])
    assert together.group_by("born", "stay").agg(pl.col("who").n_unique())["who"].min() >= 4
    assert together.group_by("who").agg(pl.col("born").n_unique())["born"].max() == 1


def test_parts_that_break_another_promise_are_not_made():
    frame = people(200, gaps=0.5)
    plan = a_plan(closeness={"t": 0.2, "method": "merge"})
    release = shoal.anonymize(frame, plan)
    assert release.guarantees["t_closeness"].holds
    assert release.guarantees["k_anonymity"].achieved >= 4
    assert release.data["age"].null_count() > 0


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=40),
    st.integers(1, 6),
    st.integers(1, 4),
)
@settings(deadline=None, max_examples=80)
def test_parts_by_gaps_have_k_subjects_unless_all_are_together(rows, k, each):
    patterns = np.array(rows, dtype=bool)
    subjects = (np.arange(len(rows)) // each).astype(np.int32)
    parts = parts_by_gaps(patterns, k, subjects)
    counts = [len(set(subjects[parts == part])) for part in range(parts.max() + 1)]
    assert len(counts) == 1 or min(counts) >= k
    for part in range(parts.max() + 1):  # alike stays together
        inside = {tuple(row) for row in patterns[parts == part]}
        outside = {tuple(row) for row in patterns[parts != part]}
        assert not inside & outside


def test_a_gap_lies_as_far_from_a_value_as_values_lie_apart():
    frame = people(300, gaps=0.4)
    release = shoal.anonymize(frame, a_plan(order="keep"))
    groups = equivalence_classes([release.labels, frame["age"].is_null().to_numpy()])
    mixed = len(np.unique(groups)) - len(np.unique(release.labels))
    assert mixed < len(np.unique(release.labels)) / 4


@pytest.mark.parametrize(
    "library", [lambda f: f, lambda f: f.to_pandas(), lambda f: f.to_arrow(), lambda f: pa.table(f.to_arrow())]
)
def test_what_means_no_value_is_missing_in_every_library(library):
    frame = pl.DataFrame(
        {
            "age": [30, -99, 41],
            "pay": [1.5, 2.5, -99.0],
            "town": ["NA", "Reus", "NA"],
            "day": pl.Series(["2020-01-01", "1900-01-01", "2020-02-01"]).str.to_date(),
        }
    )
    plan = shoal.Plan(k=2, missing_values=["NA", -99, "1900-01-01"], attributes={
        "age": NUMERIC, "pay": SECRET, "town": NOMINAL, "day": {"role": "other"},
    })  # fmt: skip
    table = open_table(library(frame), plan)
    masks = {name: table.missing(name).tolist() for name in table.names}
    assert masks == {
        "age": [False, True, False],
        "pay": [False, False, True],
        "town": [True, False, True],
        "day": [False, True, False],
    }


def test_a_categorical_column_loses_the_word_for_none():
    frame = pd.DataFrame({"town": pd.Categorical(["NA", "Reus", "Reus"])})
    plan = shoal.Plan(k=1 + 1, missing_values=["NA"], attributes={"town": NOMINAL})
    table = open_table(frame, plan)
    assert table.missing("town").tolist() == [True, False, False]
    enum = pl.DataFrame({"town": pl.Series(["NA", "Reus"], dtype=pl.Enum(["NA", "Reus"]))})
    assert open_table(enum, plan).missing("town").tolist() == [True, False]


def test_a_column_has_its_own_words_for_none():
    frame = people(60, gaps=0).with_columns(age=pl.when(pl.int_range(pl.len()) < 10).then(-9.0).otherwise("age"))
    age = {**NUMERIC, "missing_values": [-9]}
    plan = a_plan(attributes={"age": age, "town": NOMINAL, "pay": SECRET}, missing_values=["NA"])
    release = shoal.anonymize(frame, plan)
    assert release.manifest["gaps"]["age"]["missing"] == 10
    assert release.data["age"].min() > 0
    assert plan.replace(missing_values=[]).attributes["age"].missing_values == (-9,)


def test_measures_reports_and_assessments_read_gaps_as_the_run_does():
    frame = people(80, gaps=0).with_columns(age=pl.when(pl.int_range(pl.len()) < 10).then(-99.0).otherwise("age"))
    plan = a_plan(missing_values=[-99], order="keep")
    release = shoal.anonymize(frame, plan)
    with_null = frame.with_columns(age=pl.when(pl.col("age") == -99).then(None).otherwise("age"))
    for one in ("il_percent", "dld"):
        told = measure(frame, release.data, plan, keys=[one])[one].value
        assert told == measure(with_null, release.data, plan.replace(missing_values=[]), keys=[one])[one].value
    assert assess(frame, release.data, plan).manifest["gaps"] == release.manifest["gaps"]
    cautions = shoal.report.collect(frame, release, plan).cautions
    filled = release.manifest["gaps"]["age"]["filled"]
    assert any(caution.startswith("Age: of 10 missing cells") and f" {filled} w" in caution for caution in cautions)


def test_other_policies_are_counted_too():
    frame = people(80)
    for policy, town in (("impute", "impute"), ("impute", "category")):
        attributes = {"age": {**NUMERIC, "missing": policy}, "town": {**NOMINAL, "missing": town}, "pay": SECRET}
        release = shoal.anonymize(frame, a_plan(missing="error", attributes=attributes, order="keep"))
        counts = release.manifest["gaps"]["town"]
        left = release.data["town"].null_count()
        assert counts["missing"] - counts["filled"] + counts["suppressed"] == left
    assert "gaps" not in shoal.anonymize(people(80, gaps=0), a_plan()).manifest


def test_a_gap_is_still_refused_where_the_plan_says_so():
    with pytest.raises(DataError, match='set missing = "impute"'):
        shoal.anonymize(people(40), a_plan(missing="error"))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"release": "permute"}, "permute"),
        ({"method": "mic1d", "guarantee": False, "attributes": {"age": NUMERIC}}, "mixes values"),
        ({"closeness": {"t": 0.3, "n": 20, "method": "merge"}}, "n_t_closeness looks at the groups around"),
        ({"missing_values": ["NA", "NA"]}, "each value once"),
        ({"missing_values": [["NA"]]}, "missing_values"),
    ],
)
def test_what_cannot_be_kept_is_refused(keys, words):
    with pytest.raises(PlanError, match=words):
        a_plan(**keys)


def test_streams_read_the_same_gaps_and_count_what_they_filled():
    plan = a_plan(missing="impute", missing_values=["-99"], stream={"max_delay": 30}, attributes={
        "age": NUMERIC, "pay": SECRET,
    })  # fmt: skip
    rows = [{"age": -99 if i % 5 == 0 else 20 + i % 40, "pay": i} for i in range(60)]
    one, many = shoal.StreamAnonymizer(plan), shoal.StreamAnonymizer(plan)
    left = [*(record for row in rows for record in one.push(row)), *one.flush()]
    frame = pl.concat([many.push_many(pl.DataFrame(rows)), many.flush()])
    ages = [record["age"] for record in left if record["age"] is not None]
    assert min(ages) >= 20
    assert frame["age"].min() >= 20
    filled = len(ages) - 48
    assert one.gaps == many.gaps == {"age": {"missing": 12, "filled": filled, "suppressed": 0}}
    header, parts = one.dump()
    assert shoal.StreamAnonymizer.load(json.loads(json.dumps(header)), parts).gaps == one.gaps
    with pytest.raises(PlanError, match="keep"):
        shoal.StreamAnonymizer(a_plan(stream={"max_delay": 30}))


def test_group_by_group_the_majority_decides():
    patterns = np.array([[1, 0]] * 5 + [[0, 0]] * 4, dtype=bool)
    parts = parts_by_gaps(patterns, 5, None)
    assert parts.max() == 0
    assert all(a <= b for a, b in pairwise(parts_by_gaps(patterns, 4, None)))
    assert Table.of(pl.DataFrame({"x": [1]})).missing("x") is None


def test_the_command_line_says_what_became_of_gaps_and_the_audit_agrees(tmp_path):
    frame = people(150, gaps=0.25).with_columns(pay=pl.when(pl.int_range(pl.len()) < 20).then(-99).otherwise("pay"))
    frame.with_columns(pl.col("age").cast(pl.String).fill_null("NA")).write_csv(tmp_path / "people.csv")
    plan = a_plan(
        missing_values=["NA"],
        attributes={"age": NUMERIC, "town": NOMINAL, "pay": {**SECRET, "missing_values": ["-99"]}},
        diversity={"distinct": 2, "missing": "category"},
        order="keep",
    )
    plan.save(tmp_path / "plan.toml")
    files = [str(tmp_path / name) for name in ("people.csv", "release.csv", "plan.toml")]
    done = command.shoal("anonymize", files[0], "--plan", files[2], "-o", files[1], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "release.manifest.json").read_text())
    counts = manifest["gaps"]["age"]
    assert f"age: of {counts['missing']} missing cells {counts['filled']} were filled" in done.stderr.decode()
    findings = {finding.name: finding.holds for finding in audit(files[1], files[2])}
    assert findings["k_anonymity"] is True
    assert findings["distinct_l_diversity"] is True
    measured = command.shoal("measure", *files[:2], "--plan", files[2], "-m", "k_min", "--json", cwd=tmp_path)
    assert measured.returncode == 0, measured.stderr
    assert json.loads(measured.stdout)["k_min"]["value"] >= 4
