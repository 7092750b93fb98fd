"""Rows that follow a column, all or nearly all of them; and rows that do not."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from grids import every
from shoal.frames import Table, follows, is_sorted

CONVERT = {"polars": pl.DataFrame, "pandas": pl.DataFrame.to_pandas, "pyarrow": pl.DataFrame.to_arrow}


def following(values):
    return follows(Table.of(pl.DataFrame({"x": values})), "x")


def displaced(values, share, rng):
    """Take some rows out of a table, and put each back anywhere."""
    rows = list(values)
    moved = [rows.pop(i) for i in sorted(rng.choice(len(rows), round(share * len(rows)), replace=False))[::-1]]
    for value in moved:
        rows.insert(int(rng.integers(len(rows) + 1)), value)
    return rows


def made(kind, n, rng):
    match kind:
        case "numbers":
            return rng.normal(size=n)
        case "ages":
            return rng.integers(18, 90, n)
        case "two values":
            return rng.integers(0, 2, n)
        case "pairs":
            return np.arange(n) // 2
        case "rare":
            return (np.arange(n) < n // 20).astype(int)


@every(share=[0.0, 0.03, 0.1], kind=["numbers", "ages", "two values", "pairs"], n=[50, 400, 3000])
def test_a_few_displaced_rows_do_not_hide_an_order(kind, n, share):
    rng = np.random.default_rng(n)
    for turn in range(5):
        values = np.sort(made(kind, n, rng))
        assert following(displaced(values if turn % 2 else values[::-1], share, rng)), (kind, turn)


@pytest.mark.parametrize("kind", ["numbers", "ages", "two values", "pairs", "rare"])
def test_an_order_of_chance_is_none(kind):
    rng = np.random.default_rng(7)
    for n in (8, 20, 60, 300):
        taken = sum(following(rng.permutation(made(kind, n, rng))) for _ in range(300))
        # Of eight different numbers one order in 20,160 is sorted, up or down.
        assert taken == 0, (kind, n)


def test_rows_sorted_inside_each_value_of_another_column_follow():
    rng = np.random.default_rng(0)
    stretches = [np.sort(rng.normal(size=40)) for _ in range(20)]
    assert following(np.concatenate(stretches))
    assert not following(np.concatenate([rng.permutation(part) for part in stretches]))


def test_rows_mixed_up_among_neighbours_follow():
    rng = np.random.default_rng(0)
    months = np.repeat(np.arange(24), 50)
    assert following(months * 30 + rng.integers(0, 30, len(months)))


def test_rows_grouped_by_a_value_follow_it_in_whatever_order_the_groups_stand():
    rng = np.random.default_rng(0)
    persons = rng.permutation(300)
    assert following([f"p{person}" for person in np.repeat(persons, 4)])
    assert not following([f"p{person}" for person in rng.permutation(np.repeat(persons, 4))])
    counties = ["Osona"] * 40 + ["Anoia"] * 40 + ["Moianès"] * 40 + ["Bages"] * 40
    assert following(counties)
    assert not following(rng.permutation(counties))


@pytest.mark.parametrize("n", [70_000, 200_000])
def test_of_many_rows_a_part_is_enough(n):
    rng = np.random.default_rng(0)
    values = np.sort(rng.normal(size=n))
    assert following(displaced(values, 0.002, rng))
    assert not following(rng.permutation(values))
    ends = np.zeros(n)
    ends[-30:] = 1
    assert following(ends)
    assert not following(rng.permutation(ends))


def test_a_handful_of_rows_follows_nothing_but_may_be_sorted():
    table = Table.of(pl.DataFrame({"x": [1, 2, 3, 4, 5, 6, 7], "same": 1, "none": pl.Series([None] * 7)}))
    assert is_sorted(table, "x")
    assert not follows(table, "x")
    for name in ("same", "none"):
        assert not is_sorted(table, name)
        assert not follows(table, name)
    assert following(range(8))


ORDERS = {
    "digits": pl.Series([str(i) for i in range(203)]),
    "categories": pl.Series([f"{i:03}" for i in range(203)], dtype=pl.Categorical),
    "scale": pl.Series(["low"] * 100 + ["high"] * 103, dtype=pl.Enum(["low", "high"])),
    "decimals": pl.Series(range(203), dtype=pl.Decimal(9, 2)),
    "dates": pl.Series([dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(203)]),
    "times": pl.Series(range(203)).cast(pl.Datetime("ns", "Europe/Madrid")),
    "truth": pl.Series([False] * 100 + [True] * 103),
    "halves": pl.Series(np.arange(203, dtype=np.float32)),
}


@pytest.mark.parametrize("convert", CONVERT.values(), ids=CONVERT)
@pytest.mark.parametrize("kind", ORDERS)
def test_every_type_that_has_an_order_shows_it(kind, convert):
    frame = pl.DataFrame({"x": ORDERS[kind]})
    if convert is pl.DataFrame.to_pandas and kind == "decimals":
        frame = frame.cast(pl.Int64)  # pandas has no decimals of its own
    assert follows(Table.of(convert(frame)), "x")
    assert is_sorted(Table.of(convert(frame[::-1])), "x")
    chance = Table.of(convert(frame.select(pl.col("x").shuffle(seed=1))))
    assert not follows(chance, "x")


@pytest.mark.parametrize("convert", CONVERT.values(), ids=CONVERT)
@pytest.mark.parametrize("gone", [None, np.nan], ids=["null", "NaN"])
def test_missing_numbers_do_not_hide_an_order(gone, convert):
    age = pl.Series([gone if i % 9 == 0 else 100 - i / 2 for i in range(60)], dtype=pl.Float64)
    assert follows(Table.of(convert(pl.DataFrame({"x": age}))), "x")


@pytest.mark.parametrize("first", [None, 20.0], ids=["missing", "equal"])
def test_a_long_run_of_equal_cells_does_not_hide_an_order(first):
    assert following([first] * 1500 + [30.0] * 1500 + [40.0] * 1500)


@pytest.mark.parametrize(
    "column",
    [
        pa.array(np.arange(203, dtype=np.float16)),
        pd.Series(np.arange(203), dtype=np.float16),
        pa.array(map(str, range(203)), pa.string_view()),
        pd.Series(pa.array(map(str, range(203)), pa.string_view()), dtype=pd.ArrowDtype(pa.string_view())),
    ],
    ids=["half", "half-pandas", "view", "view-pandas"],
)
def test_unusual_types_have_an_order(column):
    build = pd.DataFrame if isinstance(column, pd.Series) else pa.table
    assert follows(Table.of(build({"x": column})), "x")


def test_what_has_no_order_is_not_followed():
    frame = pl.DataFrame({"stay": [dt.timedelta(days=i) for i in range(50)], "marks": [[1, 2]] * 50})
    table = Table.of(frame)
    assert not any(follows(table, name) or is_sorted(table, name) for name in table.names)
