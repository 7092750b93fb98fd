"""The encoder: what it learns once gives the same coordinates to the same values, wherever they come from."""

from __future__ import annotations

import datetime as dt
import json
import pickle
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from shoal.encode import Encoder
from shoal.errors import DataError
from shoal.frames import Table
from shoal.kinds import Kind, Missing, Operator, Scale
from shoal.kinds.column import Spec
from shoal.kinds.registry import read_column

SPECS = (
    Spec(name="age", kind=Kind.NUMERIC, missing=Missing.IMPUTE),
    Spec(name="pay", kind=Kind.NUMERIC, scale=Scale.MINMAX, weight=2.5),
    Spec(name="raw", kind=Kind.NUMERIC, scale=Scale.NONE),
    Spec(name="born", kind=Kind.DATE, missing=Missing.IMPUTE),
    Spec(name="seen", kind=Kind.DATE, scale=Scale.MINMAX),
    Spec(name="grade", kind=Kind.ORDINAL, order=("low", "mid", "high"), missing=Missing.CATEGORY, weight=3.0),
    Spec(name="rank", kind=Kind.ORDINAL, order=(1, 2, 3, 4), aggregate=Operator.CONVEX_MEDIAN, missing=Missing.IMPUTE),
    Spec(name="town", kind=Kind.NOMINAL, missing=Missing.IMPUTE),
    Spec(name="code", kind=Kind.NOMINAL, missing=Missing.CATEGORY, weight=0.5),
)


def table(n=80, seed=3):
    rng = np.random.default_rng(seed)
    gaps = rng.random((3, n)) < 0.1
    start, born, days = dt.datetime(1990, 3, 1, 12, 30), dt.date(1950, 1, 1), rng.integers(0, 20000, n)
    return pl.DataFrame(
        {
            "age": [None if gap else float(x) for gap, x in zip(gaps[0], rng.normal(50, 9, n), strict=True)],
            "pay": rng.integers(900, 9000, n),
            "raw": rng.normal(size=n) * 1e6,
            "born": [None if gap else born + dt.timedelta(days=int(d)) for gap, d in zip(gaps[1], days, strict=True)],
            "seen": [start + dt.timedelta(seconds=int(s)) for s in rng.integers(0, 10**8, n)],
            "grade": [None if gap else str(rng.choice(["low", "mid", "high"])) for gap in gaps[2]],
            "rank": rng.integers(1, 5, n),
            "town": [None if gap else str(rng.choice(["Vic", "Olot", "Reus", "Salou"])) for gap in gaps[0]],
            "code": rng.choice([7, 12, 40], n),
        }
    )


def columns(frame, specs=SPECS):
    opened = Table.of(frame)
    return [read_column(opened, spec) for spec in specs]


def assert_same(one, other):
    for part in ("coords", "ranks", "rank_steps", "rank_levels", "rank_convex", "codes", "code_weights", "code_levels"):
        assert np.array_equal(getattr(one, part), getattr(other, part)), part


@pytest.fixture(scope="module")
def encoder():
    return Encoder.fit(columns(table()))


def test_a_part_of_the_table_has_the_coordinates_it_has_in_the_whole(encoder):
    whole = encoder.apply(columns(table()))
    rows = np.random.default_rng(1).permutation(80)[:30]
    assert_same(encoder.apply(columns(table()[rows.tolist()])), whole.take(rows))


def test_one_record_has_the_coordinates_it_has_in_the_whole(encoder):
    whole = encoder.apply(columns(table()))
    for row in range(80):
        assert_same(encoder.apply(columns(table()[[row]])), whole.take(np.array([row])))


def test_json_brings_the_same_encoder_back(encoder):
    again = Encoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    assert again == encoder
    assert_same(again.apply(columns(table())), encoder.apply(columns(table())))
    assert pickle.loads(pickle.dumps(encoder)) == encoder


def test_what_is_learnt_does_not_grow_with_the_table(encoder):
    written = json.dumps(encoder.to_dict())
    assert len(written) < len(json.dumps(Encoder.fit(columns(table(800))).to_dict())) * 1.2


def test_nothing_of_a_record_is_shown(encoder):
    shown = repr(encoder) + "".join(map(repr, columns(table())))
    assert "age" in shown
    for value in ("Vic", "1950", *map(str, table()["pay"][:1])):
        assert value not in shown


def test_only_some_columns_in_another_order(encoder):
    names = ("town", "age", "grade")
    chosen = [spec for name in names for spec in SPECS if spec.name == name]
    few = encoder.only(names).apply(columns(table(), chosen))
    assert_same(few, Encoder.fit(columns(table(), chosen)).apply(columns(table(), chosen)))


def test_dates_in_a_finer_unit_stand_where_they_stood(encoder):
    finer = table().with_columns(pl.col("born").cast(pl.Datetime("us")))
    finer = pl.concat([finer, finer[:1].with_columns(born=pl.lit(dt.datetime(1960, 1, 1, 6)))])
    both = encoder.apply(columns(finer))
    assert np.allclose(both.coords[:80], encoder.apply(columns(table())).coords, rtol=0, atol=1e-12)


def test_a_name_that_was_not_there_is_unlike_all_others(encoder):
    new = table()[:3].with_columns(town=pl.Series(["Gràcia", "Sants", "Vic"]))
    points = encoder.apply(columns(new))
    place = points.codes[:, 0]
    known = encoder.apply(columns(table())).codes[:, 0]
    assert len({*place}) == 3
    assert place[2] in known
    assert not set(place[:2]) & set(known)
    assert points.code_levels[0] > max(place)


def test_a_rank_that_was_not_there_is_refused():
    own = Spec(name="grade", kind=Kind.ORDINAL)
    enums = [pl.Enum(["low", "mid"]), pl.Enum(["low", "mid", "high"])]
    old, new = (pl.DataFrame({"grade": pl.Series(["low", "mid"], dtype=enum)}) for enum in enums)
    encoder = Encoder.fit(columns(old, [own]))
    assert_same(encoder.apply(columns(new, [own])), encoder.apply(columns(old, [own])))
    strange = pl.DataFrame({"grade": pl.Series(["high", "mid"], dtype=enums[1])})
    with pytest.raises(DataError, match=r"column 'grade' has 1 value of categories that were not there"):
        encoder.apply(columns(strange, [own]))


def test_other_columns_are_refused(encoder):
    with pytest.raises(DataError, match="the columns to encode must be 'age', 'pay', 'raw'"):
        encoder.apply(columns(table(), SPECS[1:]))
    with pytest.raises(DataError, match="an encoder of version 9 cannot be read"):
        Encoder.from_dict({**encoder.to_dict(), "version": 9})


@pytest.mark.parametrize("scale", list(Scale))
def test_a_scale_for_all_takes_the_place_of_the_columns_own(scale):
    chosen = SPECS[:2]
    forced = Encoder.fit(columns(table(), chosen), scale=scale).apply(columns(table(), chosen))
    own = [replace(spec, scale=scale) for spec in chosen]
    assert_same(forced, Encoder.fit(columns(table(), own)).apply(columns(table(), own)))


def test_empty_and_constant_columns():
    nothing = pl.DataFrame({"age": pl.Series([None, None], dtype=pl.Float64), "town": ["Vic", "Vic"]})
    chosen = [SPECS[0], SPECS[7]]
    points = Encoder.fit(columns(nothing, chosen)).apply(columns(nothing, chosen))
    assert points.coords.tolist() == [[0.0], [0.0]]
    assert points.codes.tolist() == [[0], [0]]
