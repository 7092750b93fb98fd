"""Columns of role ``other`` that single out records together, though none does alone."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import shoal
from giveaways.looking import NUMERIC, OTHER, ends_by_remedy, found
from shoal.giveaways import rare_values as room

N = 400


def plan(*others, **more):
    return shoal.Plan(k=4, attributes={"age": NUMERIC, **dict.fromkeys(others, OTHER)}, **more)


def table(**levels):
    rng = np.random.default_rng(len(levels))
    columns = {name: rng.integers(0, count, N) for name, count in levels.items()}
    return pl.DataFrame({"age": rng.integers(0, 90, N), **columns})


def singled_out(frame, names):
    return frame.group_by(names).len().filter(pl.col("len") == 1).height


def test_two_that_do_it_together():
    frame = table(bed=30, floor=20, wing=2)
    assert not any(singled_out(frame, [name]) for name in ("bed", "floor", "wing"))
    chosen = plan("bed", "floor", "wing")
    (giveaway,) = found(frame, chosen)
    assert giveaway.name == "combined_values"
    assert giveaway.records == singled_out(frame, ["bed", "floor", "wing"])
    assert giveaway.sentence.startswith(
        f"'bed', 'floor', 'wing' are released as they are, and together they single out {giveaway.records} of 400 "
        "records, though none does alone ("
    )
    pairs = [pair for pair in combinations(("bed", "floor", "wing"), 2) if singled_out(frame, pair)]
    assert all(f"'{one}' + '{other}'" in giveaway.sentence for one, other in pairs)
    assert giveaway.columns == tuple(name for name in ("bed", "floor", "wing") if any(name in pair for pair in pairs))
    assert ends_by_remedy(frame, chosen, giveaway)


def test_none_where_every_combination_is_shared():
    frame = table(bed=3, floor=2, wing=2)
    assert singled_out(frame, ["bed", "floor", "wing"]) == 0
    assert found(frame, plan("bed", "floor", "wing")) == []


def test_what_singles_out_alone_is_said_of_it_alone():
    frame = table(bed=5, floor=3).with_columns(number=pl.int_range(pl.len()).shuffle(seed=1))
    (giveaway,) = found(frame, plan("bed", "floor", "number"))
    assert giveaway.name == "single_values"
    assert giveaway.columns == ("number",)


def test_by_and_constants_have_no_part():
    frame = table(bed=30, floor=20).with_columns(wing=pl.lit("west"))
    assert found(frame.drop("floor"), plan("bed", "wing")) == []
    assert found(frame, plan("bed", "floor", "wing", by="floor"), "combined_values") == []


def test_three_are_needed_where_no_two_do_it():
    pairs = pl.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}).with_columns(c=pl.col("a") ^ pl.col("b"))
    frame = pl.concat([pairs] * 30 + [pairs.with_columns(c=1 - pl.col("c")).head(1)])
    frame = frame.with_columns(age=pl.Series(np.random.default_rng(0).integers(0, 90, len(frame))))
    (giveaway,) = found(frame, plan("a", "b", "c"))
    assert "('a' + 'b' + 'c' is enough for some)" in giveaway.sentence
    assert giveaway.records == 1
    assert ends_by_remedy(frame, plan("a", "b", "c"), giveaway)


@pytest.mark.parametrize("seed", range(5))
def test_where_there_is_no_time_for_all_one_is_found_that_needs_all_its_columns(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    names = [f"c{i}" for i in range(7)]
    frame = pl.DataFrame({"age": rng.integers(0, 90, N), **{name: rng.integers(0, 4, N) for name in names}})
    monkeypatch.setattr(room, "_CELLS", 0)
    (giveaway,) = found(frame, plan(*names))
    assert singled_out(frame, giveaway.columns)
    for name in giveaway.columns:
        fewer = [other for other in giveaway.columns if other != name]
        assert singled_out(frame, fewer) == 0
    assert giveaway.records == singled_out(frame, names)


def test_many_combinations_are_counted_and_three_named():
    frame = table(**{f"c{i}": 25 for i in range(6)})
    (giveaway,) = found(frame, plan(*(f"c{i}" for i in range(6))))
    assert giveaway.sentence.count(" + ") == 3
    assert "and 12 more are enough for some" in giveaway.sentence


def test_records_of_one_person_are_one():
    frame = table(bed=30, floor=20).with_columns(person=pl.int_range(pl.len()) // 2)
    alike = frame.with_columns(pl.col("bed", "floor").gather((pl.int_range(pl.len()) // 2) * 2))
    chosen = shoal.Plan(
        k=4,
        subject="person",
        attributes={"age": NUMERIC, "bed": OTHER, "floor": OTHER, "person": {"role": "identifier"}},
    )
    (giveaway,) = found(alike, chosen, "combined_values")
    persons = alike.group_by("bed", "floor").agg(pl.col("person").n_unique(), pl.len())
    assert giveaway.records == persons.filter(pl.col("person") == 1)["len"].sum() > singled_out(alike, ["bed", "floor"])
