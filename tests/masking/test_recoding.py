"""Runs that recode columns first: what leaves, what is counted, what is compared with what."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import DataError, PlanError
from shoal.measures import measure
from shoal.plan.treatment import treatment

QUASI, SECRET = {"role": "quasi_identifier"}, {"role": "confidential"}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(4)
    n = 240
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "born": [dt.date(1930, 1, 1) + dt.timedelta(int(day)) for day in rng.integers(0, 20000, n)],
            "visit": [dt.date(2020, 1, 1) + dt.timedelta(int(day)) for day in rng.integers(0, 700, n)],
            "age": rng.integers(0, 105, n),
            "town": rng.choice(["A", "B", "C", "x", "y", "z"], n, p=[0.4, 0.3, 0.24, 0.02, 0.02, 0.02]),
            "pay": rng.lognormal(8, 1, n).round(2),
        }
    )


def plan_of(**changes):
    attributes = {
        "name": {"role": "identifier"},
        "born": {"role": "identifier", "kind": "date"},
        "visit": {**QUASI, "kind": "date"},
        "age": {**QUASI, "kind": "numeric"},
        "town": {**QUASI, "kind": "nominal"},
        "pay": {**SECRET, "kind": "numeric"},
    }
    for name, more in changes.pop("columns", {}).items():
        attributes[name] = {**attributes[name], **more}
    return shoal.Plan(**{"k": 4, "subject": "name", "order": "keep", "attributes": attributes, **changes})


RECODED = {
    "clip": {"age": {"clip": {"high": 80}}},
    "low": {"age": {"clip": {"low": 18}}},
    "quantile": {"age": {"clip": {"low_quantile": 0.1, "high_quantile": 0.9}}},
    "round_to": {"age": {"round_to": 10}},
    "rare": {"town": {"rare": {"below": 20}}},
    "into": {"town": {"rare": {"below": 20, "into": "elsewhere"}}},
    "relative_to": {"visit": {"relative_to": "born"}},
    "date": {"visit": {"clip": {"low": dt.date(2020, 6, 1)}}},
}


@pytest.mark.parametrize("case", RECODED)
def test_each_recoding_changes_the_release_and_is_counted(frame, case):
    plan = plan_of(columns=RECODED[case])
    release = shoal.anonymize(frame, plan)
    assert release.guarantees.holds
    assert not release.data.equals(shoal.anonymize(frame, plan_of()).data)
    (step,) = release.manifest["recoding"]
    assert 0 < step["cells"] <= step["of"] == 240
    assert release.manifest["plan"] == plan.to_dict()
    assert shoal.Plan.parse(plan.to_toml()) == plan
    assert step["what"] in treatment(step["column"], plan)


def test_no_recoding_is_said_where_there_is_none(frame):
    assert "recoding" not in shoal.anonymize(frame, plan_of()).manifest


def test_what_is_cut_off_does_not_leave(frame):
    columns = {"age": {"clip": {"low": 20, "high": 80}}, "pay": {"clip": {"high_quantile": 0.9}}}
    release = shoal.anonymize(frame, plan_of(columns=columns))
    assert release.data["age"].min() >= 20
    assert release.data["age"].max() <= 80
    assert release.data["pay"].max() == frame["pay"].sort()[int(np.ceil(0.9 * 240)) - 1]
    untouched = frame["pay"] <= release.data["pay"].max()
    assert release.data["pay"].filter(untouched).equals(frame["pay"].filter(untouched))


def test_a_permutation_releases_recoded_quasi_identifiers(frame):
    plan = plan_of(columns={"age": {"round_to": 10}}, release="permute")
    release = shoal.anonymize(frame, plan)
    assert (release.data["age"] % 10 == 0).all()
    assert release.guarantees.holds


def test_loss_is_measured_against_the_original_and_the_part_of_recoding_said(frame):
    plan = plan_of(columns={"age": {"round_to": 20}, "town": {"rare": {"below": 20}}})
    release = shoal.anonymize(frame, plan)
    score = measure(frame, release.data, plan, rows=release.rows)["il_percent"]
    recoded = frame.with_columns(
        (pl.col("age") / 20).round(mode="half_to_even") * 20,
        pl.when(pl.col("town").is_in(["x", "y", "z"])).then(pl.lit("other")).otherwise("town").alias("town"),
    )
    plain = plan_of()
    assert score.value == pytest.approx(measure(frame, release.data, plain)["il_percent"].value)
    assert score.parts["recoding"] == pytest.approx(measure(frame, recoded, plain)["il_percent"].value)
    assert "recoding" not in measure(frame, release.data, plain)["il_percent"].parts


def test_a_distance_is_compared_with_the_original_distance(frame):
    plan = plan_of(columns={"visit": {"relative_to": "born"}})
    release = shoal.anonymize(frame, plan)
    days = frame.with_columns((pl.col("visit") - pl.col("born")).dt.total_days())
    numeric = plan_of(columns={"visit": {"kind": "numeric"}})
    expected = measure(days, release.data, numeric)
    found = measure(frame, release.data, plan)
    assert found["il_percent"].value == pytest.approx(expected["il_percent"].value)
    assert found["dld"].value == pytest.approx(expected["dld"].value)
    assert "recoding" not in found["il_percent"].parts


def test_rows_that_follow_a_recoded_column_are_shuffled(frame):
    by_pay = frame.sort("pay")
    clipped = plan_of(columns={"pay": {"clip": {"high_quantile": 0.5}}}, order="auto")
    assert "pay" in shoal.anonymize(by_pay, clipped).manifest["order"]["followed"]
    assert "pay" not in shoal.anonymize(by_pay, plan_of(order="auto")).manifest["order"]["followed"]


@pytest.mark.parametrize("mode", ["aggregate", "permute"])
def test_recoded_releases_are_matched_with_their_table_later(frame, mode):
    plan = plan_of(columns={"pay": {"clip": {"high": 5000}}, "age": {"round_to": 10}}, order="shuffle", release=mode)
    release = shoal.anonymize(frame, plan)
    earlier = shoal.run.Earlier.of(frame, release.data, release.manifest)
    assert np.array_equal(np.argsort(earlier.places), release.rows)


def test_any_release_is_assessed_by_the_recoded_table(frame):
    plan = plan_of(columns={"visit": {"relative_to": "born"}, "age": {"clip": {"high": 80}}})
    release = shoal.anonymize(frame, plan)
    judged = shoal.measures.assess(frame, release.data, plan)
    assert judged.guarantees["k_anonymity"].achieved == release.guarantees["k_anonymity"].achieved
    assert judged.manifest["recoding"] == release.manifest["recoding"]


def test_the_report_says_what_was_recoded_and_what_that_lost(frame):
    plan = plan_of(columns={"age": {"round_to": 20, "clip": {"high": 80}}, "pay": {"clip": {"high": 1000}}})
    release = shoal.anonymize(frame, plan)
    data = shoal.report.collect(frame, release, plan)
    assert [(row.column, row.lost is not None) for row in data.recoding] == [
        ("age", False),
        ("age", True),
        ("pay", False),
    ]
    assert "Recoded before grouping" in data.to_html()
    external = shoal.report.collect(frame, release, plan, edition="external")
    assert all(row.cells is row.of is row.lost is None for row in external.recoding)
    plain = shoal.report.collect(frame, shoal.anonymize(frame, plan_of()), plan_of())
    assert "Recoded before grouping" not in plain.to_html()


def test_few_changed_cells_are_not_counted_for_external_readers(frame):
    high = int(frame["age"].sort()[-2])
    plan = plan_of(columns={"age": {"clip": {"high": high}}})
    release = shoal.anonymize(frame, plan)
    assert release.manifest["recoding"][0]["cells"] <= 1
    (row,) = shoal.report.collect(frame, release, plan, edition="external").recoding
    assert row.cells is None
    none = plan_of(columns={"age": {"clip": {"high": int(frame["age"].max()) + 1}}})
    (row,) = shoal.report.collect(frame, shoal.anonymize(frame, none), none, edition="external").recoding
    assert row.cells is None  # none and one look the same


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"age": {"clip": {}}}, "clip needs a bound"),
        ({"age": {"clip": {"low": 5, "high": 5}}}, "low of clip must lie below high"),
        ({"age": {"clip": {"low": 5, "low_quantile": 0.1}}}, "low or low_quantile, not both"),
        ({"age": {"clip": {"low_quantile": 0.9, "high_quantile": 0.1}}}, "low_quantile of clip must lie below"),
        ({"age": {"clip": {"high_quantile": 1.0}}}, "must be below 1"),
        ({"age": {"clip": {"high": dt.date(2020, 1, 1)}}}, "the bounds of clip must be numbers"),
        ({"visit": {"clip": {"high": 90}}}, "the bounds of clip must be dates"),
        ({"visit": {"clip": {"low": 1, "high": dt.date(2020, 1, 1)}}}, "of one kind"),
        ({"town": {"clip": {"high": 90}}}, "clip only applies to numeric or date columns, and the kind is nominal"),
        ({"age": {"round_to": 0}}, "must be above 0"),
        ({"visit": {"round_to": 7}}, "round_to only applies to numeric columns, and the kind is date"),
        ({"age": {"rare": {"below": 3}}}, "rare only applies to nominal columns"),
        ({"town": {"rare": {"below": 1}}}, "must be at least 2"),
        ({"age": {"relative_to": "born"}}, "relative_to only applies to date columns"),
        ({"visit": {"relative_to": "visit"}}, "names the column itself"),
        ({"visit": {"relative_to": "bron"}}, "names 'bron', which attributes do not declare; did you mean 'born'"),
        ({"visit": {"relative_to": "age"}}, "names 'age', which is not declared a date"),
        ({"name": {"kind": "nominal", "rare": {"below": 3}}}, "an identifier never leaves"),
    ],
)
def test_recodings_that_make_no_sense_are_refused(columns, sentence):
    with pytest.raises(PlanError, match=sentence):
        plan_of(columns=columns)


@pytest.mark.parametrize(
    ("roles", "mode", "refused"),
    [
        (("confidential", "other"), "aggregate", True),
        (("confidential", "confidential"), "aggregate", True),
        (("confidential", "quasi_identifier"), "aggregate", False),
        (("quasi_identifier", "other"), "aggregate", False),
        (("quasi_identifier", "other"), "permute", True),
        (("confidential", "other"), "permute", False),
        (("confidential", "identifier"), "aggregate", False),
    ],
)
def test_a_distance_from_a_date_that_leaves_with_it_hides_nothing(roles, mode, refused):
    dates = {name: {"role": role, "kind": "date"} for name, role in zip(("visit", "born"), roles, strict=True)}
    dates["visit"]["relative_to"] = "born"
    others = {"age": {**QUASI, "kind": "numeric"}, "pay": {**SECRET, "kind": "numeric"}}
    values = {"k": 4, "release": mode, "attributes": {**others, **dates}}
    if refused:
        with pytest.raises(PlanError, match="hides nothing: 'born' leaves as it is"):
            shoal.Plan(**values)
    else:
        assert set(shoal.Plan(**values).recodings()) == {"visit"}


def test_a_recoding_needs_a_kind():
    with pytest.raises(PlanError, match="no kind is given"):
        shoal.Plan(k=2, attributes={"a": {**QUASI, "kind": "numeric"}, "b": {"role": "other", "clip": {"high": 1}}})


def test_a_clip_that_empties_a_column_is_refused(frame):
    with pytest.raises(DataError, match="clip of column 'age' empties it: all its 240 values"):
        shoal.anonymize(frame, plan_of(columns={"age": {"clip": {"low": 200}}}))


def test_places_beside_what_is_recoded_are_measured():
    frame = pl.DataFrame(
        {"lat": [50.0, 50.1, 51.0, 51.1], "lon": [7.0, 7.1, 8.0, 8.1], "age": [20, 30, 70, 99], "ill": list("abab")}
    )
    plan = shoal.Plan(
        k=2,
        attributes={
            "lat": {"role": "quasi_identifier", "kind": "place", "longitude": "lon"},
            "age": {"role": "quasi_identifier", "kind": "numeric", "clip": {"high": 80}},
            "ill": {"role": "confidential", "kind": "nominal"},
        },
    )
    for edition in ("internal", "external"):
        data = shoal.report.collect(frame, shoal.anonymize(frame, plan), plan, edition=edition)
        assert [row.column for row in data.recoding] == ["age"]
