"""shoal.propose: what `shoal init` writes, as a plan."""

import polars as pl
import pytest

import command
import shoal
from shoal.errors import DataError, PlanError


@pytest.fixture(scope="module")
def frame():
    return shoal.examples.discharges(600, patients=250, seed=2)


def test_it_is_the_plan_that_init_writes(frame, tmp_path):
    frame.write_parquet(tmp_path / "data.parquet")
    done = command.shoal("init", "data.parquet", "-o", "plan.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert shoal.propose(frame) == shoal.Plan.load(tmp_path / "plan.toml")
    assert shoal.propose(frame).subject == "patient_id"


@pytest.mark.parametrize("height", [0, 3])
def test_a_frame_without_columns_is_refused_in_a_sentence(height):
    with pytest.raises(DataError, match="no columns"):
        shoal.propose(pl.DataFrame(height=height))


def test_the_plan_of_a_frame_is_one_for_its_file(frame, tmp_path):
    plan = shoal.propose(frame)
    assert plan.attributes["severity"].order == ("minor", "moderate", "major", "extreme")
    plan.save(tmp_path / "plan.toml")
    frame.write_csv(tmp_path / "data.csv")
    done = command.shoal("check", "data.csv", "--plan", "plan.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_other_libraries_get_the_same(frame):
    assert shoal.propose(frame.to_arrow()).attributes.keys() == shoal.propose(frame).attributes.keys()
    assert shoal.propose(frame.to_pandas()).names("identifier") == shoal.propose(frame).names("identifier")


def test_options_and_roles_are_taken(frame):
    plan = shoal.propose(frame, k=10, t=0.4, closeness_method="merge", roles={"ward": "other", "name": "other"})
    assert (plan.k, plan.closeness.t) == (10, 0.4)
    assert plan.attributes["ward"].role == plan.attributes["name"].role == "other"
    assert shoal.propose(frame, roles={"patient_id": "confidential"}).attributes["patient_id"].kind == "nominal"
    assert shoal.propose(frame, roles={"patient_id": "confidential"}).subject is None
    assert shoal.propose(frame, roles={"age": "identifier"}).attributes["age"].kind is None


def test_a_weight_that_is_a_quasi_identifier_weighs_no_records(frame):
    heavier = frame.with_columns(hh_weight=pl.col("charge") + 0.001)
    assert shoal.propose(heavier).weights == "hh_weight"
    assert shoal.propose(heavier, roles={"hh_weight": "quasi_identifier"}).weights is None


def test_it_runs_as_it_stands(frame):
    for table in (frame, shoal.examples.discharges(300, seed=1)):
        plan = shoal.propose(table)
        assert shoal.check(table, plan).ok
        assert shoal.anonymize(table, plan).guarantees.holds


def test_a_number_of_a_patient_that_looks_like_a_diagnosis_is_an_identifier():
    table = shoal.examples.discharges(300, seed=1)
    assert table["patient_id"].is_unique().all()
    plan = shoal.propose(table)
    assert plan.attributes["patient_id"].role == "identifier"
    assert plan.subject == "patient_id", "since names repeat, and do not say whom a record is about"


def test_what_only_a_person_knows_is_asked():
    table = pl.DataFrame({"age": [30, 40], "x": [1.5, 2.5], "y": [2.5, 3.5]})
    with pytest.raises(PlanError, match=r"the role of 'x', 'y': say it, as in propose\(frame, roles=\{\"x\": \"...\""):
        shoal.propose(table)
    assert shoal.propose(table, roles={"x": "confidential", "y": "other"}).attributes["x"].kind == "numeric"


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"agee": "other"}, "roles names 'agee', which is no column of the table; did you mean 'age'"),
        ({"age": "identifer"}, "the role of 'age' must be one of .*, not 'identifer'; did you mean 'identifier'"),
    ],
)
def test_wrong_roles_are_refused(frame, roles, message):
    with pytest.raises(PlanError, match=message):
        shoal.propose(frame, roles=roles)
