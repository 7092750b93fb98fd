"""The order of released rows: kept where it tells nothing, shuffled where rows follow what is hidden."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from people import AGE, NAME, people, plan
from shoal.comparison import compare
from shoal.comparison.tradeoff import KEYS, WEIGHT, weight_trade_offs
from shoal.errors import DataError, PlanError
from shoal.measures import assess, measure
from shoal.report import collect
from shoal.run.release import Release

CONVERT = {"polars": pl.DataFrame, "pandas": pl.DataFrame.to_pandas, "pyarrow": pl.DataFrame.to_arrow}


def released(frame, **choices) -> Release:
    return shoal.anonymize(frame, plan(**choices))


def rows_of(data):
    return (pl.from_pandas(data) if isinstance(data, pd.DataFrame) else pl.DataFrame(data)).rows()


def test_rows_that_follow_nothing_stay_where_they_are():
    frame = people()
    release = released(frame)
    assert release.rows.tolist() == list(range(len(frame)))
    assert release.manifest["order"] == {"asked": "auto", "shuffled": False, "followed": []}
    assert release.data["pay"].equals(frame["pay"])
    assert released(frame, order="keep").data.equals(release.data)


@pytest.mark.parametrize("convert", CONVERT.values(), ids=CONVERT)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("column", ["name", "age", "admitted"])
def test_rows_sorted_by_what_is_hidden_are_shuffled(column, descending, convert):
    frame = people().sort(column, descending=descending)
    kept, release = (released(convert(frame), order=order) for order in ("keep", "auto"))
    assert release.manifest["order"] == {"asked": "auto", "shuffled": True, "followed": [column]}
    assert not any("the rows follow" in text for text in release.manifest["warnings"])
    (warned,) = kept.manifest["warnings"]
    assert warned.startswith(f"the rows follow {column!r}, and the release keeps their order")
    # The same records, and rows says where each of them stood.
    assert sorted(release.rows.tolist()) == list(range(len(frame)))
    assert abs(np.corrcoef(release.rows, np.arange(len(frame)))[0, 1]) < 0.3
    assert [rows_of(kept.data)[row] for row in release.rows] == rows_of(release.data)
    assert np.array_equal(kept.labels[release.rows], release.labels)
    assert np.array_equal(kept.partition.blocks[0].labels[release.rows], release.partition.blocks[0].labels)


def test_a_few_displaced_rows_do_not_keep_an_order():
    frame, rng = people(n=400).sort("age"), np.random.default_rng(0)
    places = np.arange(400.0)
    places[rng.choice(400, 20, replace=False)] = rng.uniform(0, 400, 20)
    assert released(frame[np.argsort(places)]).manifest["order"]["followed"] == ["age"]


def test_the_manifest_counts_the_subjects_of_shuffled_groups():
    frame = pl.concat([people()] * 3).with_columns(pl.col("age") + pl.int_range(pl.len()) // 203).sort("name", "age")
    kept, release = (released(frame, subject="name", order=order) for order in ("keep", "auto"))
    assert release.manifest["order"]["shuffled"]
    assert release.manifest["subjects"] == kept.manifest["subjects"]
    assert release.manifest["subjects"]["fewest_in_a_group"] >= 4


def test_an_order_of_what_leaves_as_it_is_is_kept():
    for frame, choices in (
        (people().sort("pay"), {}),
        (people().sort("ward"), {}),
        (people().sort("county"), {"by": "county"}),
        (people().with_columns(name=pl.int_range(pl.len()).shuffle(seed=1)).sort("age"), {"release": "permute"}),
        (people().sort("name"), {"order": "keep"}),
    ):
        assert not released(frame, **choices).manifest["order"]["shuffled"], choices
    assert released(people().sort("pay"), release="permute").manifest["order"]["followed"] == ["pay"]


def test_shuffle_always_does():
    release = released(people(), order="shuffle")
    assert release.manifest["order"] == {"asked": "shuffle", "shuffled": True, "followed": []}
    assert release.rows.tolist() != sorted(release.rows)


def test_a_shuffle_is_seeded_by_the_plan_and_the_table():
    frame = people()
    first = released(frame, order="shuffle").rows
    assert np.array_equal(first, released(frame, order="shuffle").rows)
    assert not np.array_equal(first, released(frame, order="shuffle", seed=1).rows)
    # Who knows the seed and all but one cell does not know the order.
    other = frame.with_columns(pay=pl.when(pl.int_range(pl.len()) == 0).then(0.0).otherwise("pay"))
    assert not np.array_equal(first, released(other, order="shuffle").rows)


def test_a_handful_of_sorted_rows_is_warned_of():
    frame = pl.DataFrame({"age": [30, 34, 61, 67]})
    chosen = shoal.Plan(k=2, attributes={"age": AGE})
    release = shoal.anonymize(frame, chosen)
    assert release.rows.tolist() == [0, 1, 2, 3]
    assert release.manifest["warnings"][0].startswith("the rows follow 'age'")
    assert not shoal.anonymize(frame, chosen.replace(order="shuffle")).manifest["warnings"]


def test_a_count_of_rows_does_not_tell_where_they_stood():
    frame = people().sort("age").to_pandas()
    assert released(frame).data.index.tolist() == list(range(len(frame)))
    named = frame.set_index(pd.Index([f"row {i}" for i in range(len(frame))]))
    release = released(named)
    assert release.data.index.tolist() == [f"row {i}" for i in release.rows]
    assert any("index leaves" in text for text in release.manifest["warnings"])
    assert not any("tells the order they had" in text for text in release.manifest["warnings"])
    counted = released(frame.set_index(pd.Index([f"row {i:03}" for i in range(len(frame))])))
    assert any("index goes along with the shuffled rows" in text for text in counted.manifest["warnings"])
    assert "rows shuffled" in repr(counted)
    assert "rows shuffled" not in repr(released(people()))


@pytest.mark.parametrize(
    "column",
    [
        pa.nulls(203),
        pa.array(np.arange(203, dtype=np.float16)),
        pd.Series(np.arange(203), dtype=np.float16),
        pa.array(map(str, range(203)), pa.string_view()),
        pd.Series(pa.array(map(str, range(203)), pa.string_view()), dtype=pd.ArrowDtype(pa.string_view())),
    ],
    ids=["null", "half", "half-pandas", "view", "view-pandas"],
)
@pytest.mark.parametrize("role", ["identifier", "other"])
def test_no_type_of_a_column_stops_a_run(column, role):
    age = np.random.default_rng(0).normal(size=203)
    build = pd.DataFrame if isinstance(column, pd.Series) else pa.table
    chosen = shoal.Plan(k=3, order="shuffle", attributes={"id": {"role": role}, "age": AGE})
    release = shoal.anonymize(build({"id": column, "age": age}), chosen)
    assert len(release.data) == 203
    kept = shoal.anonymize(build({"id": column, "age": age}), chosen.replace(order="keep"))
    follows = [text for text in kept.manifest["warnings"] if "the rows follow 'id'" in text]
    assert len(follows) == (role == "identifier" and not getattr(column, "null_count", 0))


# What pairs a release with its original finds each record where it went.


def test_measures_of_a_shuffled_release_are_those_of_the_kept_one():
    frame = people().sort("age")
    kept, release = released(frame, order="keep"), released(frame)
    wanted = {key: score.value for key, score in measure(frame, kept.data, plan()).items()}
    found = measure(frame, release.data, plan(), rows=release.rows)
    assert {key: score.value for key, score in found.items()} == pytest.approx(wanted)
    with pytest.raises(DataError, match="not those of the original in its order"):
        measure(frame, release.data, plan(), keys=["dld", "il_percent"])


@pytest.mark.parametrize("convert", CONVERT.values(), ids=CONVERT)
def test_a_report_on_a_shuffled_release_is_that_of_the_kept_one(convert):
    frame = people().sort("age")
    kept, release = (shoal.anonymize(convert(frame), plan(order=order)) for order in ("keep", "auto"))
    before, after = collect(convert(frame), kept, plan()), collect(convert(frame), release, plan())
    assert after.distributions == before.distributions
    assert [(row.key, row.value) for row in after.scores] == [(row.key, row.value) for row in before.scores]
    assert after.riskiest == before.riskiest
    assert ("order of rows", "shuffled") in after.provenance
    assert ("order of rows", "kept") in before.provenance


def test_a_shuffled_release_is_assessed_by_its_rows():
    frame = people().sort("age")
    release = released(frame)
    found = assess(frame, release.data, plan(), rows=release.rows)
    assert found.guarantees.holds
    assert found.data.equals(released(frame, order="keep").data)
    assert found.rows.tolist() == list(range(len(frame)))
    assert not found.manifest["warnings"]


@pytest.mark.parametrize("convert", [pl.DataFrame, pl.DataFrame.to_pandas])
def test_what_counts_is_the_order_of_the_release(convert):
    frame = people().with_columns(name=pl.col("age").rank("ordinal").cast(pl.String).str.zfill(3))
    masked = shoal.anonymize(frame, plan()).data.with_columns(frame["name"])
    identified = "'name' is in the release, and the plan calls it an identifier"

    def found(before, after):
        return assess(convert(before), convert(after), plan(), key_column="name").manifest["warnings"]

    assert found(frame.sort("name"), masked.sort("pay")) == [identified]
    assert ["rows follow 'name', 'age'" in text for text in found(frame, masked.sort("name"))] == [False, True]


def test_comparisons_do_not_depend_on_the_order():
    frame = people().drop("name").sort("age")
    chosen = plan(attributes={name: about for name, about in plan().to_dict()["attributes"].items() if name != "name"})
    sorted_rows, shuffled = (
        weight_trade_offs(compare(frame, each, {WEIGHT: [0, 0.5]}, keys=KEYS), each.k)
        for each in (chosen.replace(order="keep"), chosen)
    )
    assert [row.weight for row in shuffled[""]] == [0, 0.5]
    assert shuffled == sorted_rows


@pytest.mark.parametrize("rows", [[0, 1], [0] * 203, list(range(1, 204))])
def test_a_map_that_is_none_is_refused(rows):
    frame = people()
    with pytest.raises(DataError, match="must name each of the 203 original records once"):
        measure(frame, released(frame).data, plan(), rows=rows)


def test_records_are_matched_in_one_way():
    frame = people()
    with pytest.raises(PlanError, match="by a key column or by a map of rows"):
        assess(frame, frame, plan(), key_column="name", rows=np.arange(203))


def test_the_plan_says_auto_keep_or_shuffle():
    assert plan().order == "auto"
    with pytest.raises(PlanError, match="order must be"):
        plan(order="sorted")
    assert plan(attributes={"name": NAME, "age": AGE}, order="keep").to_dict()["order"] == "keep"


def test_subjects_of_groups_are_counted_whatever_the_order():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"who": [f"p{i // 2}" for i in range(120)], "age": rng.integers(0, 90, 120)})
    about = {"who": {"role": "identifier"}, "age": {"role": "quasi_identifier", "kind": "numeric"}}
    chosen = shoal.Plan(k=3, subject="who", attributes=about)
    kept, shuffled = (shoal.anonymize(frame, chosen.replace(order=order)) for order in ("keep", "shuffle"))
    assert shuffled.manifest["subjects"] == kept.manifest["subjects"]
    assert kept.manifest["subjects"]["fewest_in_a_group"] >= 3
