"""Sums stay sums, whatever masking does with their parts."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from command import shoal as run
from shoal import auditor
from shoal.errors import DataError, GuaranteeError, PlanError
from shoal.frames import Table
from shoal.masking.totals import check_released_totals

QUASI = {"role": "quasi_identifier", "kind": "numeric"}
SECRET = {"role": "confidential", "kind": "numeric"}
TOTALS = [{"total": "revenue", "parts": ["homes", "industry"]}]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    homes, industry = rng.integers(0, 1000, 90), rng.integers(0, 500, 90)
    return pl.DataFrame(
        {
            "homes": homes / 10,
            "industry": industry / 100,
            "revenue": homes / 10 + industry / 100,
            "visits": rng.integers(0, 9, 90),
            "grants": homes,
            "all": homes / 10 + industry / 100 + homes,
        }
    )


def plan_of(columns=None, **changes):
    names = ("homes", "industry", "revenue", "grants", "all")
    attributes = {**dict.fromkeys(names, QUASI), "visits": SECRET}
    attributes |= {name: {**attributes[name], **more} for name, more in (columns or {}).items()}
    return shoal.Plan(**{"k": 4, "totals": TOTALS, "order": "keep", "attributes": attributes, **changes})


def off(data):
    return (data["homes"] + data["industry"] - data["revenue"]).abs().max()


BREAKING = {
    "means": {},
    "rounding": {"round": True},
    "stretched": {"preserve_variance": True},
    "medians": {"columns": {"homes": {"aggregate": "median"}, "revenue": {"aggregate": "median"}}},
    "cut off": {"columns": {"homes": {"clip": {"high": 60}}}},
    "multiples": {"columns": {"industry": {"round_to": 0.5}}},
    "one block": {"blocks": [["homes", "industry", "revenue"], ["grants", "all"]], "guarantee": False},
    "vmdav": {"method": "vmdav"},
}


@pytest.mark.parametrize("case", BREAKING)
def test_the_released_total_is_the_sum_of_the_released_parts(frame, case):
    plan = plan_of(**BREAKING[case])
    release = shoal.anonymize(frame, plan)
    assert off(release.data) < 1e-9
    assert release.manifest["totals"] == [{"total": "revenue", "parts": ["homes", "industry"], "rows": 90}]
    assert shoal.Plan.parse(plan.to_toml()) == plan
    without = shoal.anonymize(frame, plan.replace(totals=[]))
    if case not in ("means", "vmdav", "one block"):
        assert off(without.data) > 1e-3
    assert np.array_equal(release.labels, without.labels) or case in ("cut off", "multiples")


def test_means_of_a_total_change_by_nothing_but_rounding(frame):
    release, without = (shoal.anonymize(frame, plan_of(totals=totals)) for totals in (TOTALS, []))
    assert release.data["revenue"].to_numpy() == pytest.approx(without.data["revenue"].to_numpy(), rel=1e-12)


def test_whole_parts_give_a_whole_total():
    frame = pl.DataFrame({"homes": [1, 2, 5, 9], "industry": [3, 4, 4, 8], "revenue": [4, 6, 9, 17]})
    attributes = dict.fromkeys(frame.columns, QUASI)
    release = shoal.anonymize(frame, shoal.Plan(k=2, round=True, totals=TOTALS, attributes=attributes))
    assert release.data.schema["revenue"] == pl.Int64
    assert off(release.data) == 0


def test_totals_of_totals_follow(frame):
    totals = [{"total": "all", "parts": ["revenue", "grants"]}, *TOTALS]
    release = shoal.anonymize(frame, plan_of(totals=totals, round=True, columns={"homes": {"round_to": 7}}))
    assert off(release.data) < 1e-9
    assert (release.data["revenue"] + release.data["grants"] - release.data["all"]).abs().max() < 1e-9
    assert [step["column"] for step in release.manifest["recoding"]] == ["homes", "revenue", "all"]


def test_a_confidential_total_does_not_tell_what_its_parts_hide(frame):
    columns = dict.fromkeys(("homes", "industry", "revenue"), SECRET)
    plan = plan_of(columns={**columns, "homes": {**SECRET, "clip": {"high": 60}}})
    release = shoal.anonymize(frame, plan)
    assert release.data["homes"].max() == 60
    assert off(release.data) < 1e-9
    kept = shoal.anonymize(frame, plan_of(columns=columns))
    assert kept.data["revenue"].equals(frame["revenue"])


def test_missing_parts_leave_a_missing_total():
    frame = pl.DataFrame(
        {"homes": [1.0, None, 5.0, 9.0], "industry": [3.0, None, 4.0, 8.0], "revenue": [4.0, 9, 9, 17]}
    )
    attributes = dict.fromkeys(frame.columns, QUASI)
    release = shoal.anonymize(frame, shoal.Plan(k=2, missing="impute", totals=TOTALS, attributes=attributes))
    assert off(release.data.drop_nulls()) < 1e-9


def test_a_total_that_its_parts_do_not_reach_is_refused_with_the_count(frame):
    broken = frame.with_columns(revenue=pl.col("revenue") + pl.when(pl.int_range(90) % 10 == 3).then(0.01).otherwise(0))
    with pytest.raises(
        DataError, match=r"'homes', 'industry' do not add up to 'revenue' in 9 of 90 rows, the first in"
    ):
        shoal.anonymize(broken, plan_of())
    slack = plan_of(totals=[{**TOTALS[0], "tolerance": 0.02}])
    assert off(shoal.anonymize(broken, slack).data) < 1e-9
    with pytest.raises(DataError, match=r"add up to 'revenue', within 0\.001 in 9 of 90 rows"):
        shoal.anonymize(broken, plan_of(totals=[{**TOTALS[0], "tolerance": 0.001}]))


def test_a_total_that_is_one_for_a_subject_cannot_follow_parts_that_are_not():
    frame = pl.DataFrame(
        {"id": list("aabbccdd"), "homes": range(8), "industry": [9 - i % 2 - i // 2 * 2 for i in range(8)]}
    ).with_columns(revenue=pl.col("homes") + pl.col("industry"))
    attributes = {"id": {"role": "identifier"}, **dict.fromkeys(("homes", "industry", "revenue"), QUASI)}
    with pytest.raises(DataError, match="'revenue' is the same in all records of a subject, and its parts are not"):
        shoal.anonymize(frame, shoal.Plan(k=2, subject="id", totals=TOTALS, attributes=attributes))


def test_a_released_table_that_does_not_add_up_is_not_released(frame):
    with pytest.raises(GuaranteeError, match="does not keep 'revenue' the sum of 'homes', 'industry' in 90 rows"):
        check_released_totals(Table.of(frame.with_columns(pl.col("revenue") + 1)), plan_of())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"totals": [{"total": "revenue", "parts": ["homes"]}]}, "a list of at least 2"),
        ({"totals": [{"total": "revenue", "parts": ["homes", "homes"]}]}, "names a column twice"),
        ({"totals": [{"total": "revenue", "parts": ["homes", "indutry"]}]}, "did you mean 'industry'"),
        ({"totals": [*TOTALS, *TOTALS]}, "names 'revenue' as a total twice"),
        (
            {"totals": [*TOTALS, {"total": "homes", "parts": ["revenue", "grants"]}]},
            "'revenue', 'homes' are parts of each other",
        ),
        ({"columns": {"homes": SECRET}}, "total and parts must have one role"),
        ({"columns": {"revenue": {"clip": {"high": 9}}}}, "clip of the total would part it from its parts"),
        ({"columns": {"homes": {"kind": "nominal"}}}, "'homes', which is not declared a number"),
        ({"columns": {"homes": {"role": "identifier"}}}, "'homes', which is an identifier and never leaves"),
        ({"method": "individual", "guarantee": False}, "masks every column by itself"),
        ({"method": "mic1d", "guarantee": False}, "masks every column by itself"),
        (
            {"blocks": [["homes", "industry"], ["revenue", "grants", "all"]], "guarantee": False},
            "must stand in one block",
        ),
        ({"blocks": {"make": "correlated", "size": 3}, "guarantee": False}, "blocks that are made may part it"),
    ],
)
def test_totals_that_masking_takes_apart_are_refused(changes, sentence):
    with pytest.raises(PlanError, match=sentence):
        plan_of(**changes)


def test_the_written_release_is_audited(frame, tmp_path):
    frame.write_csv(tmp_path / "data.csv")
    plan_of(round=True).save(tmp_path / "plan.toml")
    done = run("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", cwd=tmp_path)
    assert done.returncode == 0
    findings = {f.name: f.holds for f in auditor.audit(str(tmp_path / "out.csv"), str(tmp_path / "plan.toml"))}
    assert findings["totals"] is True
    broken = pl.read_csv(tmp_path / "out.csv").with_columns(pl.col("revenue") + 0.01)
    broken.write_csv(tmp_path / "out.csv")
    findings = {f.name: f.holds for f in auditor.audit(str(tmp_path / "out.csv"), str(tmp_path / "plan.toml"))}
    assert findings["totals"] is False
