"""Measures of frames: any library, any order of rows, any tool that made the release."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError, PlanError
from shoal.frames import Table
from shoal.measures import Pair, compute, measure
from shoal.measures.tables import pair_tables

PLAN = shoal.Plan(
    k=4,
    missing="impute",
    attributes={
        "name": {"role": "identifier"},
        "age": {"role": "quasi_identifier", "kind": "numeric", "weight": 9.0},
        "grade": {"role": "quasi_identifier", "kind": "ordinal", "order": ["low", "mid", "high"]},
        "county": {"role": "quasi_identifier", "kind": "nominal"},
        "seen": {"role": "quasi_identifier", "kind": "date"},
        "pay": {"role": "confidential", "kind": "numeric"},
        "illness": {"role": "confidential", "kind": "nominal"},
        "stage": {"role": "confidential", "kind": "ordinal", "order": [1, 2, 3]},
        "admitted": {"role": "confidential", "kind": "date"},
    },
)


def people(n=80, seed=0):
    rng = np.random.default_rng(seed)
    day = dt.date(2024, 1, 1)
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in np.random.default_rng(seed).permutation(n)],
            "age": rng.integers(18, 90, n),
            "grade": rng.choice(["low", "mid", "high"], n),
            "county": rng.choice(["Osona", "Bages", "Anoia"], n),
            "seen": [day + dt.timedelta(int(days)) for days in rng.integers(0, 300, n)],
            "pay": rng.normal(3000, 500, n).round(),
            "illness": rng.choice(["flu", "cold", "cough"], n),
            "stage": rng.integers(1, 4, n),
            "admitted": [day + dt.timedelta(int(days)) for days in rng.integers(0, 20, n)],
        }
    )


@pytest.fixture(scope="module")
def original():
    return people()


@pytest.fixture(scope="module")
def released(original):
    return shoal.anonymize(original, PLAN).data


def values(scores):
    return {key: score.value for key, score in scores.items()}


def as_arrays(frame):
    day = frame["seen"].to_numpy().astype("datetime64[D]")
    return {"age": frame["age"], "grade": frame["grade"], "county": frame["county"], "seen": day}


def test_frames_and_arrays_give_the_same_scores(original, released):
    secrets = {name: released[name].to_numpy() for name in ("pay", "illness", "stage")}
    secrets["admitted"] = released["admitted"].to_numpy().astype("datetime64[D]")
    pair = Pair.of(
        {name: np.asarray(column) for name, column in as_arrays(original).items()},
        {name: np.asarray(column) for name, column in as_arrays(released).items()},
        confidential=secrets,
        kinds={
            "grade": ["low", "mid", "high"],
            "county": "nominal",
            "seen": "date",
            "illness": "nominal",
            "stage": [1, 2, 3],
            "admitted": "date",
        },
    )
    assert values(measure(original, released, PLAN)) == pytest.approx(values(compute(pair)))


def test_the_weights_of_a_plan_do_not_bend_the_yardstick(original, released):
    attributes = {**PLAN.to_dict()["attributes"], "age": {"role": "quasi_identifier", "kind": "numeric"}}
    plain = PLAN.replace(attributes=attributes)
    assert values(measure(original, released, PLAN)) == values(measure(original, released, plain))


@pytest.mark.parametrize("left", ["polars", "pandas", "arrow"])
@pytest.mark.parametrize("right", ["polars", "pandas", "arrow"])
def test_any_frame_library_on_either_side(original, released, left, right):
    convert = {"polars": lambda f: f, "pandas": lambda f: f.to_pandas(), "arrow": lambda f: f.to_arrow()}
    expected = values(measure(original, released, PLAN))
    found = measure(convert[left](original), convert[right](released), PLAN)
    assert values(found) == pytest.approx(expected)


def test_records_are_matched_by_a_key(original, released):
    with_key = released.with_columns(original["name"])
    shuffled = with_key.sample(fraction=1.0, shuffle=True, seed=3)
    expected = values(measure(original, with_key, PLAN))
    assert values(measure(original, shuffled, PLAN, key_column="name")) == pytest.approx(expected)
    with pytest.raises(DataError, match="not those of the original in its order"):
        measure(original, shuffled, PLAN, keys=["sse"])


def test_only_the_measures_asked_for_and_their_options(original, released):
    scores = measure(original, released, PLAN, keys=["dld", "k_min"], subsets=2, sample=3, seed=5)
    assert list(scores) == ["dld", "k_min"]
    assert len(scores["dld"].parts) == 3
    again = measure(original, released, PLAN, keys=["dld"], subsets=2, sample=3, seed=6)
    assert again["dld"].parts.keys() != scores["dld"].parts.keys()
    heard = []
    measure(original, released, PLAN, keys=["dld"], progress=lambda done, total: heard.append(done))
    assert heard


def test_a_release_by_another_tool_may_have_other_types_and_more_columns(original, released):
    other = released.with_columns(
        pl.col("county").cast(pl.Categorical),
        pl.col("seen").cast(pl.Datetime("ms")),
        pl.col("stage").cast(pl.Float64),
        extra=pl.lit("x"),
    ).select("extra", *reversed(released.columns))
    assert values(measure(original, other, PLAN)) == pytest.approx(values(measure(original, released, PLAN)))


def test_suppressed_and_missing_cells(original, released):
    holes = released.with_columns(
        [pl.when(pl.int_range(pl.len()) % 5 == 0).then(None).otherwise(pl.col(c)).alias(c) for c in released.columns]
    )
    scores = measure(original, holes, PLAN)
    assert scores["il_percent"].value > measure(original, released, PLAN)["il_percent"].value
    assert set(scores) == set(measure(original, released, PLAN))
    before = measure(original.with_columns(pl.lit(None).cast(pl.Date).alias("seen")), holes, PLAN, keys=["mse"])
    assert np.isfinite(before["mse"].value)
    gaps = original.with_columns(
        pl.when(pl.col("age") > 60).then(None).otherwise(pl.col("grade")).alias("grade"),
        pl.when(pl.col("age") > 60).then(None).otherwise(pl.col("county")).alias("county"),
    )
    ordinal = pair_tables(Table.of(gaps), Table.of(released), PLAN).columns[1]
    assert ordinal.levels == 4
    assert measure(gaps, gaps, PLAN, keys=["sse"])["sse"].value == 0


def test_an_ordinal_column_of_numbers_has_its_own_order():
    plan = shoal.Plan(k=2, attributes={"floor": {"role": "quasi_identifier", "kind": "ordinal"}})
    before = pl.DataFrame({"floor": [1, 2, 4, 5]})
    scores = measure(before, pl.DataFrame({"floor": [2.0, 2.0, 4.0, 4.0]}), plan, keys=["mse"])
    assert scores["mse"].value == pytest.approx(2 * 0.25**2 / 4)
    with pytest.raises(
        DataError, match="has 1 value of categories that were not there when its order was learnt, the first in row 3"
    ):
        measure(before, pl.DataFrame({"floor": [2, 2, 3, 4]}), plan)


def test_a_release_as_text_has_the_order_of_the_original_s_type():
    plan = shoal.Plan(k=2, attributes={"grade": {"role": "quasi_identifier", "kind": "ordinal"}})
    before = pl.DataFrame({"grade": pl.Series(["low", "mid", "high"], dtype=pl.Enum(["low", "mid", "high"]))})
    after = pl.DataFrame({"grade": ["mid", "mid", None]})
    scores = measure(before, after, plan, keys=["mse"])
    assert scores["mse"].value == pytest.approx((0.25**2 + 0 + 0.75**2) / 3)
    with pytest.raises(DataError, match="of the released table, column 'grade' has 1 value of categories"):
        measure(before, pl.DataFrame({"grade": ["mid", "mid", "odd"]}), plan)


def test_a_number_is_not_the_truth_value_that_equals_it():
    plan = shoal.Plan(k=2, attributes={"smoker": {"role": "quasi_identifier", "kind": "nominal"}})
    before = pl.DataFrame({"smoker": [True, False]})
    for after, expected in ([True, False], 0.0), ([1, 0], 2.0), ([1, 2], 2.0), (["True", "False"], 0.0):
        assert measure(before, pl.DataFrame({"smoker": after}), plan, keys=["sse"])["sse"].value == expected


@pytest.mark.parametrize(("kind", "dtype"), [("date", pl.Datetime("ns")), ("numeric", pl.Int64)])
def test_cells_that_are_one_double_are_told_apart(kind, dtype):
    plan = shoal.Plan(k=2, attributes={"seen": {"role": "quasi_identifier", "kind": kind}})
    before, after = (
        pl.DataFrame({"seen": pl.Series(ticks, dtype=pl.Int64).cast(dtype)})
        for ticks in ([0, 10**18, 10**18, 10**18], [10**18, 10**18, 10**18 + 1, 10**18 + 1])
    )
    assert measure(before, after, plan, keys=["k_min"])["k_min"].value == 2


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda f: f.head(79), {}, "has 80 records and the released one 79: .*name a key column"),
        (lambda f: f.drop("county"), {}, "the released table does not have 'county', which the plan declares"),
        (lambda f: f.rename({"pay": "pays"}), {}, "does not have 'pay'.*did you mean 'pays'"),
        (lambda f: f, {"key_column": "name"}, "the released table has no column 'name' to match"),
        (lambda f: f, {"key_column": "stage"}, "3 different values in 80 records"),
        (lambda f: f.with_columns(age=pl.lit("old")), {}, "column 'age' holds text, not numbers"),
        (
            lambda f: f.with_columns(age=pl.lit(np.inf)),
            {},
            "of the released table, column 'age' has 80 infinite values",
        ),
        (lambda f: f.with_columns(grade=pl.lit("top")), {}, "'grade' has 80 values outside its declared order"),
        (lambda f: f.with_columns(seen=pl.lit(3)), {}, "column 'seen' holds .*, not dates"),
    ],
)
def test_tables_that_do_not_match_are_refused(original, released, change, options, message):
    with pytest.raises(DataError, match=message):
        measure(original, change(released), PLAN, **options)


def test_keys_that_do_not_match_are_refused(original, released):
    with_key = released.with_columns(original["name"])
    strangers = with_key.with_columns(name=pl.col("name").str.replace("p1$", "q1"))
    with pytest.raises(DataError, match="1 of the original are not in the released table, and 1 of the released"):
        measure(original, strangers, PLAN, key_column="name")
    empty = with_key.with_columns(name=pl.lit(None).cast(pl.String))
    with pytest.raises(DataError, match="missing values: it cannot name records"):
        measure(original, empty, PLAN, key_column="name")
    with pytest.raises(DataError, match="no records"):
        measure(original.head(0), released.head(0), PLAN)


def test_a_plan_is_a_plan(original, released):
    with pytest.raises(PlanError, match=r"must be a shoal\.Plan, not a dict"):
        measure(original, released, {})


def test_large_integers_as_keys_and_pandas_indexes_are_harmless():
    n = 6
    plan = shoal.Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}, "id": {"role": "other"}})
    before = pd.DataFrame({"age": range(n), "id": np.arange(n) + 2**60}, index=[3] * n)
    after = pa.table({"id": np.arange(n)[::-1] + 2**60, "age": [4.5, 4.5, 2.5, 2.5, 0.5, 0.5]})
    assert measure(before, after, plan, keys=["sse"], key_column="id")["sse"].value == pytest.approx(6 * 0.25 / 3.5)


@pytest.mark.parametrize("room", ["measures", "plan"])
def test_measures_of_arrays_and_plans_load_no_frame_library(room):
    heavy = "{'pandas', 'polars', 'pyarrow', 'typer', 'rich', 'altair'}"
    code = f"import sys, shoal.{room}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
