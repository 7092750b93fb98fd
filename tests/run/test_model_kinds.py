"""A model of every kind of attribute goes through JSON, and new records get values that the release has."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal

Q = {"role": "quasi_identifier"}
NUMBER = {**Q, "kind": "numeric"}
CODE = {**Q, "kind": "nominal", "hierarchy": {"prefix": [1, 3]}}
GRADE = {**Q, "kind": "ordinal", "order": ["low", "mid", "high"]}
CASES = {
    "place": ({"lat": {**Q, "kind": "place", "longitude": "lon"}}, {}),
    "cyclic": ({"hour": {**Q, "kind": "cyclic", "period": 24}}, {}),
    "ancestor": ({"icd": {**CODE, "aggregate": "ancestor"}, "born": {**Q, "kind": "date"}}, {}),
    "medoid": ({"icd": {**CODE, "aggregate": "medoid"}, "num": {**NUMBER, "round": True}}, {}),
    "category": ({"grade": GRADE, "county": {**Q, "kind": "nominal"}}, {"missing": "category"}),
    "impute": ({"grade": GRADE, "age": NUMBER, "county": {**Q, "kind": "nominal"}}, {"missing": "impute"}),
    "keep": ({"age": NUMBER, "county": {**Q, "kind": "nominal"}}, {"missing": "keep"}),
    "own order": ({"num": {**Q, "kind": "ordinal"}, "flag": {**Q, "kind": "nominal"}}, {}),
    "clip": (
        {"age": {**NUMBER, "clip": {"low": 10, "high": 80}}, "num": NUMBER},
        {"missing": "impute", "preserve_variance": True},
    ),
}


def table(n, seed):
    rng = np.random.default_rng(seed)

    def with_gaps(values):
        return [None if gap else value for gap, value in zip(rng.random(n) < 0.1, values, strict=True)]

    return pl.DataFrame(
        {
            "lat": rng.uniform(40, 45, n),
            "lon": rng.uniform(0, 5, n),
            "hour": rng.uniform(0, 24, n),
            "icd": rng.choice(["A10", "A11", "B20", "B21", "C30"], n),
            "grade": with_gaps(rng.choice(["low", "mid", "high"], n).tolist()),
            "age": with_gaps(rng.uniform(0, 90, n).round(1).tolist()),
            "county": with_gaps(rng.choice(["Osona", "Bages", "Anoia"], n).tolist()),
            "born": [dt.datetime(1950, 1, 1, 3) + dt.timedelta(days=int(day)) for day in rng.integers(0, 20_000, n)],
            "num": rng.integers(0, 5, n),
            "flag": rng.random(n) < 0.5,
        }
    )


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_new_records_get_values_of_the_release(case, library):
    attributes, more = CASES[case]
    names = [*attributes, *(["lon"] if case == "place" else [])]
    plan = shoal.Plan(k=4, attributes=attributes, **more)
    frames = [table(160, 1).select(names), table(40, 2).select(names)]
    first, new = frames if library == "polars" else [frame.to_pandas() for frame in frames]
    release = shoal.anonymize(first, plan)
    model = shoal.Model.from_dict(json.loads(json.dumps(release.model.to_dict())))
    masked, released = model.apply(new).data, release.data
    if library == "pandas":
        masked, released = pl.from_pandas(masked), pl.from_pandas(released)
    assert masked.schema == released.schema
    assert len(masked.join(released.unique(), on=names, how="semi", nulls_equal=True)) == 40


LIBRARIES = {"polars": lambda frame: frame, "pandas": pl.DataFrame.to_pandas, "pyarrow": pl.DataFrame.to_arrow}
DAYS = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("released", "new"),
    [
        (["Secret Street", "Silent Square"], [1, 2]),
        (["Secret Street", "Silent Square"], [1.5, 2.5]),
        (["Secret Street", "Silent Square"], [True, False]),
        (["Secret Street", "Silent Square"], DAYS),
        ([1.5, 2.5], [1, 2]),  # they would be cut off
        ([1, 2], [True, False]),  # both would be true
    ],
)
def test_categories_that_a_column_cannot_take_are_refused_and_not_named(library, released, new):
    frame = pl.DataFrame({"age": range(40), "street": released * 20})
    other = frame.with_columns(pl.Series("street", new * 20))
    plan = shoal.Plan(k=4, attributes={"age": NUMBER, "street": {**Q, "kind": "nominal"}})
    model = shoal.anonymize(LIBRARIES[library](frame), plan).model
    with pytest.raises(shoal.DataError, match="cannot take the categories that it was released with") as refused:
        model.apply(LIBRARIES[library](other))
    assert not any(str(value) in str(refused.value) for value in released if isinstance(value, str))
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None


@pytest.mark.parametrize("released", LIBRARIES)
@pytest.mark.parametrize("new", LIBRARIES)
def test_categories_go_from_the_frames_of_one_library_to_those_of_another(released, new):
    frame = pl.DataFrame({"age": range(40), "day": DAYS * 20, "code": [7, 8] * 20, "street": ["A", "B"] * 20})
    nominal = {name: {**Q, "kind": "nominal"} for name in ("day", "code", "street")}
    model = shoal.anonymize(LIBRARIES[released](frame), shoal.Plan(k=4, attributes={"age": NUMBER, **nominal})).model
    applied = shoal.frames.Table.of(model.apply(LIBRARIES[new](frame)).data)
    assert {str(label) for label in applied.categories("day").labels} <= {str(day) for day in DAYS}
    assert set(applied.categories("code").labels) <= {7, 8}


@pytest.mark.parametrize("library", LIBRARIES)
def test_one_new_record_takes_one_of_many_categories(library):
    frame = pl.DataFrame({"age": range(40), "street": ["A", "B", "C", "D"] * 10})
    plan = shoal.Plan(k=4, attributes={"age": NUMBER, "street": {**Q, "kind": "nominal"}})
    model = shoal.anonymize(LIBRARIES[library](frame), plan).model
    applied = shoal.frames.Table.of(model.apply(LIBRARIES[library](frame[:1])).data)
    assert len(applied) == 1
    assert set(applied.categories("street").labels) <= {"A", "B", "C", "D"}


def test_categories_that_json_does_not_have_are_refused_by_the_file_of_a_model(tmp_path):
    frame = pd.DataFrame({"age": range(40), "decade": pd.cut(pd.Series(range(40)), [-1, 19, 40])})
    plan = shoal.Plan(k=4, attributes={"age": NUMBER, "decade": {**Q, "kind": "nominal"}})
    model = shoal.anonymize(frame, plan).model
    assert len(model.apply(frame[:3]).data) == 3
    with pytest.raises(shoal.DataError, match="no place for categories of type Interval: convert the column to text"):
        model.save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())
