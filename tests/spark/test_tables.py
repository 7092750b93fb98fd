"""Tables of Spark: the same release as on one machine, and the same in fragments however they are spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import shoal
from shoal.errors import DataError, GuaranteeError, PlanError
from shoal.protect import emd
from shoal.spark import anonymize
from spark.tables import QUASI, canonical, class_sizes, people, plan, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

N = 1200


def test_one_fragment_is_the_release_of_one_machine_row_for_row(spark: SparkSession) -> None:
    table = people(N)
    release = shoal.anonymize(spark.createDataFrame(table).repartition(3), plan())
    alone = shoal.anonymize(canonical(table), plan())
    assert rows(release.data) == rows(alone.data)
    assert release.manifest["spark"]["fragments"] == 1
    assert release.guarantees.holds
    assert release.giveaways == alone.giveaways == ()
    assert release.manifest["groups"]["smallest"] == min(class_sizes(alone.data))
    assert "person-" not in release.manifest.to_json() + repr(release)


def test_losses_are_those_of_one_machine(spark: SparkSession) -> None:
    table = people(300, seed=9)
    table = table.set_column(2, "income", table["income"].fill_null(0.0))
    release = anonymize(spark.createDataFrame(table), plan(), measure=True)
    alone = shoal.anonymize(canonical(table), plan())
    scores = shoal.measures.measure(canonical(table), alone.data, plan(), keys=["il_percent", "sse"], rows=alone.rows)
    for key, score in scores.items():
        assert release.manifest["measures"][key] == pytest.approx(score.value, rel=1e-6)


def test_fragments_are_the_same_however_the_table_is_spread(spark: SparkSession) -> None:
    table = people(N)
    release = anonymize(spark.createDataFrame(table).repartition(5), plan(), fragment_size=200)
    shuffled = table.take(pa.array(np.random.default_rng(1).permutation(N)))
    again = anonymize(spark.createDataFrame(shuffled).coalesce(1), plan(), fragment_size=200)
    released = release.data.toArrow()
    assert rows(released) == rows(again.data)
    assert release.manifest["spark"]["fragments"] == 6
    assert min(class_sizes(released)) >= 5
    assert released.column_names == [*QUASI, "pay", "note"]
    assert sorted(released["pay"].to_pylist()) == sorted(table["pay"].to_pylist())
    assert [str(released.schema.field(name).type) for name in ("age", "seen", "grade")] == [
        "double",
        "date32[day]",
        "string",
    ]
    order = released["pay"].to_pylist()
    assert order != sorted(order), "rows leave shuffled"


def test_every_group_is_within_t_of_the_whole_table(spark: SparkSession) -> None:
    table = people(N, seed=2)
    asked = plan(3, closeness={"t": 0.1, "method": "t_first"})
    release = anonymize(spark.createDataFrame(table), asked, fragment_size=250)
    released = release.data.toArrow()
    keys = [released[name].to_pylist() for name in QUASI]
    classes = np.unique([str(key) for key in zip(*keys, strict=True)], return_inverse=True)[1]
    distances = emd(released["pay"].to_numpy(), classes)
    judged = release.guarantees["t_closeness"]
    assert judged.holds
    assert judged.achieved == pytest.approx(distances.max(), abs=1e-12)
    assert distances.max() <= 0.1
    assert release.manifest["spark"]["fragments"] == 5
    # pay follows income, by which fragments are cut: without strata, no fragment would be like the table
    assert release.manifest["groups"]["largest"] <= 4 * release.manifest["groups"]["smallest"]


def test_subjects_stay_together_and_k_counts_them(spark: SparkSession) -> None:
    table = people(N, seed=3)
    who = np.arange(N) // 3
    table = table.set_column(0, "id", pa.array([f" p{i}" for i in who]))
    table = table.set_column(1, "age", pa.array((who * 7) % 60 + 20))
    release = anonymize(spark.createDataFrame(table), plan(4, subject="id"), fragment_size=300)
    assert release.guarantees["k_anonymity"].holds
    assert release.manifest["subjects"]["count"] == 400
    assert release.manifest["subjects"]["constant"] == ["age"]
    assert release.manifest["subjects"]["fewest_in_a_group"] >= 4
    assert "__shoal_subject" not in release.data.columns


def test_domains_never_mix_and_small_ones_share_a_fragment(spark: SparkSession) -> None:
    table = people(N, seed=4).filter(pc.is_valid(people(N, seed=4)["county"]))
    attributes = {**plan().to_dict()["attributes"], "county": {"role": "quasi_identifier", "kind": "nominal"}}
    asked = plan(by="county", dependence={"weight": 0.5}).replace(attributes=attributes)
    release = anonymize(spark.createDataFrame(table), asked, fragment_size=150)
    released = release.data.toArrow()
    assert min(class_sizes(released)) >= 5
    pairs = released.select(["county", "pay"]).to_pylist()
    assert sorted(map(str, pairs)) == sorted(map(str, table.select(["county", "pay"]).to_pylist()))
    with pytest.raises(GuaranteeError, match="by = 'county' has 1 of 4 values with fewer than k = 90 records"):
        anonymize(spark.createDataFrame(table), asked.replace(k=90), fragment_size=200)


def test_diversity_is_kept_where_a_fragment_by_itself_could_not(spark: SparkSession) -> None:
    n = 800
    rng = np.random.default_rng(5)
    age = np.sort(rng.normal(size=n))
    # every value of illness lies in one corner of the table
    illness = np.array(["a", "b", "c", "d"])[np.arange(n) * 4 // n]
    table = pa.table({"age": age, "illness": illness})
    attributes = {
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "illness": {"role": "confidential", "kind": "nominal"},
    }
    asked = shoal.Plan(k=3, diversity={"distinct": 3}, attributes=attributes)
    release = anonymize(spark.createDataFrame(table), asked, fragment_size=200)
    assert release.guarantees["distinct_l_diversity"].holds
    released = release.data.toArrow().group_by("age").aggregate([("illness", "count_distinct")])
    assert min(released["illness_count_distinct"].to_pylist()) >= 3


def test_a_second_pass_over_shifted_fragments_refines_across_the_first_cuts(spark: SparkSession) -> None:
    rng = np.random.default_rng(8)
    table = pa.table({"x": rng.normal(size=900), "y": rng.normal(size=900)})
    asked = shoal.Plan(k=3, attributes={name: {"role": "quasi_identifier", "kind": "numeric"} for name in "xy"})
    frame = spark.createDataFrame(table)
    plain, refined = (
        anonymize(frame, asked.replace(refine=effort), fragment_size=150, measure=True) for effort in ("none", "good")
    )
    assert plain.manifest["spark"]["second_pass"] == "none: refine is off"
    assert refined.manifest["spark"]["second_pass"] == "shifted fragments"
    assert refined.guarantees.holds
    spread = [
        np.concatenate([each.data.toArrow()[name].to_numpy() for name in "xy"]).var() for each in (plain, refined)
    ]
    whole = shoal.anonymize(canonical(table), asked).data
    for release in (plain, refined):  # means keep what they spread: no row needs to find its original
        released = release.data.toArrow()
        shares = [released[name].to_numpy().var() / table[name].to_numpy().var() for name in "xy"]
        assert release.manifest["measures"]["il_percent"] == pytest.approx(100 * (1 - np.mean(shares)), rel=1e-6)
        assert release.manifest["measures"]["k_min"] == release.guarantees["k_anonymity"].achieved
        assert released.column_names == ["x", "y"]
    kept = np.concatenate([whole[name].to_numpy() for name in "xy"]).var()
    assert spread[0] < kept < spread[1], "means keep more of the spread the less is lost: more than MDAV on all records"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"steer": [{"kind": "position", "weight": 1.0}]}, 'steer kind = "position"'),
        ({"release": "permute"}, 'release = "permute"'),
        ({"order": "keep"}, 'order = "keep"'),
        ({"suppress": 0.01}, "suppress"),
        ({"blocks": {"make": "correlated", "count": 1}}, "blocks.make"),
        ({"closeness": {"t": 0.2, "strata": "all", "method": "t_first"}}, 'closeness.strata = "all"'),
        ({"closeness": {"t": 0.2, "n": 100, "method": "merge"}}, "closeness.n"),
    ],
)
def test_what_needs_all_records_in_one_place_is_refused_before_a_job(spark: SparkSession, change, named) -> None:
    frame = spark.createDataFrame(people(20))
    jobs = len(spark.sparkContext.statusTracker().getJobIdsForGroup(None))
    with pytest.raises(PlanError, match="on one machine") as error:
        anonymize(frame, plan(**change))
    assert str(error.value).startswith(named)
    assert len(spark.sparkContext.statusTracker().getJobIdsForGroup(None)) == jobs


def test_one_block_is_the_whole_record_and_several_cannot_promise_k(spark: SparkSession) -> None:
    table = people(120)
    frame = spark.createDataFrame(table)
    assert rows(anonymize(frame, plan(blocks=[QUASI])).data) == rows(shoal.anonymize(canonical(table), plan()).data)
    with pytest.raises(GuaranteeError, match=r"k = 5 cannot be guaranteed: .* masked in 2 blocks"):
        anonymize(frame, plan(blocks=[QUASI[:2], QUASI[2:]]))


def test_blocks_are_grouped_by_themselves_and_each_is_judged(spark: SparkSession) -> None:
    table = people(300, seed=11)
    asked = plan(blocks=[QUASI[:2], QUASI[2:]], guarantee=False)
    alone = shoal.anonymize(canonical(table), asked)
    frame = spark.createDataFrame(table)
    whole = anonymize(frame, asked)
    assert rows(whole.data) == rows(alone.data)
    mine, theirs = whole.guarantees["k_anonymity"], alone.guarantees["k_anonymity"]
    assert not mine.holds
    assert (mine.achieved, mine.definition, mine.note) == (theirs.achieved, theirs.definition, theirs.note)
    assert dict(mine.detail) == pytest.approx(dict(theirs.detail))
    release = anonymize(frame, asked, fragment_size=100)
    released = release.data.toArrow()
    for block in (QUASI[:2], QUASI[2:]):
        fewest = min(class_sizes(released, block))
        assert release.manifest["spark"]["smallest_class_of_blocks"][" + ".join(block)] == fewest >= 5
    assert release.manifest["spark"]["second_pass"].startswith("none")


def test_a_fragment_must_hold_two_groups(spark: SparkSession) -> None:
    frame = spark.createDataFrame(people(20))
    for few in (9, np.int64(9)):
        with pytest.raises(PlanError, match="fragment_size must be a whole number of at least 2k = 10, not 9"):
            anonymize(frame, plan(), fragment_size=few)
    assert anonymize(frame, plan(), fragment_size=np.int64(10)).manifest["spark"]["fragment_size"] == 10


def test_half_of_all_records_alike_and_a_category_in_most_rows(spark: SparkSession) -> None:
    table = people(N, seed=6)
    alike = pa.concat_tables([table.slice(0, 1)] * (N // 2))
    table = pa.concat_tables([alike, table.slice(0, N // 2)])
    table = table.set_column(5, "county", pa.array(np.where(np.arange(N) % 10 < 9, "Osona", "Bages")))
    release = anonymize(spark.createDataFrame(table), plan(subject="record"), fragment_size=200)
    assert release.manifest["spark"]["fragments"] == 6
    assert min(class_sizes(release.data.toArrow())) >= 5


def test_wrong_tables_are_refused_in_the_words_of_one_machine(spark: SparkSession) -> None:
    table = people(60)
    frame = spark.createDataFrame(table)
    strict = plan().replace(missing="error")
    with pytest.raises(DataError, match=r"column 'income' has \d+ missing value.*missing = \"error\""):
        anonymize(frame, strict)
    with pytest.raises(DataError, match="column 'age' holds values of a type shoal does not know, not numbers"):
        anonymize(frame.selectExpr("id", "array(age) AS age", *frame.columns[2:]), plan())
    with pytest.raises(DataError, match="the plan does not declare column 'ward'"):
        anonymize(frame.selectExpr("*", "1 AS ward"), plan())
    with pytest.raises(DataError, match="column 'income' has 60 infinite values"):
        anonymize(frame.selectExpr("id", "age", "double('infinity') AS income", *frame.columns[3:]), plan())
    with pytest.raises(DataError, match="k is 61 but the table has only 60 records"):
        anonymize(frame, plan(61))
    with pytest.raises(DataError, match="identifier 'id' repeats, 60 records have 1 different values"):
        anonymize(frame.selectExpr("'x' AS id", *frame.columns[1:]), plan())
    with pytest.raises(DataError, match="subject column 'id' has no value in"):
        anonymize(frame.selectExpr("string(NULL) AS id", *frame.columns[1:]), plan(subject="id"))


def test_nan_and_null_are_missing_alike(spark: SparkSession) -> None:
    table = people(200, seed=7)
    frame = spark.createDataFrame(table)
    other = frame.selectExpr("id", "age", "coalesce(income, double('nan')) AS income", *frame.columns[3:])
    one, two = (anonymize(each, plan(), fragment_size=60) for each in (frame, other))
    assert rows(one.data) == rows(two.data)
    assert one.manifest["spark"] == two.manifest["spark"]
    assert one.manifest["spark"]["missing"]["income"] == table["income"].null_count
