"""shoal.utility: what is kept, what is lost, and what it refuses."""

import importlib.util
import json

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.analysis.design import Formula
from shoal.analysis.findings import LIMITS, verdict_of
from shoal.errors import DataError, PlanError

ATTRIBUTES = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "town": {"role": "quasi_identifier", "kind": "nominal"},
    "grade": {"role": "quasi_identifier", "kind": "ordinal", "order": ["low", "mid", "high"]},
    "seen": {"role": "quasi_identifier", "kind": "date"},
    "hour": {"role": "quasi_identifier", "kind": "cyclic", "period": 24},
    "pay": {"role": "confidential", "kind": "numeric"},
    "ill": {"role": "confidential", "kind": "nominal"},
    "note": {"role": "other"},
}


def people(n=300, seed=4, first=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    grade = np.clip(age // 30 + rng.integers(-1, 2, n), 0, 2)
    return pl.DataFrame(
        {
            "name": [f"person {first + i}" for i in range(n)],
            "age": age,
            "town": rng.choice(["Vic", "Reus", "Olot"], n),
            "grade": np.array(["low", "mid", "high"])[grade],
            "seen": np.datetime64("2024-01-01") + rng.integers(0, 300, n),
            "hour": rng.uniform(0, 24, n).round(2),
            "pay": 100.0 * age + rng.normal(0, 300, n).round(),
            "ill": np.where(rng.random(n) < age / 120, "yes", "no"),
            "note": rng.choice(["a", "b"], n),
        }
    )


@pytest.fixture(scope="module")
def plan():
    return shoal.Plan(k=4, attributes=ATTRIBUTES)


@pytest.fixture(scope="module")
def frame():
    return people()


@pytest.fixture(scope="module")
def release(frame, plan):
    return shoal.anonymize(frame, plan)


def of(frame, released, plan, **options):
    return shoal.utility(frame, released, plan, **{"targets": (), **options})


def test_a_copy_keeps_everything(frame, plan):
    found = of(frame, frame.drop("name"), plan)
    assert not any(column.changed for column in found.columns)
    assert [column.distance for column in found.columns] == pytest.approx([0] * 8, abs=1e-12)
    assert all(pair.change == 0 and pair.table_distance == 0 for pair in found.pairs)
    assert found.propensity.pmse == pytest.approx(0, abs=1e-12)
    assert {finding.verdict for finding in found.findings} == {"kept"}


def test_every_column_and_every_pair_is_compared(frame, plan, release):
    found = of(frame, release.data, plan, rows=release.rows)
    names = [name for name in ATTRIBUTES if name != "name"]
    assert [column.column for column in found.columns] == names
    assert len(found.pairs) == len(names) * (len(names) - 1) // 2
    assert {pair.association for pair in found.pairs} == {"correlation", "cramers_v", "correlation_ratio"}
    age = found.columns[0]
    means = {each.name: each for each in age.statistics}
    assert means["mean"].before == pytest.approx(frame["age"].mean())
    assert means["mean"].after == pytest.approx(release.data["age"].mean())
    assert means["total"].before == frame["age"].sum()
    assert means["quantile 0.5"].before == frame["age"].sort()[149]
    assert "total" not in {each.name for each in found.columns[3].statistics}, "dates do not add up"


def test_the_order_of_rows_does_not_matter_where_it_is_told(frame, plan, release):
    straight = release.in_original_order()
    first = of(frame, release.data, plan, rows=release.rows)
    second = of(frame, straight.data, plan)
    assert [column.distance for column in first.columns] == pytest.approx([c.distance for c in second.columns])


def test_weights_count_records(frame):
    weighted = shoal.Plan(
        k=4, weights="w", dominance=1.0, attributes={**ATTRIBUTES, "w": {"role": "other", "kind": "numeric"}}
    )
    weights = pl.Series("w", np.arange(300) % 3 + 1.0)
    table = frame.with_columns(weights)
    shifted = table.with_columns(pl.col("age") + pl.when(pl.col("w") == 3).then(10).otherwise(0)).drop("name")
    found = of(table, shifted, weighted, models=["pay ~ age"])
    repeated = frame.select(pl.all().repeat_by(weights.cast(pl.Int64)).explode())
    moved = shifted.drop("w").select(pl.all().repeat_by(weights.cast(pl.Int64)).explode())
    plain = of(repeated, moved, shoal.Plan(k=4, subject="record", attributes=ATTRIBUTES), models=["pay ~ age"])
    assert found.weighted
    assert not plain.weighted
    assert "w" not in [column.column for column in found.columns]
    for one, other in zip(found.columns, plain.columns, strict=True):
        assert one.distance == pytest.approx(other.distance, abs=1e-12)
    for one, other in zip(found.pairs, plain.pairs, strict=True):
        assert one.after == pytest.approx(other.after, abs=1e-9)
    slope, repeated_slope = found.models[0].coefficients[1], plain.models[0].coefficients[1]
    assert slope.after.value == pytest.approx(repeated_slope.after.value)
    assert slope.after.high - slope.after.low > repeated_slope.after.high - repeated_slope.after.low


def test_models_are_fitted_to_both_tables(frame, plan, release):
    found = of(
        frame, release.data, plan, rows=release.rows, models=["pay ~ age + grade", "ill ~ age", "pay ~ town:age"]
    )
    linear, logistic, product = found.models
    assert [model.family for model in found.models] == ["linear", "logistic", "linear"]
    assert [each.term for each in linear.coefficients] == ["intercept", "age", "grade=mid", "grade=high"]
    slope = linear.coefficients[1]
    assert slope.before.low < 100 < slope.before.high
    assert 0.5 < slope.overlap <= 1
    assert slope.same_conclusion
    assert logistic.coefficients[1].before.value == pytest.approx(0.035, abs=0.02)
    assert {each.term for each in product.coefficients} == {"intercept", "town=Reus:age", "town=Vic:age"}
    assert "models" in [finding.key for finding in found.findings]


def test_a_category_that_is_gone_cannot_be_estimated(frame, plan):
    gone = frame.with_columns(grade=pl.lit("low")).drop("name")
    model = of(frame, gone, plan, models=["pay ~ age + grade"]).models[0]
    assert [each.after is None for each in model.coefficients] == [False, False, True, True]
    assert [each.overlap for each in model.coefficients][2:] == [0, 0]
    assert model.note == "2 of 4 coefficients cannot be estimated from the release any more."


def test_noise_is_seen_by_every_finding(frame, plan):
    rng = np.random.default_rng(1)
    mixed = frame.with_columns(age=frame["age"].to_numpy() + rng.normal(0, 60, len(frame))).drop("name")
    found = of(frame, mixed, plan, models=["pay ~ age"])
    words = {finding.key: finding.verdict for finding in found.findings}
    assert words["models"] == "lost"
    assert words["propensity"] != "kept"
    assert found.columns[0].distance > 0.1
    worst = max(found.pairs, key=lambda pair: abs(pair.change))
    assert set(worst.columns) in ({"age", "pay"}, {"age", "grade"})


def test_models_that_learn_from_the_release_are_tested_on_records_they_have_not_seen(frame, plan, release):
    pytest.importorskip("sklearn")
    held = people(150, seed=9, first=1000)
    (pay,) = shoal.utility(frame, release.data, plan, rows=release.rows, holdout=held, targets=["pay"]).predictions
    assert (pay.score, pay.tested_on, pay.records) == ("r2", "holdout", 150)
    assert pay.baseline < 0.1 < 0.7 < pay.released
    assert pay.retained == pytest.approx((pay.released - pay.baseline) / (pay.original - pay.baseline))
    shuffled = frame.with_columns(age=pl.col("age").shuffle(seed=1), grade=pl.col("grade").shuffle(seed=2)).drop("name")
    (lost,) = shoal.utility(frame, shuffled, plan, targets=["ill"]).predictions
    assert (lost.tested_on, lost.records) == ("folds", 300)
    assert lost.released < lost.original
    assert lost.baseline == pytest.approx(0.5)


def test_the_external_form_has_words_and_no_numbers_of_the_original(frame, plan, release):
    found = of(frame, release.data, plan, rows=release.rows, models=["pay ~ age + town"])
    inside, outside = found.to_dict(), found.to_dict(external=True)
    json.dumps(inside, allow_nan=False)
    assert inside["models"][0]["overlap"] == found.models[0].overlap
    assert set(outside) == {"records", "weighted", "columns", "findings"}
    assert all(set(line) == {"key", "title", "verdict"} for line in outside["findings"])
    assert not any(town in json.dumps(outside) for town in ("Vic", "Reus", "Olot"))


@pytest.mark.parametrize("key", LIMITS)
def test_a_verdict_gets_worse_towards_the_worse(key):
    kept, shifted = LIMITS[key]
    beyond = shifted + 2 * (shifted - kept)
    assert [verdict_of(key, value) for value in (kept, shifted, beyond)] == ["kept", "shifted", "lost"]


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("pay ~ agee", "names 'agee', which is not a column of both tables; did you mean 'age'?"),
        ("pay ~ name", "names 'name', which the plan calls an identifier"),
        ("pay ~ ill", "names no column that was masked"),
        ("town ~ age", "explains 'town', which has 3 categories"),
        ("pay age", 'a model is written "response ~ column'),
        ("pay ~ age + pay", "explains 'pay' by itself"),
        ("pay ~ age +", "has an empty term"),
        ("pay ~ age + age", "names a term twice"),
        ("pay + ill ~ age", "has several responses"),
    ],
)
def test_a_model_that_cannot_be_is_refused(frame, plan, release, formula, message):
    with pytest.raises(PlanError, match="model") as refused:
        of(frame, release.data, plan, rows=release.rows, models=[formula])
    assert message in str(refused.value)


def test_names_with_signs_are_quoted():
    formula = Formula.parse("`pay + bonus` ~ `a:b`:c + d")
    assert (formula.response, formula.terms) == ("pay + bonus", (("a:b", "c"), ("d",)))


@pytest.mark.parametrize(
    ("holdout", "message"),
    [
        (people(50, first=250), "the holdout overlaps the original: both have 50 values of 'name'"),
        (people().drop("name"), "the holdout overlaps the original: 300 of its 300 records are equal to one"),
        (people(50, seed=8).drop("name", "pay"), "the holdout does not have 'pay'"),
        (people(50, seed=8).drop("name")[:0], "the holdout has no records"),
    ],
)
def test_a_holdout_that_is_none_is_refused(frame, plan, release, holdout, message):
    with pytest.raises(DataError) as refused:
        shoal.utility(frame, release.data, plan, rows=release.rows, holdout=holdout)
    assert message in str(refused.value)
    assert "person" not in str(refused.value)


def test_targets_that_are_not_there_and_holdouts_without_one_are_refused(frame, plan, release, monkeypatch):
    with pytest.raises(PlanError, match="the target 'salary' is not a column of both tables"):
        of(frame, release.data, plan, rows=release.rows, targets=["salary"])
    with pytest.raises(PlanError, match="targets name nothing to predict"):
        of(frame, release.data, plan, rows=release.rows, holdout=people(50, seed=8, first=900))
    for absent, called in (("sklearn", "scikit-learn"), ("scipy", "scipy")):
        monkeypatch.setattr(importlib.util, "find_spec", lambda name, absent=absent: None if name == absent else name)
        with pytest.raises(PlanError, match=rf'^comparing analyses needs {called}, .*pip install "shoal\[learn\]"$'):
            of(frame, release.data, plan, rows=release.rows)


def test_what_was_dropped_counts_as_changed(frame, plan):
    found = of(frame, frame.drop("name")[:250], plan, rows=np.arange(250))
    assert (found.records, found.released_records) == (300, 250)
    assert all(column.changed for column in found.columns)


def test_gaps_stars_and_new_categories_are_no_mistake(frame, plan):
    holed = frame.drop("name").with_columns(
        age=pl.when(pl.int_range(pl.len()) % 9 == 0).then(None).otherwise(pl.col("age")),
        town=pl.when(pl.int_range(pl.len()) % 7 == 0).then(pl.lit("*")).otherwise(pl.col("town")),
    )
    found = of(frame, holed, plan, models=["pay ~ age + town"])
    assert found.models[0].records == (300, 300 - len(set(range(0, 300, 9)) | set(range(0, 300, 7))))
    assert found.columns[1].distance == pytest.approx(43 / 300)


def test_progress_is_told(frame, plan, release):
    told = []
    of(frame, release.data, plan, rows=release.rows, models=["pay ~ age"], progress=lambda *done: told.append(done))
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]


def test_a_column_without_a_value_tells_nothing(frame, plan):
    pytest.importorskip("sklearn")
    empty = frame.with_columns(note=pl.lit(None, dtype=pl.Float64))
    made = shoal.anonymize(empty, plan)
    found = shoal.utility(empty, made.data, plan, rows=made.rows, targets=["pay"])
    assert found.predictions[0].original > 0.5
    lost = made.data.with_columns(age=pl.lit(None, dtype=pl.Float64))
    worse = shoal.utility(empty, lost, plan, rows=made.rows, targets=["pay"])
    assert worse.predictions[0].released < found.predictions[0].released


def test_weights_are_not_compared(frame):
    weighed = shoal.Plan(k=4, attributes=ATTRIBUTES, weights="pay")
    made = shoal.anonymize(frame, weighed)
    with pytest.raises(PlanError, match="names 'pay', which weighs records"):
        shoal.utility(frame, made.data, weighed, rows=made.rows, models=["pay ~ age"], targets=())


def test_a_column_without_a_value_is_not_predicted():
    frame = people(40).with_columns(pay=pl.lit(None, pl.Float64))
    plan = shoal.Plan(k=4, missing="keep", attributes=ATTRIBUTES)
    found = shoal.utility(frame, frame.drop("name"), plan)
    assert "pay" not in {each.target for each in found.predictions}
    json.dumps(found.to_dict(), allow_nan=False)


def test_numbers_too_near_to_each_other_for_a_variance_are_not_predicted():
    frame = people(40).with_columns(pay=pl.Series([5e-324 * (i % 3) for i in range(40)]))
    found = shoal.utility(frame, frame.drop("name"), shoal.Plan(k=4, attributes=ATTRIBUTES))
    assert "pay" not in {each.target for each in found.predictions}
