"""What each recoding does with the columns of a table, whatever library it is of."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from reference import recode as slow
from shoal.errors import DataError
from shoal.frames import Table
from shoal.recode import RECODINGS, Clip, Rare, recode_table

MAKERS = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.table}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def values_of(table, name):
    return [None if value != value else value for value in table.frame[name].to_list()]


def recoded(frame, **asked):
    return recode_table(Table.of(frame), asked)


ADVERSARIAL = {
    "ties": [3.0, 3.0, 3.0, 7.0, 7.0, 9.0, 9.0, 9.0, 9.0, 12.5],
    "duplicates of two": [1.0, 5.0] * 6,
    "far offset": [1e9 + x for x in (0.0, 2.5, 5.0, 7.5, 12.0)],
    "with gaps": [1.0, None, 4.0, 8.0, None, 2.5, 100.0],
    "negative": [-7.5, -2.5, 2.5, 7.5, 0.0, -0.0],
    "two": [1.0, 2.0],
}


@pytest.mark.parametrize("case", ADVERSARIAL)
@pytest.mark.parametrize(
    "bounds",
    [
        {"low": 2.0},
        {"high": 8.0},
        {"low_quantile": 0.25},
        {"high_quantile": 0.6},
        {"low_quantile": 0.1, "high_quantile": 0.9},
        {"low": -1.0, "high_quantile": 0.5},
    ],
    ids=str,
)
def test_clip_is_what_its_definition_says(case, bounds):
    values = ADVERSARIAL[case]
    expected = slow.clipped(values, **bounds)
    made = recode_table(Table.of(pl.DataFrame({"x": values})), {"x": {"clip": Clip(**bounds)}}, part=True)
    assert values_of(made.table, "x") == expected
    assert made.steps[0].cells == sum(a != b for a, b in zip(values, expected, strict=True))
    assert made.steps[0].of == sum(value is not None for value in values)


@pytest.mark.parametrize("case", ADVERSARIAL)
@pytest.mark.parametrize("base", [5.0, 2.0, 0.5, 3.0])
def test_rounding_is_what_its_definition_says(case, base):
    values = ADVERSARIAL[case]
    made = recode_table(Table.of(pl.DataFrame({"x": values})), {"x": {"round_to": base}}, part=True)
    assert values_of(made.table, "x") == slow.rounded(values, base)


@pytest.mark.parametrize("seed", range(5))
def test_merging_counts_subjects_as_its_definition_says(seed):
    rng = np.random.default_rng(seed)
    towns = [None if town == "-" else town for town in rng.choice(["a", "b", "c", "d", "e", "-", "other"], 60).tolist()]
    whose = rng.integers(0, 12, 60).astype(np.int32)
    frame = Table.of(pl.DataFrame({"town": towns}))
    for subjects in (None, whose):
        for below in (2, 6, 8, 9):
            made = recode_table(frame, {"town": {"rare": Rare(below=below)}}, subjects=subjects, part=True)
            assert values_of(made.table, "town") == slow.merged(towns, below, subjects=subjects)


def test_every_library_gets_its_own_types_back(make):
    frame = make({"age": [31, 47, 99, 104], "pay": [1.25, 2.5, 3.0, 9.0], "town": ["a", "a", "b", "c"]})
    made = recoded(frame, age={"clip": Clip(high=90)}, pay={"round_to": 0.5}, town={"rare": Rare(below=2, into="rest")})
    assert type(made.table.data) is type(frame)
    assert values_of(made.table, "age") == [31, 47, 90, 90]
    assert made.table.dtype("age") == "integer"
    assert values_of(made.table, "pay") == [1.0, 2.5, 3.0, 9.0]
    assert values_of(made.table, "town") == ["a", "a", "rest", "rest"]


def test_a_bound_between_integers_makes_a_column_of_numbers(make):
    made = recoded(make({"age": [31, 47, 99]}), age={"clip": Clip(high=90.5)})
    assert values_of(made.table, "age") == [31.0, 47.0, 90.5]


def test_codes_that_are_numbers_become_text_where_some_are_merged(make):
    made = recoded(make({"code": [7, 7, 8, 9]}), code={"rare": Rare(below=2)})
    assert values_of(made.table, "code") == ["7", "7", "other", "other"]


def test_merged_codes_keep_their_gaps():
    made = recoded(pl.DataFrame({"code": [7, 7, None, 9]}), code={"rare": Rare(below=2)})
    assert values_of(made.table, "code") == ["7", "7", None, "other"]


def test_categories_of_a_type_keep_to_a_type():
    for dtype in (pl.Enum(["b", "a", "c"]), pl.Categorical):
        made = recoded(pl.DataFrame({"x": pl.Series(["a", "b", "b", "c"], dtype=dtype)}), x={"rare": Rare(below=2)})
        assert values_of(made.table, "x") == ["other", "b", "b", "other"]
        assert made.table.dtype("x") == "categorical"
    frame = pd.DataFrame({"x": pd.Categorical(["a", "b", "b", "c"])})
    assert values_of(recoded(frame, x={"rare": Rare(below=2)}).table, "x") == ["other", "b", "b", "other"]


def test_dates_are_cut_off_in_their_own_type(make):
    days = [dt.date(1931, 4, 5), dt.date(1950, 1, 1), dt.date(2001, 9, 9)]
    made = recoded(make({"born": days}), born={"clip": Clip(low=dt.datetime(1940, 1, 1))})
    found = [str(value)[:10] for value in values_of(made.table, "born")]
    assert found == ["1940-01-01", "1950-01-01", "2001-09-09"]


def test_a_bound_between_two_days_moves_inward():
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.date(2020, 1, 5), dt.date(2020, 1, 9)]
    clip = Clip(low=dt.datetime(2020, 1, 1, 12), high=dt.datetime(2020, 1, 5, 12))
    made = recoded(pl.DataFrame({"day": days}), day={"clip": clip})
    assert values_of(made.table, "day") == [days[1], days[1], days[2], days[2]]


def test_a_date_becomes_days_since_another(make):
    frame = make(
        {
            "visit": [dt.date(2020, 3, 1), dt.date(2020, 1, 1), dt.date(2019, 12, 31)],
            "born": [dt.date(2020, 2, 1), dt.date(2020, 1, 1), dt.date(2020, 1, 1)],
        }
    )
    made = recoded(frame, visit={"relative_to": "born"})
    assert values_of(made.table, "visit") == [29, 0, -1]
    assert made.table.dtype("visit") == "integer"
    assert made.before is made.table


def test_times_give_fractions_of_days_and_gaps_stay():
    frame = pl.DataFrame(
        {
            "seen": [dt.datetime(2020, 1, 2, 12), dt.datetime(2020, 1, 3), None],
            "came": [dt.date(2020, 1, 1), None, dt.date(2020, 1, 1)],
        }
    )
    made = recoded(frame, seen={"relative_to": "came"})
    assert values_of(made.table, "seen") == [1.5, None, None]
    assert made.steps[0].cells == 1


def test_the_distance_is_between_dates_as_they_came():
    frame = pl.DataFrame(
        {"a": [dt.date(2020, 1, 10), dt.date(2020, 1, 20)], "b": [dt.date(2020, 1, 1), dt.date(2020, 1, 5)]}
    )
    made = recoded(frame, a={"relative_to": "b"}, b={"relative_to": "a"})
    assert values_of(made.table, "a") == [9, 15]
    assert values_of(made.table, "b") == [-9, -15]


def test_rounding_comes_before_the_cut_and_distances_before_both():
    frame = pl.DataFrame({"d": [dt.date(2020, 1, 13), dt.date(2020, 3, 1)], "o": [dt.date(2020, 1, 1)] * 2})
    made = recoded(frame, d={"clip": Clip(high=42.0), "round_to": 5.0, "relative_to": "o"})
    assert [step.key for step in made.steps] == ["relative_to", "round_to", "clip"]
    assert values_of(made.table, "d") == [10, 42]
    assert values_of(made.before, "d") == [12, 60]


@pytest.mark.parametrize(
    ("column", "asked", "hint"),
    [
        ([1, 2, 3, 4], {"clip": Clip(high=0.0)}, "clip of column 'x' empties it: all its 4 values"),
        ([1.5, None, 3.5], {"clip": Clip(low=9.0)}, "clip of column 'x' empties it: all its 2 values"),
        ([1, 2, 3, 4], {"round_to": 100.0}, "choose a smaller base"),
        (["a", "b", "c"], {"rare": Rare(below=2)}, "lower below"),
    ],
)
def test_what_leaves_one_value_of_many_is_refused(column, asked, hint):
    with pytest.raises(DataError, match=hint):
        recoded(pl.DataFrame({"x": column}), x=asked)


def test_a_constant_column_is_not_emptied():
    made = recoded(pl.DataFrame({"x": [7, 7, 7]}), x={"clip": Clip(high=5.0)})
    assert values_of(made.table, "x") == [5, 5, 5]


def test_a_part_may_be_left_with_one_value():
    made = recode_table(Table.of(pl.DataFrame({"x": [1, 2]})), {"x": {"clip": Clip(high=0.0)}}, part=True)
    assert values_of(made.table, "x") == [0, 0]


def test_the_input_is_not_changed(make):
    frame = make({"age": [31, 47, 99], "town": ["a", "b", "b"]})
    before = Table.of(frame).sha256()
    recoded(frame, age={"clip": Clip(high=50)}, town={"rare": Rare(below=2)})
    assert Table.of(frame).sha256() == before


def test_every_recoding_says_what_it_is():
    for recoding in RECODINGS.values():
        assert recoding.kinds
        assert recoding.summary
        assert recoding.remedy or not recoding.loses
