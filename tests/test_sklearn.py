"""Microaggregator does what scikit-learn asks of a transformer, and its training data are k-anonymous."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

from people import people
from shoal import DataError, PlanError
from shoal.sklearn import Microaggregator

DIFFERENT = "a record's group of k is not always the nearest one, and no record is kept that would tell"
EXPECTED = {"check_transformer_general": DIFFERENT, "check_transformer_data_not_an_array": DIFFERENT}
QUASI = ["age", "county", "admitted"]


@parametrize_with_checks(
    [Microaggregator(k=3), Microaggregator(k=3, missing="impute")], expected_failed_checks=lambda estimator: EXPECTED
)
def test_what_scikit_learn_asks_of_every_estimator(estimator, check):
    check(estimator)
    assert isinstance(estimator, Microaggregator)


def sizes(frame):
    return pl.DataFrame(np.asarray(frame).astype(str)).group_by(pl.all()).len()["len"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_frame_comes_back_as_the_same_kind_with_k_of_each(kind):
    frame = people().select(QUASI)
    given = {"pandas": frame.to_pandas, "polars": frame.clone, "pyarrow": frame.to_arrow}[kind]()
    maker = Microaggregator(k=4)
    masked = maker.fit_transform(given)
    assert type(masked) is type(given)
    back = pl.from_pandas(masked) if kind == "pandas" else pl.DataFrame(masked)
    assert back.columns == QUASI
    assert back.group_by(QUASI).len()["len"].min() >= 4
    assert maker.guarantees_.holds
    assert maker.get_feature_names_out().tolist() == QUASI
    new = maker.transform(given[:7] if kind != "pyarrow" else given.slice(0, 7))
    shared = pl.DataFrame(new) if kind != "pandas" else pl.from_pandas(new)
    assert shared.join(back, on=QUASI, how="semi").height == 7


def test_arrays_in_arrays_out_and_the_training_data_have_k():
    table = np.random.default_rng(1).normal(size=(101, 3))
    masked = Microaggregator(k=5).fit_transform(table)
    assert isinstance(masked, np.ndarray)
    assert sizes(masked).min() >= 5
    assert Microaggregator(k=5).fit(table).get_feature_names_out().tolist() == ["x0", "x1", "x2"]


@pytest.mark.parametrize(
    "option",
    [
        {"k": 8},
        {"method": "projected"},
        {"scale": "none"},
        {"refine": "quick"},
        {"kinds": {"x0": {"kind": "numeric", "weight": 9.0}}},
        {"options": {"preserve_variance": True}},
        {"missing": "impute"},
        {"seed": 3, "kinds": {"x1": {"kind": "nominal", "aggregate": "draw"}}},
    ],
    ids=lambda option: next(iter(option)),
)
def test_every_option_changes_something(option):
    rng = np.random.default_rng(2)
    table = np.column_stack([rng.normal(size=200) * 10, rng.integers(0, 4, 200)]).astype(float)
    if "missing" in option:
        table[3, 0] = np.nan
        with pytest.raises(ValueError, match="NaN"):
            Microaggregator().fit(table)
        assert np.isfinite(Microaggregator(**option).fit_transform(table)).all()
        return
    before = {**option, **({"seed": 0} if "seed" in option else {})}
    plain = Microaggregator(**before) if "seed" in option else Microaggregator()
    assert not np.array_equal(plain.fit_transform(table), Microaggregator(**option).fit_transform(table))


def test_kinds_and_k_are_checked():
    table = np.arange(20.0).reshape(10, 2)
    with pytest.raises(PlanError, match="kinds names 'age', which is no column of X"):
        Microaggregator(kinds={"age": "numeric"}).fit(table)
    with pytest.raises(ValueError, match="k must be"):
        Microaggregator(k=1).fit(table)
    with pytest.raises(ValueError, match="minimum of 11"):
        Microaggregator(k=11).fit(table)
    assert Microaggregator(k=np.int64(5)).fit(table).labels_.max() == 1


def test_it_is_cloned_and_pickled():
    table = np.random.default_rng(3).normal(size=(60, 2))
    maker = Microaggregator(k=4, refine="quick").fit(table)
    again = pickle.loads(pickle.dumps(maker))
    assert np.array_equal(again.transform(table[:9]), maker.transform(table[:9]))
    assert clone(maker).get_params() == maker.get_params()
    assert not hasattr(clone(maker), "model_")


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output(container):
    maker = Microaggregator(k=4).set_output(transform=container)
    masked = maker.fit_transform(np.random.default_rng(4).normal(size=(50, 2)))
    assert isinstance(masked, pd.DataFrame if container == "pandas" else pl.DataFrame)
    assert list(masked.columns) == ["x0", "x1"]
    frame = people(60).select(QUASI).to_pandas()
    assert list(maker.fit_transform(frame).columns) == QUASI


def test_a_pipeline_with_a_column_transformer_is_cross_validated():
    frame = people(240).to_pandas()
    wanted = (frame["pay"] > frame["pay"].median()).to_numpy()
    masked = make_pipeline(
        Microaggregator(k=4).set_output(transform="pandas"),
        ColumnTransformer([("names", OneHotEncoder(handle_unknown="ignore"), ["county"])], remainder="passthrough"),
    )
    pipeline = make_pipeline(
        ColumnTransformer([("quasi", masked, ["age", "county"])], remainder="drop"), LogisticRegression()
    )
    scores = cross_val_score(pipeline, frame, wanted, cv=3)
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()
    name = "columntransformer__quasi__microaggregator__k"
    found = GridSearchCV(pipeline, {name: [3, 6]}, cv=2).fit(frame, wanted)
    assert found.best_params_[name] in (3, 6)


def test_messages_name_the_columns_of_the_frame():
    frame = pd.DataFrame({"age": [30.0, 31.0, None, 60.0], "score": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(DataError, match="column 'age' has 1 missing value"):
        Microaggregator(k=2).fit(frame)
    fitted = Microaggregator(k=2).fit(frame.fillna(50.0))
    with pytest.raises(DataError, match="column 'score' holds text"):
        fitted.transform(frame.fillna(50.0).astype({"score": str}))
    assert fitted.model_.plan.masked_names() == ("age", "score")
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert fitted.transform(np.array([[30.0, 1.0]])).shape == (1, 2)


def test_columns_without_names_of_text_are_numbered():
    masked = Microaggregator(k=2).fit_transform(pd.DataFrame(np.arange(8.0).reshape(4, 2)))
    assert list(masked.columns) == [0, 1]
    with pytest.raises(DataError, match="column 'x1' has 1 missing value"):
        Microaggregator(k=2).fit(pd.DataFrame({0: [1.0, 2.0, 3.0], 1: [1.0, None, 2.0]}))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"options": {"k": 2}}, "a parameter of its own"),
        ({"options": {"seed": 2}}, "a parameter of its own"),
        ({"options": {"order": "shuffle"}}, "which a transformer decides"),
        ({"options": {"subject": "age"}}, "which a transformer decides"),
        ({"options": {"attributes": {}}}, "which a transformer decides"),
        ({"options": {"suppress": 0.1}}, "as many as came"),
        ({"options": [1]}, "options must be a mapping"),
        ({"kinds": "numeric"}, "kinds must be a mapping"),
        ({"kinds": {"age": 5}}, "kinds of 'age' must be a mapping"),
        ({"kinds": {"age": {"kind": "numeric", "role": "other"}}}, "every column of X is a quasi_identifier"),
        ({"kinds": {"age": {"role": "identifier"}}}, "every column of X is a quasi_identifier"),
    ],
)
def test_nothing_takes_back_that_all_columns_and_records_are_masked(settings, said):
    with pytest.raises(PlanError, match=said):
        Microaggregator(k=3, **settings).fit_transform(people(60).select(QUASI))


@pytest.mark.parametrize(
    "values",
    [
        np.array([71234.5] * 9),
        [71234.5] * 9,
        np.array([["71234.5 a year", 1.0]] * 9, dtype=object),
        [["71234.5 a year", 1]] * 9,
        np.array([[{"71234.5": 1}]] * 9, dtype=object),
        [[71234.5], [71234.5, 2.0]],
        pl.Series([71234.5] * 9),
        np.float64(71234.5),
        np.array([[71234.5 + 1j, 1.0]] * 9),
    ],
    ids=["flat", "flat list", "text", "text in a list", "dict", "ragged", "series", "number", "complex"],
)
@pytest.mark.parametrize("fitted", [True, False])
def test_messages_have_no_values_of_records(values, fitted):
    estimator = Microaggregator(k=3)
    if fitted:
        estimator.fit(np.arange(18.0).reshape(9, 2))
    with pytest.raises(ValueError, match=r".") as refused:
        estimator.transform(values) if fitted else estimator.fit(values)
    assert "71234" not in str(refused.value)


def test_an_array_where_a_frame_with_text_was_fitted_is_refused():
    frame = people(60).select("age", "county").to_pandas()
    estimator = Microaggregator(k=3).fit(frame)
    with pytest.warns(UserWarning, match="feature names"), pytest.raises(DataError) as refused:
        estimator.transform(np.ones((5, 2)))
    assert not any(county in str(refused.value) for county in frame["county"])
