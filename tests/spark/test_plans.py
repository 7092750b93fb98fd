"""Plans on Spark: what is local to a record or asks one number of the whole table is as on one machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError
from shoal.spark import anonymize
from spark.tables import canonical, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KEYS = ("latitude", "longitude", "hour", "wages", "rents", "income", "town")


def journeys(n: int, seed: int = 0) -> pa.Table:
    """Make a table of places, hours, sums, gaps and rare towns."""
    rng = np.random.default_rng(seed)
    wages, rents = rng.integers(1, 90, n) * 100.0, rng.integers(0, 20, n) * 50.0
    towns = rng.choice(["Vic", "Manlleu", "Torelló", "Tona", "Sau", "Rupit"], n, p=[0.4, 0.3, 0.2, 0.08, 0.01, 0.01])
    return pa.table(
        {
            "latitude": rng.normal(41.9, 0.2, n).round(3),
            "longitude": rng.normal(2.2, 0.2, n).round(3),
            "hour": pa.array(rng.normal(23.5, 2, n).round(2) % 24, mask=rng.random(n) < 0.2),
            "wages": wages,
            "rents": rents,
            "income": wages + rents,
            "town": towns,
            "mood": rng.choice(["good", "bad"], n),
        }
    )


def asked(**more: Any) -> shoal.Plan:
    quasi = {"role": "quasi_identifier"}
    return shoal.Plan(
        k=4,
        totals=[{"total": "income", "parts": ["wages", "rents"]}],
        attributes={
            "latitude": {**quasi, "kind": "place", "longitude": "longitude"},
            "hour": {**quasi, "kind": "cyclic", "period": 24, "missing": "keep"},
            "wages": {**quasi, "kind": "numeric", "clip": {"low_quantile": 0.02, "high_quantile": 0.9}},
            "rents": {**quasi, "kind": "numeric"},
            "income": {**quasi, "kind": "numeric"},
            "town": {**quasi, "kind": "nominal", "rare": {"below": 12, "into": "elsewhere"}},
            "mood": {"role": "confidential", "kind": "nominal"},
        },
        **more,
    )


def class_sizes(released: pa.Table) -> list[int]:
    return released.group_by(list(KEYS)).aggregate([([], "count_all")])["count_all"].to_pylist()


def test_places_cycles_gaps_totals_quantiles_and_rare_names(spark: SparkSession) -> None:
    table = journeys(300)
    alone = shoal.anonymize(canonical(table, asked()), asked())
    release = anonymize(spark.createDataFrame(table).repartition(2), asked(), measure=True)
    # Where columns were recoded, names that are equally frequent in a group are drawn by other lots.
    assert rows(release.data.drop("town")) == rows(alone.data.drop_columns(["town"]))
    assert release.manifest["recoding"] == alone.manifest["recoding"]
    assert release.manifest["totals"] == alone.manifest["totals"]
    scores = shoal.measures.measure_release(canonical(table, asked()), alone, asked())
    for key in ("sse", "il_percent", "mse", "id_sd"):
        assert release.scores[key].value == pytest.approx(scores[key].value, rel=1e-9), key


def test_the_same_in_fragments(spark: SparkSession) -> None:
    table = journeys(300, seed=1)
    release = anonymize(spark.createDataFrame(table), asked(), fragment_size=80)
    assert release.manifest["spark"]["fragments"] == 4
    released = release.data.toArrow()
    assert min(class_sizes(released)) >= 4
    assert released["hour"].null_count > 0, "gaps stay"
    assert np.allclose(released["wages"].to_numpy() + released["rents"].to_numpy(), released["income"].to_numpy())
    assert not {"Sau", "Rupit"} & set(released["town"].to_pylist())
    assert released["wages"].to_numpy().max() <= np.quantile(table["wages"].to_numpy(), 0.9, method="inverted_cdf")


def test_totals_that_are_no_sums_are_refused(spark: SparkSession) -> None:
    table = journeys(60)
    wrong = table.set_column(5, "income", pa.array(np.arange(60) * 1.0))
    with pytest.raises(DataError, match="do not add up to 'income' in 60 of 60 rows: mend them"):
        anonymize(spark.createDataFrame(wrong), asked())


def test_subjects_leave_by_pseudonyms(spark: SparkSession) -> None:
    rng = np.random.default_rng(4)
    who = np.repeat(np.arange(60), 4)
    table = pa.table({"who": [f"p{i}" for i in who], "age": who % 50, "charge": rng.normal(size=240).round(2)})
    attributes = {
        "who": {"role": "identifier"},
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "charge": {"role": "confidential", "kind": "numeric"},
    }
    plan = shoal.Plan(k=3, subject="who", keep_subject="pseudonym", attributes=attributes)
    alone = shoal.anonymize(canonical(table), plan, key=bytes(32))
    frame = spark.createDataFrame(table)
    assert rows(shoal.anonymize(frame, plan, key=bytes(32)).data) == rows(alone.data)
    parted = anonymize(frame, plan, fragment_size=70).data.toArrow()
    assert len(set(parted["who"].to_pylist())) == 60
    assert not set(parted["who"].to_pylist()) & set(alone.data["who"].to_pylist()), "the key is another one"
