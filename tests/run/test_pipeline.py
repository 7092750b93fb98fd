import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from people import AGE, ATTRIBUTES, K, attributes, people, plan, smallest_class
from reference import operators as slow
from shoal import DataError, GuaranteeError, Plan, PlanError


def test_the_release_is_k_anonymous_and_keeps_what_is_not_masked():
    frame = people()
    release = shoal.anonymize(frame, plan())
    assert smallest_class(release.data) >= K
    assert release.data.columns == ["age", "grade", "county", "admitted", "pay", "ward"]
    assert release.data["pay"].equals(frame["pay"])
    assert release.data["ward"].equals(frame["ward"])
    assert release.data["admitted"].dtype == pl.Date
    assert release.guarantees["k_anonymity"].achieved == smallest_class(release.data)
    assert release.guarantees.holds
    assert np.bincount(release.labels).min() >= K


def test_every_group_gets_the_mean_median_and_mode_of_its_records():
    frame = people()
    release = shoal.anonymize(frame, plan())
    ranks = np.array([["low", "mid", "high", "top"].index(grade) for grade in frame["grade"]])
    counties = np.array([["Anoia", "Bages", "Osona"].index(county) for county in frame["county"]])
    days = frame["admitted"].to_physical().to_numpy()
    for group in np.unique(release.labels):
        rows = np.flatnonzero(release.labels == group)
        masked = release.data[rows.tolist()]
        assert masked["age"].to_numpy() == pytest.approx(slow.mean(frame["age"].to_numpy()[rows]))
        assert set(masked["grade"]) == {["low", "mid", "high", "top"][slow.median(ranks[rows])]}
        (county,) = set(masked["county"])
        assert ["Anoia", "Bages", "Osona"].index(county) in slow.modes(counties[rows])
        assert set(masked["admitted"].to_physical()) == {round(slow.mean(days[rows]))}


def test_means_are_preserved():
    frame = people()
    masked = shoal.anonymize(frame, plan()).data
    assert masked["age"].mean() == pytest.approx(frame["age"].mean(), rel=1e-12)


def test_the_same_input_and_plan_give_the_same_release():
    first, second = (shoal.anonymize(people(), plan(release="permute", seed=5)) for _ in range(2))
    assert first.data.equals(second.data)
    assert first.manifest["output"] == second.manifest["output"]


def test_pandas_polars_and_pyarrow_give_the_same_release_in_their_own_kind():
    frame = people()
    releases = [shoal.anonymize(kind, plan()) for kind in (frame, frame.to_pandas(), frame.to_arrow())]
    assert [type(release.data) for release in releases] == [pl.DataFrame, pd.DataFrame, pa.Table]
    assert all(np.array_equal(release.labels, releases[0].labels) for release in releases)
    assert pl.from_arrow(releases[2].data).equals(releases[0].data)


@pytest.mark.parametrize(
    "index", [[7] * 203, [f"r{i % 5}" for i in range(203)], list(range(202, -1, -1))], ids=["equal", "text", "reversed"]
)
def test_a_pandas_index_survives_whatever_it_is(index):
    frame = people().to_pandas()
    expected = shoal.anonymize(frame, plan()).data
    frame.index = index
    masked = shoal.anonymize(frame, plan()).data
    assert masked.index.tolist() == index
    assert "index" in shoal.anonymize(frame, plan()).manifest["warnings"][0]
    assert masked.reset_index(drop=True).equals(expected)


@pytest.mark.parametrize("columns", [["name"], ["age"], ["ward", "pay"]])
def test_an_index_does_not_carry_a_column_past_its_masking(columns):
    frame = people().to_pandas().set_index(columns, drop=False)
    with pytest.raises(DataError, match=rf"index is named '{columns[-1]}'.*reset_index\(drop=True\)"):
        shoal.anonymize(frame, plan())
    harmless = shoal.anonymize(frame.reset_index(drop=True).set_index("ward", drop=False), plan())
    assert harmless.data.index.tolist() == harmless.data["ward"].tolist()
    assert "warning: the frame's index leaves with it" in repr(harmless)


def changed(**changes):
    base, other = shoal.anonymize(people(), plan()), shoal.anonymize(people(), plan(**changes))
    return base, other


@pytest.mark.parametrize(
    "changes",
    [
        {"k": 9},
        {"scale": "minmax"},
        {"method": "vmdav"},
        {"by": "ward"},
        {"by": "county"},
        {"dominance": 0.1},
        {"attributes": attributes(age={"weight": 9.0})},
        {"attributes": attributes(grade={"weight": 9.0})},
        {"attributes": attributes(county={"weight": 0.01})},
        {"attributes": attributes(admitted={"weight": 9.0})},
        {"attributes": attributes(age={"scale": "minmax"})},
        {"attributes": attributes(grade={"order": ["top", "low", "high", "mid"]})},
    ],
    ids=str,
)
def test_every_option_of_the_partition_changes_the_groups(changes):
    base, other = changed(**changes)
    assert not np.array_equal(base.labels, other.labels)


@pytest.mark.parametrize(
    ("changes", "column"),
    [
        ({"preserve_variance": True}, "age"),
        ({"round": True}, "age"),
        ({"attributes": attributes(age={"round": True})}, "age"),
        ({"attributes": attributes(age={"aggregate": "median"})}, "age"),
        ({"attributes": attributes(admitted={"aggregate": "median"})}, "admitted"),
        ({"attributes": attributes(grade={"aggregate": "mode"})}, "grade"),
        ({"attributes": attributes(grade={"aggregate": "convex_median"})}, "grade"),
        ({"weights": "pay", "dominance": 1.0}, "age"),
    ],
    ids=str,
)
def test_every_option_of_aggregation_changes_the_values_and_not_the_groups(changes, column):
    base, other = changed(**changes)
    assert np.array_equal(base.labels, other.labels)
    assert not base.data[column].equals(other.data[column])


def test_the_gain_of_vmdav_changes_the_groups():
    few, many = (shoal.anonymize(people(), plan(method="vmdav", gain=gain)).labels for gain in (0.0, 1.5))
    assert len(set(few)) != len(set(many))


def test_preserved_variance_and_mean():
    frame = people()
    masked = shoal.anonymize(frame, plan(preserve_variance=True)).data
    assert masked["age"].mean() == pytest.approx(frame["age"].mean(), rel=1e-12)
    assert masked["age"].std() == pytest.approx(frame["age"].std(), rel=1e-12)
    assert smallest_class(masked) >= K


def test_rounding_keeps_the_columns_type_and_precision():
    frame = people().with_columns(age=pl.col("age").cast(pl.Int16), height=(pl.col("pay") / 1e4).round(2))
    both = plan(round=True, attributes={**ATTRIBUTES, "height": AGE})
    masked = shoal.anonymize(frame, both).data
    assert masked["age"].dtype == pl.Int16
    assert masked["height"].equals(masked["height"].round(2))
    assert smallest_class(masked, ("age", "grade", "county", "admitted", "height")) >= K


def test_rounding_can_be_left_out_for_one_column():
    some = plan(round=True, attributes=attributes(age={"round": False}))
    assert shoal.anonymize(people(), some).data["age"].dtype == pl.Float64


def test_weighted_means():
    frame = people()
    release = shoal.anonymize(frame, plan(weights="pay"))
    for group in np.unique(release.labels):
        rows = np.flatnonzero(release.labels == group)
        expected = np.average(frame["age"].to_numpy()[rows], weights=frame["pay"].to_numpy()[rows])
        assert release.data["age"].to_numpy()[rows] == pytest.approx(expected)


@pytest.mark.parametrize("wrong", [0.0, -1.0, None, float("inf"), float("nan")])
def test_wrong_weights_are_refused(wrong):
    frame = people().with_columns(pay=pl.Series([*people()["pay"][:-1], wrong], dtype=pl.Float64))
    with pytest.raises(DataError, match=r"'pay'.*positive and finite.*row 203"):
        shoal.anonymize(frame, plan(weights="pay"))


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (people().with_columns(extra=pl.lit(1)), ["does not declare", "'extra'", "role"]),
        (people().rename({"age": "agee"}), ["does not declare", "'agee'", "did you mean 'age'"]),
        (people().drop("ward"), ["does not have", "'ward'"]),
        (people(3), ["k is 4", "3 records"]),
        (people().head(0), ["no records"]),
        (people().with_columns(age=pl.lit(float("inf"))), ["'age'", "infinite", "row 1"]),
        (people().with_columns(age=pl.lit("ancient")), ["'age'", "text", "numbers"]),
        (people().with_columns(admitted=pl.lit(3)), ["'admitted'", "dates"]),
        (people().with_columns(grade=pl.lit("best")), ["'grade'", "outside its declared order", "row 1"]),
        ({"age": [1]}, ["table"]),
    ],
    ids=lambda case: case[0] if isinstance(case, list) else "",
)
def test_bad_tables_are_refused_by_column_and_rule(frame, words):
    with pytest.raises(DataError) as caught:
        shoal.anonymize(frame, plan())
    for word in words:
        assert word in str(caught.value), f"{word!r} is not in: {caught.value}"
    assert "best" not in str(caught.value)
    assert "ancient" not in str(caught.value)


def test_ordinal_text_without_an_order_is_refused_and_an_ordered_type_is_enough():
    loose = attributes(grade={"order": None})
    with pytest.raises(DataError, match="'grade' is ordinal text"):
        shoal.anonymize(people(), plan(attributes=loose))
    typed = people().with_columns(pl.col("grade").cast(pl.Enum(["low", "mid", "high", "top"])))
    own = shoal.anonymize(typed, plan(attributes=loose))
    assert np.array_equal(own.labels, shoal.anonymize(people(), plan()).labels)
    assert own.data["grade"].dtype == typed["grade"].dtype


@pytest.mark.parametrize("preserve_variance", [False, True])
@pytest.mark.parametrize("scale", ["zscore", "minmax"])
@pytest.mark.parametrize("size", [1e-310, 1e-200, 1.0, 1e200, 1e299])
def test_very_small_and_very_large_numbers_are_compared_like_any_others(size, scale, preserve_variance):
    columns = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in ("x", "y")}
    both = Plan(k=3, attributes=columns, scale=scale, preserve_variance=preserve_variance, order="keep")
    x = np.array([0.0, 1, 2, 40, 41, 42, 90, 91, 93])
    y = np.array([5.0, 1, 2, 10, 11, 12, 90, 30, 93])
    labels = shoal.anonymize(pl.DataFrame({"x": x, "y": y}), both).labels
    sized = shoal.anonymize(pl.DataFrame({"x": x / 100 * size, "y": y}), both)
    assert np.array_equal(sized.labels, labels)
    assert sized.data["x"].is_finite().all()


def test_numbers_too_far_apart_are_refused():
    frame = people().with_columns(age=pl.when(pl.int_range(pl.len()) == 0).then(-1e301).otherwise(1e301))
    with pytest.raises(DataError, match=r"'age' has numbers further apart than 1e\+300"):
        shoal.anonymize(frame, plan())


def test_a_plan_must_be_a_plan():
    with pytest.raises(PlanError, match=r"Plan\.load"):
        shoal.anonymize(people(), {"k": 4})


def test_k_around_the_number_of_records():
    assert set(shoal.anonymize(people(7), plan()).labels) == {0}
    assert len(set(shoal.anonymize(people(8), plan()).labels)) == 2


def test_the_manifest_tells_what_was_done_and_no_record_value():
    frame = people()
    release = shoal.anonymize(frame, plan())
    manifest = release.manifest
    assert Plan(**manifest["plan"]) == plan()
    assert manifest["input"]["rows"] == manifest["output"]["rows"] == len(frame)
    assert manifest["dropped_columns"] == ["name"]
    assert manifest["warnings"] == []
    assert manifest["groups"]["smallest"] >= K
    assert manifest["guarantees"][0]["achieved"] >= K
    text = manifest.to_json()
    assert all(person not in text for person in frame["name"])
    assert all(str(pay) not in text for pay in frame["pay"])


def test_a_release_of_one_group_is_warned_about():
    closeness = {"t": 0.001, "method": "merge"}
    release = shoal.anonymize(people(), plan(closeness=closeness))
    assert set(release.labels) == {0}
    assert "one group" in release.manifest["warnings"][0]
    seven = shoal.anonymize(people(7)[::-1], plan()).manifest["warnings"]
    assert not any("one group" in text for text in seven), "seven records cannot be two groups of four"


def test_progress_is_told_about_every_record():
    calls = []
    shoal.anonymize(people(), plan(by="ward"), progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (203, 203)


def test_a_broken_partitioner_cannot_release():
    from shoal.partitioners import METHODS, Method

    def careless(points, k, *, progress=None):
        return np.arange(len(points)) // 2

    method = Method("careless", careless, "groups of two, whatever k is")
    with METHODS.temporarily(method), pytest.raises(GuaranteeError, match="k_anonymity = 4"):
        shoal.anonymize(people(), plan(method="careless"))


def test_wrong_plans_are_plan_errors():
    with pytest.raises(PlanError, match="method"):
        plan(method="magic")


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        (pl.Series([dt.timedelta(days=i % 3) for i in range(12)]), "nominal", "'ill' holds durations, which cannot be"),
        (pl.Series([[i % 3] for i in range(12)]), "nominal", "'ill' holds values of a type shoal does not know"),
        (pl.Series([b"a"] * 12), "nominal", "'ill' holds values of a type shoal does not know"),
        (pl.Series(["a"] * 12), "numeric", "'ill' holds text, not numbers"),
        (pl.Series([1.0] * 11 + [float("inf")]), "numeric", "'ill' has 1 infinite value, the first in row 12"),
    ],
)
def test_a_confidential_column_that_no_measure_could_read_is_refused_before_the_work(values, kind, words):
    chosen = Plan(
        k=3,
        attributes={
            "age": {"role": "quasi_identifier", "kind": "numeric"},
            "ill": {"role": "confidential", "kind": kind},
        },
    )
    frame = pl.DataFrame({"age": list(range(12)), "ill": values})
    with pytest.raises(DataError, match=words):
        shoal.anonymize(frame, chosen)
    other = Plan(k=3, attributes={"age": chosen.attributes["age"], "ill": {"role": "other"}})
    released = shoal.anonymize(frame, other).data["ill"]
    assert sorted(map(str, released.to_list())) == sorted(map(str, frame["ill"].to_list()))
