"""What a stream on Spark does not take is refused before a query starts, in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from shoal import DataError, PlanError
from shoal.spark import anonymize_stream
from spark.queries import files
from spark.visits import LEAVES, PLAN, SCHEMA

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture
def came(spark: SparkSession, tmp_path: Path) -> DataFrame:
    (tmp_path / "source").mkdir()
    return files(spark, tmp_path / "source")


def changed(name: str, **keys: Any) -> dict[str, Any]:
    """The attributes of the plan, one of them changed."""
    return {**PLAN.to_dict()["attributes"], name: keys}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"by": "ward"}, "by is a choice for tables, and a stream does not use it"),
        ({"missing": "keep"}, 'missing = "keep" is a choice for tables'),
        ({"diversity": {"distinct": 2}}, "a stream does not keep"),
        ({"stream": {"max_delay": 1}}, "max_delay is 1 but k is 3"),
        (
            {"attributes": changed("level", role="quasi_identifier", kind="ordinal")},
            "attributes.level.order is required",
        ),
    ],
)
def test_a_plan_that_a_stream_does_not_take(came: DataFrame, changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PlanError) as caught:
        anonymize_stream(came, PLAN.replace(**changes))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"lane": "wrad"}, "lane names 'wrad', which attributes do not declare; did you mean 'ward'?"),
        ({"lane": "who"}, "lane names 'who', which is an identifier: a stream of one person hides nobody"),
        ({"lane": "cost"}, "lane names 'cost', which is confidential: groups of one value would disclose it"),
        ({"lane": "age"}, "lane names 'age', which the plan recodes: what lanes are called would undo it"),
        ({"order": "offset"}, "order names 'offset', which the DataFrame does not have"),
        ({"max_seconds": 0}, "max_seconds must be a number above 0, and 1,000,000,000 at most, not 0"),
        ({"max_seconds": 1e306}, "max_seconds must be a number above 0, and 1,000,000,000 at most, not 1e+306"),
        ({"id": "age"}, "the columns id and reason need names of their own, not 'age'"),
        ({"id": "x", "reason": "x"}, "the columns id and reason need names of their own, not 'x'"),
    ],
)
def test_an_option_that_does_not_fit(came: DataFrame, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises((PlanError, DataError)) as caught:
        anonymize_stream(came, PLAN, **options)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("lane", ["lat", "lon", "hour"])
def test_lanes_are_called_by_no_value_that_is_masked(came: DataFrame, lane: str) -> None:
    from pyspark.sql import functions as F

    quasi = {"role": "quasi_identifier"}
    masked = {"lat": {**quasi, "kind": "place", "longitude": "lon"}, "hour": {**quasi, "kind": "cyclic", "period": 24}}
    plan = PLAN.replace(attributes={**PLAN.to_dict()["attributes"], **masked})
    frame = came.select("*", *(F.col("age").alias(name) for name in ("lat", "lon", "hour")))
    with pytest.raises(
        PlanError, match=f"lane names '{lane}', a (place|cyclic), which is masked: what lanes are called"
    ):
        anonymize_stream(frame, plan, lane=lane)


def test_lanes_are_plain_values_of_which_the_missing_ones_can_be_told(came: DataFrame) -> None:
    from pyspark.sql import functions as F

    with pytest.raises(DataError, match="lane names 'ward', a column of the type array: lanes are plain values"):
        anonymize_stream(came.withColumn("ward", F.array("ward")), PLAN, lane="ward")
    with pytest.raises(PlanError, match="missing_values of the lane 'ward' need a text, a number, a date or a boolean"):
        anonymize_stream(
            came.withColumn("ward", F.col("seen").cast("timestamp")), PLAN.replace(missing_values=["none"]), lane="ward"
        )


def test_columns_that_do_not_fit(spark: SparkSession, came: DataFrame) -> None:
    from pyspark.sql import functions as F

    with pytest.raises(DataError, match="the plan does not declare column 'note'"):
        anonymize_stream(came.withColumn("note", F.lit(1)), PLAN)
    with pytest.raises(DataError, match="the table does not have column 'city'"):
        anonymize_stream(came.drop("city"), PLAN)
    with pytest.raises(DataError, match="'age'"):
        anonymize_stream(came.withColumn("age", F.array("age")), PLAN)
    with pytest.raises(DataError, match="order by 'tags' is not possible"):
        anonymize_stream(came.withColumn("tags", F.create_map("who", "age")), PLAN, order="tags")
    with pytest.raises(DataError, match="takes a streaming DataFrame: a table goes to shoal"):
        anonymize_stream(spark.createDataFrame([], SCHEMA), PLAN)


def test_a_state_store_that_cannot_keep_the_state(spark: SparkSession, came: DataFrame) -> None:
    key = "spark.sql.streaming.stateStore.providerClass"
    kept = spark.conf.get(key)
    spark.conf.unset(key)
    try:
        spark.conf.set(key, "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider")
        with pytest.raises(PlanError, match=f"keep their state in RocksDB: set {key} of the session to {kept}"):
            anonymize_stream(came, PLAN)
    finally:
        spark.conf.set(key, str(kept))


def test_columns_leave_in_the_order_of_the_plan_with_the_types_of_the_engine(came: DataFrame) -> None:
    frame = anonymize_stream(came.select(*reversed(came.columns)), PLAN, lane="ward", id="id", reason="why")
    assert frame.isStreaming
    assert frame.columns == ["id", *LEAVES, "why"]
    types = {field.name: field.dataType.simpleString() for field in frame.schema}
    assert types["age"] == "double"
    assert types["seen"] == "date"
    assert types["cost"] == types["number"] == "bigint"
