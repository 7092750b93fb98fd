"""SAS files: transport files by pyreadstat's own writer, data sets by what its reader gives."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pyreadstat
import pytest

from shoal import files
from shoal.errors import DataError

FRAME = pl.DataFrame({"AGE": [31.0, 42.5, None], "TOWN": ["Reus", "", "Valls"], "SEEN": [dt.date(2020, 2, 29)] * 3})


@pytest.fixture
def transport(tmp_path):
    pyreadstat.write_xport(FRAME, tmp_path / "table.xpt", column_labels={"AGE": "age in years"}, table_name="T")
    return tmp_path / "table.xpt"


def test_a_transport_file_is_read_with_its_labels(transport):
    source = files.read(transport)
    assert source.format == "sas"
    assert source.frame["AGE"].to_list() == [31.0, 42.5, None]
    assert source.frame["TOWN"].to_list() == ["Reus", None, "Valls"]
    assert source.frame["SEEN"].to_list() == [dt.date(2020, 2, 29)] * 3
    assert source.labels is not None
    assert source.labels.columns["AGE"] == "age in years"


@pytest.mark.parametrize(
    ("display", "what"),
    [
        ("DATE9.", "a date outside"),
        ("DATETIME", "a date outside"),
        ("DTDATE9.", "a date outside"),
        ("TIME8.", "a time"),
    ],
)
def test_dates_and_times_beyond_what_can_be_counted_are_refused_by_column(tmp_path, display, what):
    frame = pl.DataFrame({"AGE": [1.0, 2.0], "X": [1.0, 1e18]})
    pyreadstat.write_xport(frame, tmp_path / "t.xpt", variable_format={"X": display})
    with pytest.raises(DataError, match=f"column 'X' has {what}.*, the first in row 2"):
        files.read(tmp_path / "t.xpt")


def test_numbers_are_what_their_display_format_says(tmp_path):
    formats = {"D": "MMDDYY10.", "S": "DATETIME", "N": "DTDATE9.", "H": "TIME8.", "L": "TIME8.", "Y": "YYMMDDN8."}
    columns = {"D": 1.0, "S": 86_401.5, "N": 86_401.0, "H": 3600.0, "L": -1.0, "Y": 2.0}
    frame = pl.DataFrame({name: [value] for name, value in columns.items()})
    pyreadstat.write_xport(frame, tmp_path / "t.xpt", variable_format=formats)
    (row,) = files.read(tmp_path / "t.xpt").frame.rows()
    second = dt.datetime(1960, 1, 2, 0, 0, 1)
    assert row[:3] == (dt.date(1960, 1, 2), second + dt.timedelta(seconds=0.5), second)
    assert row[3:] == (dt.time(1), dt.timedelta(seconds=-1), dt.date(1960, 1, 3))


def test_labels_go_into_the_formats_that_have_them_and_standard_output_is_csv(transport, tmp_path):
    source = files.read(transport)
    files.write(source.frame, tmp_path / "out.sav", like=source)
    assert files.read(tmp_path / "out.sav").labels.columns["AGE"] == "age in years"
    assert files.target_format("-", like=source).name == "csv"


def test_a_data_set_is_read_by_the_reader_for_data_sets(transport, tmp_path, monkeypatch):
    asked = []

    def read(path, **options):
        asked.append(path)
        return pyreadstat.read_xport(transport, **options)

    monkeypatch.setattr(pyreadstat, "read_sas7bdat", read)
    (tmp_path / "table.sas7bdat").write_bytes(b"a data set")
    assert files.read(tmp_path / "table.sas7bdat").frame.height == 3
    assert asked == [tmp_path / "table.sas7bdat"]
