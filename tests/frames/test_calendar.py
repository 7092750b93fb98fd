"""Dates beyond the calendar are refused in every library; those at its ends, and missing ones, are not."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.errors import DataError
from shoal.frames import Table

FAR = {
    "polars days": lambda: pl.DataFrame({"d": pl.Series([0, 2_932_897], dtype=pl.Int32).cast(pl.Date)}),
    "polars milliseconds": lambda: pl.DataFrame({"d": pl.Series([0, 2**55]).cast(pl.Datetime("ms"))}),
    "polars, the sign of a missing one": lambda: pl.DataFrame({"d": pl.Series([0, -(2**63)]).cast(pl.Datetime("us"))}),
    "pyarrow": lambda: pa.table({"d": pa.array([0, 2**62], pa.int64()).view(pa.timestamp("us"))}),
    "pyarrow days of 64 bits": lambda: pa.table({"d": pa.array([0, 2**58], pa.int64()).view(pa.date64())}),
    "pandas seconds": lambda: pd.DataFrame({"d": np.array([0, 2**40], "datetime64[s]")}),
    "arrow in pandas": lambda: pd.DataFrame(
        {
            "d": pd.array(
                pa.array([0, 2**62], pa.int64()).view(pa.timestamp("us")), dtype=pd.ArrowDtype(pa.timestamp("us"))
            )
        }
    ),
    "durations": lambda: pl.DataFrame({"d": pl.Series([0, 2**62]).cast(pl.Duration("ms"))}),
}


@pytest.mark.parametrize("what", FAR)
def test_dates_beyond_the_calendar_are_refused(what):
    with pytest.raises(DataError, match=r"column 'd' has a (date outside|duration of more).*row [12]"):
        Table.of(FAR[what]())


DAYS = pa.array([0, 2**31 - 1], pa.int32()).view(pa.date32())
SPANS = pa.array([0, -(2**63)], pa.int64()).view(pa.duration("ms"))
TEXTS, CUTS = pa.array(["a", "b"]), pa.array([0, 1, 2], pa.int32())
NESTED = {
    "lists": pa.ListArray.from_arrays(CUTS, DAYS),
    "arrays": pa.FixedSizeListArray.from_arrays(DAYS, 1),
    "structures": pa.StructArray.from_arrays([TEXTS, DAYS], names=["a", "b"]),
    "structures in lists": pa.ListArray.from_arrays(CUTS, pa.StructArray.from_arrays([SPANS], names=["a"])),
    "maps": pa.MapArray.from_arrays(CUTS, TEXTS, DAYS),
    "keys of maps": pa.MapArray.from_arrays(CUTS, DAYS, TEXTS),
    "a type of its own": pa.ExtensionArray.from_storage(pa.opaque(pa.date32(), "day", "somebody"), DAYS),
}


@pytest.mark.parametrize("library", [pl.from_arrow, pa.table], ids=["polars", "pyarrow"])
@pytest.mark.parametrize("what", NESTED)
def test_dates_beyond_the_calendar_inside_other_values_are_refused_too(what, library):
    with pytest.raises(DataError, match=r"column 'd' has a (date|duration) .*inside its lists or structures"):
        Table.of(library(pa.table({"d": NESTED[what]})))


def test_nested_columns_of_the_calendar_are_taken():
    day = dt.date(9999, 12, 31)
    frame = pl.DataFrame({"l": [[day], None, []], "s": [{"a": day}, None, {"a": None}]})
    assert len(Table.of(frame)) == len(Table.of(frame.to_arrow())) == 3
    assert len(Table.of(frame.clear())) == 0


def test_the_ends_of_the_calendar_and_missing_dates_are_taken():
    ends = [dt.datetime(1, 1, 1), None, dt.datetime(9999, 12, 31, 23, 59, 59, 999999)]
    days = [None if end is None else end.date() for end in ends]
    spans = [dt.timedelta.min, None, dt.timedelta.max]
    for frame in (
        pl.DataFrame({"t": ends, "d": days, "s": spans}),
        pa.table({"t": ends, "d": days}),
        pd.DataFrame({"d": days, "n": pd.to_datetime(["1677-09-22", None, "2262-04-11"])}),
    ):
        assert len(Table.of(frame)) == 3
    assert len(Table.of(pl.DataFrame({"t": pl.Series([], dtype=pl.Datetime)}))) == 0
