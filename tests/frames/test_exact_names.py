"""Names that polars takes for patterns are names like any other, in every library."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import Plan, StreamAnonymizer
from shoal.errors import DataError
from shoal.frames import Categories, Gaps, Numbers, Rows, Table

NAMES = ["*", "^age$", "^zz$", "^.*$", "^$", "^[$"]
LIBRARIES = {"polars": lambda frame: frame, "pyarrow": pl.DataFrame.to_arrow, "pandas": pl.DataFrame.to_pandas}


def frame_of(name: str, cells: pl.Series) -> pl.DataFrame:
    return pl.DataFrame({"age": range(len(cells)), name: cells, "pay": range(len(cells))})


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", NAMES)
def test_columns_are_read_and_built_by_their_very_names(name, library):
    table = Table.of(LIBRARIES[library](frame_of(name, pl.Series(["b", None, "a"]))))
    assert table.select([name, "pay"]).names == (name, "pay")
    assert table.missing(name).tolist() == [False, True, False]
    assert table.categories(name).labels == ("a", "b")
    assert table.sha256() != table.select(["age", "pay"]).sha256()
    codes, gone = np.array([0, 1, -1], np.int32), np.array([True, False, False])
    for column in (Categories(codes, ("x", "y")), Rows(np.array([2, 0, 1])), Gaps(gone)):
        replaced = Table.of(table.replace({name: column}, drop=["pay"]))
        assert replaced.names == ("age", name)
        assert replaced.numbers("age").values.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", NAMES)
def test_numbers_and_dates_of_such_names(name):
    days = pl.Series([dt.date(2020, 1, 1), None, dt.date(2020, 1, 3)])
    table = Table.of(frame_of(name, days))
    assert Table.of(table.replace({name: table.instants(name)})).data.equals(table.data)
    table = Table.of(frame_of(name, pl.Series([1, None, 3])))
    again = table.replace({name: Numbers(np.array([5.0, np.nan, 7.0]), np.array([False, True, False]), whole=True)})
    assert again[name].to_list() == [5, None, 7]
    with pytest.raises(DataError, match="has 3 rows"):
        table.replace({name: Numbers(np.zeros(2))})


@pytest.mark.parametrize("name", NAMES)
def test_fields_of_structures_are_looked_into_whatever_their_names(name):
    far = pl.Series([10**15], dtype=pl.Int64).cast(pl.Datetime("ms"))
    frame = pl.DataFrame({"x": pl.DataFrame({name: far, "b": [1]}).to_struct("x")})
    with pytest.raises(DataError, match="column 'x' has a date outside the years 1 to 9999"):
        Table.of(frame)
    assert Table.of(pl.DataFrame({"x": pl.DataFrame({name: ["a"]}).to_struct("x")})).names == ("x",)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", NAMES)
def test_a_frame_and_a_stream_are_anonymized(name, library):
    frame = LIBRARIES[library](frame_of(name, pl.Series(["a", "b", "c"] * 6)))
    attributes = {
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        name: {"role": "quasi_identifier", "kind": "nominal"},
        "pay": {"role": "confidential", "kind": "numeric"},
    }
    release = shoal.anonymize(frame, Plan(k=3, attributes=attributes))
    assert Table.of(release.data).names == ("age", name, "pay")
    assert release.guarantees.holds
    stream = StreamAnonymizer(Plan(k=3, attributes=attributes, stream={"max_delay": 6}))
    left = [Table.of(part) for part in (stream.push_many(frame), stream.push_many(frame), stream.flush())]
    assert {part.names for part in left} == {("age", name, "pay")}
    assert sum(map(len, left)) == 36
