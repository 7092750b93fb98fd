"""The papers' tables and figures, made again."""

import functools
import re
from pathlib import Path

import pytest

from shoal.errors import DataError
from shoal.reproduce import EXHIBITS
from shoal.reproduce.exhibit import Exhibit, table
from shoal.reproduce.reference import Reference

PAGE = Path(__file__).parents[2] / "docs" / "reproduction.md"
SLOW = {"p2-table-6"}  # all 511 sets of nine attributes, for 24 releases


@pytest.fixture(scope="module")
def reference(reference_data):
    return Reference.at(reference_data)


@functools.cache
def made_without_data(name):
    return EXHIBITS[name].section(Reference(None))


@pytest.mark.parametrize("name", [name for name, exhibit in EXHIBITS.items() if not exhibit.needs])
def test_what_needs_no_data_is_made_without(name):
    section = made_without_data(name)
    assert section.startswith(f"## {EXHIBITS[name].title}\n")
    assert "|---|" in section


@pytest.mark.parametrize("name", [name for name, exhibit in EXHIBITS.items() if exhibit.needs and name not in SLOW])
def test_the_page_in_the_docs_says_what_is_made_now(reference, name):
    made = EXHIBITS[name].section(reference)
    heading = f"## {EXHIBITS[name].title}\n"
    written = heading + PAGE.read_text(encoding="utf-8").split(heading)[1].split("\n## ")[0]
    assert numbers(made) == pytest.approx(numbers(written), rel=1e-3, abs=1e-3)


def numbers(text):
    """Every number of a section: words may change, and the last digit by the processor."""
    return [float(found) for found in re.findall(r"\d+\.?\d*", text)]


def test_every_exhibit_is_in_the_docs():
    page = PAGE.read_text(encoding="utf-8")
    assert [exhibit.title for exhibit in EXHIBITS.values()] == re.findall(r"^## (.*)$", page, flags=re.M)


def test_mdav_loses_what_was_published(reference):
    assert "**6 of 6 agree to four decimals.**" in EXHIBITS["p0-loss"].section(reference)


def test_table_3_of_t_closeness_is_met_in_every_cell(reference):
    section = EXHIBITS["p1-table-3"].section(reference)
    assert section.count("Smallest groups equal to the published: 49 of 49. Within t: 49 of 49.") == 2


def test_the_weight_that_reaches_t_is_the_published_one():
    section = made_without_data("p4-figure-1")
    assert "t = 0.05: the published weight from which t is reached is 99, ours is 99." in section


class TestReference:
    def test_a_folder_may_be_named_by_the_environment(self, tmp_path, monkeypatch):
        (tmp_path / "census.csv").write_text("a,b\n1,2\n3,4.5\n")
        monkeypatch.setenv("SHOAL_REFERENCE_DATA", str(tmp_path))
        reference = Reference.at()
        assert reference.has("census")
        assert not reference.has("tarragona")
        assert reference.table("census").tolist() == [[1, 2], [3, 4.5]]
        assert list(reference.columns("census")) == ["a", "b"]

    def test_what_is_not_there_is_said(self, tmp_path):
        with pytest.raises(DataError, match="is not a folder"):
            Reference.at(tmp_path / "nowhere")
        with pytest.raises(DataError, match=r"census\.csv is not there"):
            Reference.at(tmp_path).table("census")

    def test_exhibits_know_what_they_lack(self, tmp_path):
        exhibit = Exhibit("x", "X", lambda reference: table(["a"], [[1]]), ("census", "tarragona"))
        (tmp_path / "census.csv").write_text("a\n1\n")
        assert exhibit.missing(Reference.at(tmp_path)) == ("tarragona",)

    @pytest.mark.parametrize("name", ["p1-table-1", "p2-table-4", "p4-figure-2"])
    def test_another_table_of_that_name_is_said(self, tmp_path, name):
        (tmp_path / "census.csv").write_text("a,b\n1,2\n3,4.5\n")
        with pytest.raises(
            DataError, match=r"^census\.csv has no column '[A-Z]+': it is not the table that the papers"
        ):
            EXHIBITS[name].section(Reference.at(tmp_path))
