"""The door: every kind of frame in, the same kind out."""

import datetime as dt
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.errors import DataError
from shoal.frames import Categories, Instants, Numbers, Table

DAYS = [dt.date(2020, 1, 1), None, dt.date(2020, 1, 3)]
TIMES = [dt.datetime(2020, 1, 1, 12, 30), None, dt.datetime(2020, 1, 3)]
ZONE = "Europe/Madrid"


def polars_frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "whole": pl.Series([1, 2, 3], dtype=pl.Int16),
            "gaps": pl.Series([1, None, 3], dtype=pl.Int64),
            "real": [1.5, None, 3.0],
            "flag": [True, None, False],
            "text": ["b", None, "a"],
            "enum": pl.Series(["low", "high", None], dtype=pl.Enum(["low", "mid", "high"])),
            "category": pl.Series(["b", None, "a"], dtype=pl.Categorical),
            "day": DAYS,
            "time": pl.Series(TIMES, dtype=pl.Datetime("ms")),
            "zoned": pl.Series(TIMES, dtype=pl.Datetime("us")).dt.replace_time_zone(ZONE),
            "money": pl.Series([Decimal("1.10"), None, Decimal("2.20")], dtype=pl.Decimal(10, 2)),
        }
    )


def arrow_frame() -> pa.Table:
    return pa.table(
        {
            "whole": pa.array([1, 2, 3], pa.int16()),
            "gaps": pa.array([1, None, 3], pa.int64()),
            "real": pa.array([1.5, None, 3.0]),
            "flag": pa.array([True, None, False]),
            "text": pa.array(["b", None, "a"], pa.large_string()),
            "view": pa.array(["b", None, "a"], pa.string_view()),
            "category": pa.array(["b", None, "a"]).dictionary_encode(),
            "day": pa.array(DAYS, pa.date32()),
            "day64": pa.array(DAYS, pa.date64()),
            "time": pa.array(TIMES, pa.timestamp("ns")),
            "zoned": pa.array(TIMES, pa.timestamp("ms", ZONE)),
            "money": pa.array([Decimal("1.10"), None, Decimal("2.20")], pa.decimal128(10, 2)),
            "nothing": pa.nulls(3),
        }
    )


def pandas_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "whole": np.array([1, 2, 3], dtype=np.int16),
            "gaps": pd.array([1, None, 3], dtype="Int64"),
            "arrow_gaps": pd.array([1, None, 3], dtype="int32[pyarrow]"),
            "real": [1.5, np.nan, 3.0],
            "flag": pd.array([True, None, False], dtype="boolean"),
            "text": ["b", None, "a"],
            "objects": pd.Series(["b", None, "a"], dtype=object),
            "category": pd.Categorical(["low", "high", None], categories=["low", "mid", "high"], ordered=True),
            "day": pd.array(DAYS, dtype=pd.ArrowDtype(pa.date32())),
            "python_day": pd.Series(DAYS, dtype=object),
            "time": pd.Series(TIMES, dtype="datetime64[ms]"),
            "zoned": pd.Series(TIMES, dtype="datetime64[ns]").dt.tz_localize(ZONE),
        }
    )


FRAMES = {"polars": polars_frame, "pyarrow": arrow_frame, "pandas": pandas_frame}


def columns_of(frame: Any) -> list[str]:
    return list(frame.column_names if isinstance(frame, pa.Table) else frame.columns)


def cells(frame: Any, name: str) -> list[Any]:
    values = frame[name].to_pylist() if isinstance(frame, pa.Table) else list(frame[name])
    return [None if pd.isna(value) else value for value in values]


def type_of(frame: Any, name: str) -> Any:
    return frame[name].type if isinstance(frame, pa.Table) else frame[name].dtype


EVERY_COLUMN = [(kind, name) for kind, make in FRAMES.items() for name in columns_of(make())]


@pytest.mark.parametrize(("library", "name"), EVERY_COLUMN)
def test_what_comes_out_goes_back_unchanged(library: str, name: str) -> None:
    frame = FRAMES[library]()
    table = Table.of(frame)
    dtype = table.dtype(name)
    shapes: list[Any] = [table.categories(name)]
    if dtype == "integer":
        shapes.append(table.numbers(name))
    if dtype in ("date", "datetime"):
        shapes.append(table.instants(name))
    for column in shapes:
        back = table.replace({name: column})
        assert type(back) is type(frame)
        assert columns_of(back) == columns_of(frame)
        assert type_of(back, name) == type_of(frame, name)
        assert cells(back, name) == cells(frame, name)


@pytest.mark.parametrize(("library", "name"), EVERY_COLUMN)
def test_missing_cells_are_found_and_class_codes_tell_values_apart(library: str, name: str) -> None:
    frame = FRAMES[library]()
    table = Table.of(frame)
    expected = [value is None for value in cells(frame, name)]
    missing = table.missing(name)
    assert (missing.tolist() if missing is not None else [False] * 3) == expected
    codes = table.class_codes(name)
    assert codes.dtype == np.int64
    values = cells(frame, name)
    for i in range(3):
        for j in range(3):
            assert (codes[i] == codes[j]) == (values[i] == values[j])


@pytest.mark.parametrize("library", FRAMES)
def test_numbers_become_float64_and_keep_their_gaps(library: str) -> None:
    table = Table.of(FRAMES[library]())
    numbers = table.numbers("gaps")
    assert numbers.whole
    assert numbers.missing is not None
    assert numbers.missing.tolist() == [False, True, False]
    out = table.replace({"gaps": Numbers(numbers.values / 2, numbers.missing), "whole": Numbers(np.ones(3) / 4)})
    assert cells(out, "gaps") == [0.5, None, 1.5]
    assert cells(out, "whole") == [0.25, 0.25, 0.25]
    assert str(type_of(out, "whole")).lower() in ("float64", "double")
    kept = table.replace({"whole": Numbers(np.array([7.0, 8.0, 9.0]), whole=True)})
    assert type_of(kept, "whole") == type_of(FRAMES[library](), "whole")
    assert cells(kept, "whole") == [7, 8, 9]


@pytest.mark.parametrize("library", FRAMES)
def test_labels_come_back_from_codes_in_another_order(library: str) -> None:
    frame = FRAMES[library]()
    table = Table.of(frame)
    own = table.categories("category")
    flipped = Categories(
        np.where(own.codes < 0, -1, len(own.labels) - 1 - own.codes).astype(np.int32), own.labels[::-1]
    )
    assert cells(table.replace({"category": flipped}), "category") == cells(frame, "category")


def test_text_is_sorted_and_categorical_types_keep_their_order() -> None:
    for library, make in FRAMES.items():
        assert Table.of(make()).categories("text").labels == ("a", "b"), library
    assert Table.of(polars_frame()).categories("enum").labels == ("low", "mid", "high")
    assert Table.of(pandas_frame()).categories("category").labels == ("low", "mid", "high")
    assert Table.of(arrow_frame()).categories("category").labels == ("b", "a")
    assert Table.of(polars_frame()).categories("whole").labels == (1, 2, 3)
    assert Table.of(polars_frame()).categories("flag").labels == (False, True)
    assert Table.of(polars_frame()).categories("day").labels == ("2020-01-01", "2020-01-03")


def test_a_polars_categorical_does_not_depend_on_what_the_process_saw_before() -> None:
    seen = pl.Series(["zebra", "ant"], dtype=pl.Categorical)
    frame = pl.DataFrame({"animal": pl.Series(["ant", "zebra"], dtype=pl.Categorical)})
    assert len(seen) == 2
    assert Table.of(frame).categories("animal").labels == ("ant", "zebra")


def test_arrow_dictionaries_may_differ_by_chunk_and_hold_nulls() -> None:
    first = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["b", None]))
    second = pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array(["b", "c"]))
    table = Table.of(pa.table({"x": pa.chunked_array([first, second])}))
    categories = table.categories("x")
    assert [categories.labels[c] if c >= 0 else None for c in categories.codes] == ["b", None, "c", "b"]


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        (["2020-01-01", "2020-02-01"], "D"),
        (["2020-01-01T10:05", "2020-02-01"], "m"),
        (["2020-01-01T10:05:01", "2020-02-01"], "s"),
        (["2020-01-01T10:05:01.250", "2020-02-01"], "ms"),
        (["2020-01-01T10:05:01.250001", "2020-02-01"], "us"),
        (["1969-12-31", "NaT"], "D"),
    ],
)
def test_instants_count_in_the_coarsest_exact_unit(values: list[str], unit: str) -> None:
    stamps = np.array(values, dtype="datetime64[us]")
    instants = Instants.of(stamps)
    assert instants.unit == unit
    assert np.array_equal(instants.in_unit("us").view("datetime64[us]"), stamps, equal_nan=True)


def test_averaged_midnights_of_pandas_stay_midnights() -> None:
    frame = pd.DataFrame({"admitted": pd.to_datetime(["2020-01-01", "2020-01-03"])})
    table = Table.of(frame)
    days = table.instants("admitted")
    out = table.replace({"admitted": Instants(np.full(2, round(days.values.mean())), days.unit)})
    assert out["admitted"].dtype == frame["admitted"].dtype
    assert (out["admitted"] == pd.Timestamp("2020-01-02")).all()


@pytest.mark.parametrize(
    "index",
    [
        pd.Index(["a", "a", "b"], name="key"),
        pd.Index([5, 3, 3]),
        pd.MultiIndex.from_tuples([("x", 1), ("x", 1), ("y", 2)], names=["p", "q"]),
        pd.date_range("2020-01-01", periods=3),
    ],
)
def test_pandas_indexes_are_kept(index: pd.Index) -> None:
    frame = pandas_frame().set_axis(index, axis=0)
    before = frame.copy(deep=True)
    table = Table.of(frame)
    out = table.replace({"whole": Numbers(np.array([3.0, 2.0, 1.0])), "text": table.categories("text")}, drop=["real"])
    pd.testing.assert_index_equal(out.index, index)
    assert out["whole"].tolist() == [3.0, 2.0, 1.0]
    assert list(out.columns) == [name for name in frame.columns if name != "real"]
    untouched = [name for name in out.columns if name != "whole"]
    pd.testing.assert_frame_equal(out[untouched], before[untouched])
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("levels", [1, 2])
def test_labels_of_dropped_rows_do_not_leave_in_the_type_of_an_index(levels: int) -> None:
    names = pd.CategoricalIndex(["b", "gone", "a"], categories=["gone", "a", "b", "never"], name="ward")
    index = names if levels == 1 else pd.MultiIndex.from_arrays([names, ["y", "lost", "x"]], names=["ward", "side"])
    out = Table.of(pd.DataFrame({"v": [1, 2, 3]}, index=index)).take(np.array([2, 0])).frame.to_native()
    assert list(out.index.get_level_values(0)) == ["a", "b"]
    assert out.index.names == index.names
    held = repr(out.index.dtype) if levels == 1 else repr([level.dtype for level in out.index.levels])
    assert "'a', 'b'" in held
    assert "gone" not in held
    assert all("lost" not in level for level in getattr(out.index, "levels", []))


@pytest.mark.parametrize("names", [[1, 0], [None, None], ["p", "p"]])
def test_levels_of_an_index_keep_their_places_and_types(names: list[Any]) -> None:
    codes = [[0, -1, 1], [1, 0, 1]]
    index = pd.MultiIndex(levels=[[1, 2], ["x", "y"]], codes=codes, names=names)
    out = Table.of(pd.DataFrame({"v": [1, 2, 3]}, index=index)).take(np.array([2, 1])).frame.to_native()
    pd.testing.assert_index_equal(out.index, index[[2, 1]])
    assert out.index.levels[0].dtype == index.levels[0].dtype


def test_a_count_of_rows_goes_on_counting() -> None:
    frame = pd.DataFrame({"v": [1, 2]}, index=pd.RangeIndex(7, 3, -2, name="row"))
    out = Table.of(frame).take(np.array([1, 0, 0])).frame.to_native()
    pd.testing.assert_index_equal(out.index, pd.RangeIndex(7, 1, -2, name="row"))
    assert out["v"].tolist() == [2, 1, 1]


def test_arrow_field_metadata_and_schema_metadata_are_kept() -> None:
    field = pa.field("age", pa.int64(), metadata={"unit": "years"})
    frame = pa.table([pa.array([1, 2])], schema=pa.schema([field], metadata={"origin": "survey"}))
    out = Table.of(frame).replace({"age": Numbers(np.array([1.5, 1.5]))})
    assert out.schema.metadata == {b"origin": b"survey"}
    assert out.schema.field("age").metadata == {b"unit": b"years"}


def test_a_narwhals_frame_comes_back_as_one() -> None:
    out = Table.of(nw.from_native(polars_frame())).replace({}, drop=["text"])
    assert isinstance(out, nw.DataFrame)
    assert "text" not in out.columns


def test_numbers_of_one_chunk_are_not_copied() -> None:
    values = np.arange(1000.0)
    frame = pl.DataFrame({"x": values})
    assert np.shares_memory(Table.of(frame).numbers("x").values, frame["x"].to_numpy())
    table = pa.table({"x": values})
    assert np.shares_memory(Table.of(table).numbers("x").values, values)
    pandas = pd.DataFrame({"x": values}, copy=False)
    assert np.shares_memory(Table.of(pandas).numbers("x").values, values)


def test_large_integers_are_told_apart() -> None:
    big = 2**60
    codes = Table.of(pl.DataFrame({"id": [big, big + 1, None]})).class_codes("id")
    assert len(set(codes.tolist())) == 3


def test_zeros_are_equal_and_nans_are_equal() -> None:
    frame = pl.DataFrame({"x": [0.0, -0.0, float("nan"), -float("nan")]})
    codes = Table.of(frame).class_codes("x")
    assert codes[0] == codes[1]
    assert codes[2] == codes[3]
    assert codes[0] != codes[2]


@pytest.mark.parametrize("library", FRAMES)
def test_an_empty_frame_is_a_table_of_no_rows(library: str) -> None:
    frame = FRAMES[library]()
    empty = frame.slice(0, 0) if library != "pandas" else frame.iloc[:0]
    table = Table.of(empty)
    assert len(table) == 0
    for name in ("whole", "text", "category"):
        assert len(table.categories(name)) == 0
    assert len(table.numbers("real")) == 0
    assert len(table.instants("time")) == 0


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pl.LazyFrame({"a": [1]}), ["LazyFrame", ".collect()"]),
        ({"a": [1]}, ["dict", "pandas, polars or pyarrow"]),
        ([[1, 2]], ["list"]),
        (np.zeros((2, 2)), ["ndarray"]),
        (pl.Series([1]), ["Series"]),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ["'a'", "2 times"]),
        (pa.table([[1], [2]], names=["a", "a"]), ["'a'", "2 times"]),
        (pd.DataFrame([[1, 2]]), ["column 1", "int", "rename"]),
    ],
)
def test_what_is_no_table_is_refused_with_a_hint(frame: Any, words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        Table.of(frame)
    for word in words:
        assert word in str(caught.value)


def test_wrong_columns_are_named() -> None:
    table = Table.of(polars_frame())
    with pytest.raises(DataError, match="no column 'agee'"):
        table.numbers("agee")
    with pytest.raises(DataError, match="no column 'agee'"):
        table.replace({}, drop=["agee"])
    with pytest.raises(DataError, match="'text' holds text, not numbers"):
        table.numbers("text")
    with pytest.raises(DataError, match="'whole' holds whole numbers, not dates"):
        table.instants("whole")
    with pytest.raises(DataError, match="3 rows, but 2 values"):
        table.replace({"whole": Numbers(np.zeros(2))})
    nested = Table.of(pl.DataFrame({"x": [[1], [2]]}))
    assert nested.dtype("x") == "other"
    with pytest.raises(DataError, match="cannot be categories"):
        nested.categories("x")
    with pytest.raises(DataError, match="cannot be compared"):
        nested.class_codes("x")


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame, pa.table])
def test_categories_are_read_once_and_nobody_can_change_them(library):
    table = Table.of(library({"city": ["b", "a", "b"]}))
    categories = table.categories("city")
    assert table.categories("city") is categories
    with pytest.raises(ValueError, match="read-only"):
        categories.codes[0] = 1


def test_categories_of_more_cells_than_are_kept_are_read_again(monkeypatch):
    monkeypatch.setattr("shoal.frames.table._CACHED_CELLS", 4)
    table = Table.of(pl.DataFrame({"one": ["x", "x"], "two": ["y", "z"], "three": ["u", "v"]}))
    for name in table.names:
        np.testing.assert_array_equal(table.categories(name).codes, Table.of(table.data).categories(name).codes)
    assert table.categories("one") is table.categories("one")
    assert table.categories("three") is not table.categories("three")


def test_a_dictionary_of_arrow_in_pandas_lists_no_label_that_no_record_has():
    dictionary = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    frame = pd.DataFrame({"o": pd.Series(["x", "y", None, "Only Ann"], dtype=dictionary)}).iloc[:3]
    left = Table.of(frame).replace({})["o"]
    assert left.dtype == dictionary
    assert left.tolist()[:2] == ["x", "y"]
    assert left.isna().tolist() == [False, False, True]
    assert pa.array(left).dictionary.to_pylist() == ["x", "y"]


@pytest.mark.parametrize(
    "index",
    [
        pd.MultiIndex.from_tuples([("a", 1), ("b", 2), ("Ann", 3)], names=["who", "visit"]),
        pd.CategoricalIndex(["a", "b", "Ann"], name="who"),
    ],
)
def test_an_index_lists_no_label_that_no_row_has(index):
    frame = pd.DataFrame({"o": [1, 2, 3]}, index=index).iloc[:2]
    left = Table.of(frame).replace({}).index
    assert left.tolist() == frame.index.tolist()
    assert "Ann" not in str(left.levels if hasattr(left, "levels") else left.categories)
    assert "Ann" in str(frame.index.levels if hasattr(left, "levels") else frame.index.categories)


def test_threads_may_look_at_one_table():
    names = [f"c{number}" for number in range(20)]
    table = Table.of(pl.DataFrame({name: [1, 2, 3] for name in names}))
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            for _ in range(100):
                part = table.head(2)
                assert set(pool.map(part.dtype, names * 2)) == {"integer"}
    finally:
        sys.setswitchinterval(before)
