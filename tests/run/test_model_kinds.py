"""A model of every kind of attribute goes through JSON, and new records get values that the release has."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
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
