"""Types that few tables have: each in, and back as it was."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal import Plan
from shoal.frames import Instants, Numbers, Rows, Table

FIRST, LAST = dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59)


def small_integers():
    """The same 16 records of 8 bits in every library."""
    values = [0] * 10 + [255, 255, 100, 3, 200, 7]
    return {
        "polars": pl.DataFrame({"x": pl.Series(values, dtype=pl.UInt8), "y": range(16)}),
        "pyarrow": pa.table({"x": pa.array(values, pa.uint8()), "y": range(16)}),
        "numpy": pd.DataFrame({"x": np.array(values, dtype=np.uint8), "y": range(16)}),
        "nullable": pd.DataFrame({"x": pd.array(values, dtype="UInt8"), "y": range(16)}),
        "arrow in pandas": pd.DataFrame({"x": pd.array(values, dtype="uint8[pyarrow]"), "y": range(16)}),
    }


@pytest.mark.parametrize("library", small_integers())
def test_stretched_integers_that_outgrow_their_type_get_a_wider_one(library):
    frame = small_integers()[library]
    columns = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in ("x", "y")}
    release = shoal.anonymize(frame, Plan(k=5, round=True, preserve_variance=True, attributes=columns))
    stretched = Table.of(release.data).numbers("x")
    assert stretched.whole
    assert stretched.values.min() == -12
    assert stretched.values.mean() == pytest.approx(Table.of(frame).numbers("x").values.mean(), abs=1)


@pytest.mark.parametrize("library", small_integers())
def test_integers_that_fit_keep_their_type_and_those_that_no_integer_holds_are_floats(library):
    table = Table.of(small_integers()[library])
    for top, kind in ((255.0, "UInt8"), (256.0, "Int64"), (2.0**63, "Float64")):
        values = np.full(16, top)
        out = Table.of(table.replace({"x": Numbers(values, whole=True)}))
        assert str(out.frame["x"].dtype) == kind
        assert out.numbers("x").values.tolist() == values.tolist()


@pytest.mark.parametrize(("dtype", "first"), [("int64", 2**60), ("int64", -(2**63)), ("uint64", 2**64 - 20)])
def test_integers_that_no_double_holds_are_worked_with_in_pandas_as_in_arrow(dtype, first):
    values = [None, *range(first, first + 11)]
    arrow = pa.table({"x": pa.array(values, dtype), "y": range(12)})
    pandas = arrow.to_pandas(types_mapper=pd.ArrowDtype)
    rounded = Table.of(pandas).numbers("x")
    assert rounded.missing is not None
    assert rounded.values[1:].tolist() == [float(value) for value in values[1:]]
    columns = {"x": {"role": "other"}, "y": {"role": "quasi_identifier", "kind": "numeric"}}
    plan = Plan(k=3, order="keep", attributes=columns)
    released = shoal.anonymize(pandas, plan).data["x"]
    assert [None if pd.isna(value) else value for value in released] == values


@pytest.mark.parametrize("wide", [pl.Int128, pl.UInt128])
def test_integers_of_128_bits_are_compared_hashed_and_masked(wide):
    table = Table.of(pl.DataFrame({"x": pl.Series([10, 9, None, 9], dtype=wide)}))
    assert table.categories("x").labels == ("9", "10")
    assert table.numbers("x").values[:2].tolist() == [10.0, 9.0]
    assert table.replace({"x": table.categories("x")})["x"].to_list() == [10, 9, None, 9]
    assert table.class_codes("x").tolist() == [1, 0, -1, 0]
    assert table.sha256() != Table.of(pl.DataFrame({"x": pl.Series([10, 9, None, 8], dtype=wide)})).sha256()


def test_decimals_stand_in_the_order_of_numbers():
    prices = pl.Series([Decimal("10.5"), Decimal("9.5"), Decimal("100.0")], dtype=pl.Decimal(6, 1))
    for frame in (pl.DataFrame({"x": prices}), pl.DataFrame({"x": prices}).to_arrow()):
        assert Table.of(frame).categories("x").labels == ("9.5", "10.5", "100.0")


@pytest.mark.parametrize("index", [pa.int8(), pa.uint8(), pa.uint32(), pa.int64()])
def test_arrow_dictionaries_of_every_index_type(index):
    codes = pa.array([0, 1, None, 1], index)
    frame = pa.table({"x": pa.DictionaryArray.from_arrays(codes, pa.array(["b", "a"]))})
    table = Table.of(frame)
    assert table.categories("x").codes.tolist() == [0, 1, -1, 1]
    back = table.replace({"x": table.categories("x")})
    assert back.schema == frame.schema
    assert back["x"].to_pylist() == ["b", "a", None, "a"]


def test_an_arrow_dictionary_says_itself_whether_it_is_ordered():
    for ordered in (True, False):
        array = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["low", "high"]), ordered=ordered)
        assert Table.of(pa.table({"x": array})).has_order("x") is ordered


def test_dates_of_64_bits_in_pandas_may_be_missing():
    days = pd.array([dt.date(2020, 1, 1), None], dtype=pd.ArrowDtype(pa.date64()))
    table = Table.of(pd.DataFrame({"x": days}))
    instants = table.instants("x")
    assert instants.in_unit("D").view("datetime64[D]").astype(str).tolist() == ["2020-01-01", "NaT"]
    assert table.replace({"x": instants})["x"].dtype == days.dtype


def test_nanoseconds_of_arrow_types_in_pandas_survive():
    times = pd.array([1_577_836_800_000_000_001, 5], dtype="int64[pyarrow]").astype("timestamp[ns][pyarrow]")
    table = Table.of(pd.DataFrame({"x": times}))
    instants = table.instants("x")
    assert instants.unit == "ns"
    assert table.replace({"x": Instants(instants.values, "ns")})["x"].tolist() == list(times)


def test_arrow_string_views_change_places_and_are_hashed():
    frame = pa.table({"x": pa.array(["b", None, "a"], pa.string_view())})
    table = Table.of(frame)
    assert table.replace({"x": Rows(np.array([2, 0, 1]))})["x"].to_pylist() == ["a", "b", None]
    assert table.sha256() == Table.of(pa.table({"x": ["b", None, "a"]})).sha256()


@pytest.mark.parametrize("unit", ["ms", "us"])
def test_the_hash_reaches_every_year(unit):
    def table(*times):
        return Table.of(pl.DataFrame({"x": pl.Series(times, dtype=pl.Datetime(unit))}))

    hashes = {table(*times).sha256() for times in ((FIRST, LAST), (LAST, LAST), (LAST, FIRST), (FIRST, FIRST))}
    assert len(hashes) == 4


def test_the_hash_of_a_time_does_not_depend_on_its_unit():
    times = [dt.datetime(2020, 1, 1, 12, 30), None, dt.datetime(1969, 1, 1)]
    frames = [pl.DataFrame({"x": pl.Series(times, dtype=pl.Datetime(unit))}) for unit in ("ms", "us", "ns")]
    assert len({Table.of(frame).sha256() for frame in (*frames, frames[0].to_arrow(), frames[2].to_pandas())}) == 1
    finer = frames[2].with_columns(pl.col("x") + pl.duration(nanoseconds=1))
    assert Table.of(finer).sha256() != Table.of(frames[2]).sha256()


RARE = ["common"] * 9 + ["rare"]
LISTED = ["rare", "common"]


def arrow_listed(cells, ordered):
    codes = pa.array([LISTED.index(cell) for cell in cells], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, pa.array(LISTED), ordered=ordered)


def categories(frame):
    """The labels that the type of a column lists."""
    column = frame["x"]
    if isinstance(frame, pl.DataFrame):
        return column.dtype.categories.to_list()
    return column.cat.categories.tolist() if isinstance(frame, pd.DataFrame) else column.chunk(0).dictionary.to_pylist()


FRAMES_OF = {
    "pandas": lambda cells: pd.DataFrame({"x": pd.Categorical(cells, LISTED), "age": range(10)}),
    "pandas-ordered": lambda cells: pd.DataFrame({"x": pd.Categorical(cells, LISTED, ordered=True), "age": range(10)}),
    "pyarrow": lambda cells: pa.table({"x": arrow_listed(cells, ordered=False), "age": list(range(10))}),
    "pyarrow-ordered": lambda cells: pa.table({"x": arrow_listed(cells, ordered=True), "age": list(range(10))}),
    "polars": lambda cells: pl.DataFrame({"x": pl.Series(cells, dtype=pl.Enum(LISTED)), "age": range(10)}),
}


def listed_plan(x, age="other", **choices):
    of = {"quasi_identifier": {"kind": "numeric"}}.get(age, {})
    return Plan(k=5, attributes={"x": x, "age": {"role": age, **of}}, **choices)


IN_ORDER = ["pandas-ordered", "pyarrow-ordered", "polars"]


@pytest.mark.parametrize("library", FRAMES_OF)
def test_a_category_that_was_masked_away_is_not_left_in_the_type(library):
    frame = FRAMES_OF[library](RARE)
    assert "rare" in categories(frame)
    release = shoal.anonymize(frame, listed_plan({"role": "quasi_identifier", "kind": "nominal"}))
    assert categories(release.data) == ["common"]
    assert release.guarantees.holds


@pytest.mark.parametrize("library", IN_ORDER)
def test_the_steps_of_a_scale_are_left_in_an_ordered_type(library):
    scale = listed_plan({"role": "quasi_identifier", "kind": "ordinal"})
    assert categories(shoal.anonymize(FRAMES_OF[library](RARE), scale).data) == LISTED


@pytest.mark.parametrize("release", ["aggregate", "permute"])
@pytest.mark.parametrize("library", FRAMES_OF)
def test_labels_that_a_filter_left_behind_in_an_unordered_type_stay_behind(library, release):
    frame = FRAMES_OF[library](["common"] * 10)
    plan = listed_plan({"role": "confidential", "kind": "nominal"}, "quasi_identifier", release=release)
    released = shoal.anonymize(frame, plan).data
    assert categories(released) == (LISTED if library in IN_ORDER else ["common"])
    assert list(map(str, released["x"].to_list() if library == "polars" else released["x"])) == ["common"] * 10


def test_all_cells_of_a_listed_type_may_be_missing():
    frame = pl.DataFrame({"x": pl.Series([None] * 6, dtype=pl.Enum(LISTED))})
    loose = Plan(k=5, attributes={"x": {"role": "quasi_identifier", "kind": "nominal"}}, missing="impute")
    assert shoal.anonymize(frame, loose).data["x"].null_count() == 6


UNTAKEN = {
    "binary_view": pa.array([b"%d" % i for i in range(12)], pa.binary_view()),
    "string_view": pa.array([f"{i}" for i in range(12)], pa.string_view()),
    "run ends": pa.RunEndEncodedArray.from_arrays(pa.array([5, 12], pa.int16()), pa.array([1, 2])),
    "runs of text": pa.RunEndEncodedArray.from_arrays(pa.array([5, 12], pa.int32()), pa.array(["one", "two"])),
}


@pytest.mark.parametrize("order", ["keep", "shuffle"])
@pytest.mark.parametrize("kind", UNTAKEN)
def test_types_from_which_arrow_takes_no_rows_go_along_with_shuffled_rows(kind, order):
    frame = pa.table({"x": UNTAKEN[kind], "y": range(12)})
    columns = {"x": {"role": "other"}, "y": {"role": "quasi_identifier", "kind": "numeric"}}
    release = shoal.anonymize(frame, Plan(k=3, order=order, attributes=columns))
    assert release.data.schema.field("x").type == frame.schema.field("x").type
    before = frame["x"].to_pylist()
    assert release.data["x"].to_pylist() == [before[row] for row in release.rows]


def test_types_of_arrow_that_pandas_has_no_name_for_go_along():
    views = pd.array([b"%d" % i for i in range(12)], dtype=pd.ArrowDtype(pa.binary_view()))
    columns = {"x": {"role": "other"}, "y": {"role": "quasi_identifier", "kind": "numeric"}}
    frame = pd.DataFrame({"x": views, "y": range(12)})
    release = shoal.anonymize(frame, Plan(k=3, order="shuffle", attributes=columns))
    assert release.data["x"].dtype == views.dtype
    assert release.data["x"].tolist() == [b"%d" % row for row in release.rows]


def test_decimals_of_a_negative_scale_are_refused_by_the_name_of_their_column():
    large = pa.array([Decimal(7000), Decimal(8000)], pa.decimal128(10, -3))
    with pytest.raises(shoal.DataError, match="column 'x' has a type that shoal cannot read"):
        Table.of(pa.table({"x": large}))
