"""Measures and reports of Spark: the figures of one machine where they are exact, a sample with its interval else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import PlanError
from shoal.report import collect
from shoal.spark import anonymize, measures
from shoal.spark.class_measures import CLASS_KEYS
from shoal.spark.spreads import NumberColumns
from spark.tables import canonical, people, plan

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from shoal.spark import SparkRelease

EXACT = ("sse", "il_percent", "normalised_sse", "mse", "mae", "il1s", "id_sd", "d_x", "k_min", "k_prime", *CLASS_KEYS)


def asked(*, recodes: bool = False) -> shoal.Plan:
    """Return a plan that may recode a column, so that losses are counted from what it held before."""
    attributes = plan().to_dict()["attributes"]
    if recodes:
        attributes["income"] = {**attributes["income"], "clip": {"high": 60_000}}
    attributes["note"] = {"role": "confidential", "kind": "nominal"}
    return plan(closeness={"t": 0.35, "attributes": ["pay"], "method": "merge"}).replace(attributes=attributes)


@pytest.fixture(scope="module")
def table() -> pa.Table:
    made = people(400, seed=9)
    return made.set_column(6, "pay", pa.array(made["pay"].to_numpy() + np.arange(400) * 1e-6))


@pytest.fixture(scope="module")
def release(spark: SparkSession, table: pa.Table) -> SparkRelease:
    return anonymize(spark.createDataFrame(table).repartition(3), asked(), measure=True)


@pytest.fixture(scope="module")
def alone(table: pa.Table) -> shoal.Release:
    return shoal.anonymize(canonical(table), asked())


def test_exact_measures_are_those_of_one_machine(release: SparkRelease, alone: shoal.Release, table: pa.Table) -> None:
    scores = shoal.measures.measure_release(canonical(table), alone, asked())
    assert list(release.scores) == list(scores)
    for key, score in scores.items():  # the sample is the whole table here, and so none has an interval
        assert release.scores[key].value == pytest.approx(score.value, rel=1e-9, abs=1e-12), key
        assert release.scores[key].interval is None
        if key in EXACT:
            assert dict(release.scores[key].attributes) == pytest.approx(dict(score.attributes), rel=1e-9, abs=1e-12)
    told = release.manifest["measures"]
    assert told["il_percent"] == release.scores["il_percent"].value
    assert set(told["scores"]) == set(scores)
    assert json.loads(release.manifest.to_json())["measures"]["scores"]["dld"]["definition"]


def test_fragments_add_up(spark: SparkSession, table: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "SAMPLE_RECORDS", 200)
    recoding = asked(recodes=True)
    found = anonymize(spark.createDataFrame(table), recoding, fragment_size=100, measure=True)
    assert found.manifest["spark"]["fragments"] > 1
    assert found.evidence is not None
    originals, releases = found.evidence.paired.originals, found.evidence.paired.releases
    assert 0 < originals.num_rows == releases.num_rows < 400
    assert found.scores["il_percent"].interval is None
    low, high = found.scores["dld"].interval
    assert low <= found.scores["dld"].value <= high
    assert f"on a seeded sample of {originals.num_rows} of 400 records" in found.scores["dld"].definition.text
    # Rows of a release find their originals by what leaves as it is.
    pairs = {row["pay"]: row for row in found.data.toArrow().to_pylist()}
    before = canonical(table)
    after = pa.Table.from_pylist([pairs[pay] for pay in before["pay"].to_pylist()])
    whole = shoal.measures.measure(before, after.cast(found.data.toArrow().schema), recoding)
    for key in EXACT:
        assert found.scores[key].value == pytest.approx(whole[key].value, rel=1e-9, abs=1e-12), key


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_the_report_has_the_figures_of_one_machine(
    release: SparkRelease, alone: shoal.Release, table: pa.Table, edition: str
) -> None:
    here = collect(None, release, asked(), edition=edition).to_dict()
    there = collect(canonical(table), alone, asked(), edition=edition).to_dict()
    assert here.keys() == there.keys()
    for name in ("facts", "sizes", "closeness", "attributes", "plan", "guarantees"):
        assert _near(here[name]) == _near(there[name]), name
    for one, other in zip(here["distributions"], there["distributions"], strict=True):
        if edition == "internal" or one["role"] == "confidential":
            assert _near(one) == _near(other), one["name"]
        else:  # what each class leaves open is not at hand on a cluster
            assert {bin["before"] for bin in one["bins"]} <= {None}, one["name"]
        if one["kind"] in ("nominal", "ordinal"):
            assert [bin["after"] for bin in one["bins"]] == [bin["after"] for bin in other["bins"]], one["name"]
    if edition == "internal":
        assert _near(here["drift"]) == _near(there["drift"])
        # Among classes that are as far from the table, those linked most come first where links are known.
        assert _farthest(here["riskiest"]) == _farthest(there["riskiest"])
        assert here["summary"]["kept"] == there["summary"]["kept"] or _near(here["summary"]["kept"]) == _near(
            there["summary"]["kept"]
        )
    tried = {each["attack"]: each["rate"] for each in here["summary"]["tried"]}
    assert "row order" not in " ".join(tried)
    assert tried == {each["attack"]: each["rate"] for each in there["summary"]["tried"] if each["attack"] in tried}


def test_page_one_and_html(release: SparkRelease) -> None:
    page = release.summary(attacks=["none"])
    assert page.safe
    assert "400 records, each about another person." in page.text
    assert "<html" in collect(None, release, asked(), attacks=["none"]).to_html()


def test_reports_and_charts_ask_for_no_original(release: SparkRelease, tmp_path: Path) -> None:
    release.report(tmp_path / "page.md", attacks=["none"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.json", "page.md"]
    pytest.importorskip("altair")
    quasi_identifier = next(name for name, each in release.plan.attributes.items() if each.role == "quasi_identifier")
    assert release.plot(quasi_identifier).to_dict()["layer"]


def test_a_release_that_was_not_measured_says_how_to(spark: SparkSession) -> None:
    found = anonymize(spark.createDataFrame(people(40)), plan())
    with pytest.raises(PlanError, match="measure=True"):
        found.summary()
    with pytest.raises(PlanError, match="measure=True"):
        _ = found.scores


def test_quantiles_are_exact_where_there_are_many_records(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.spark import spreads

    monkeypatch.setattr(spreads, "FEW", 100)
    values = np.concatenate([np.random.default_rng(3).normal(size=700), np.full(300, 0.25)])
    frame = spark.createDataFrame(pa.table({"x": pa.array(values)}))
    found = NumberColumns(frame, ("x",)).spread("x")
    shares = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]
    assert found.quantiles(shares) == np.quantile(values, shares).tolist()
    assert found.counts(np.array([0.0, 0.25, 9.0])).tolist() == [
        int((values < 0).sum()),
        int(((values >= 0) & (values < 0.25)).sum()),
        int((values >= 0.25).sum()),
        0,
    ]
    mean, deviation = found.location.mean, found.location.deviation
    assert (mean, deviation) == pytest.approx((values.mean(), values.std(ddof=1)), rel=1e-12)


def _farthest(riskiest: list[dict[str, Any]]) -> list[Any]:
    return [_near(max(each["distances"].values())) for each in riskiest]


def _near(item: object) -> object:
    """Return plain values with numbers to nine digits."""
    if isinstance(item, dict):
        return {name: _near(inner) for name, inner in item.items()}
    if isinstance(item, list | tuple):
        return [_near(inner) for inner in item]
    if isinstance(item, float):
        return float(f"{item:.9g}") if abs(item) > 1e-12 else 0.0
    return item
