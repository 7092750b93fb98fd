"""Cells and names that cannot be drawn: the text is cleaned, a lost chart costs itself, and the report is there."""

import re
import xml.etree.ElementTree as ElementTree

import polars as pl
import pytest

import shoal
from command import shoal as command
from report.tables import people, plan
from shoal.report import charts, collect
from shoal.report.charts.drawing import Drawer
from shoal.report.html import drawing
from shoal.report.wording import readable

HOSTILE = {
    "null": "\x00",
    "control": "\x01",
    "escape": "\x1b[2J",
    "delete": "\x7f",
    "C1": "\x9b",
    "noncharacter": "\ufffe",
    "last of a plane": "\uffff",
    "of another plane": "\U0001fffe",
    "inner noncharacter": "\ufdd0",
    "turned": "\u202e",
}


def spec(text):
    values = [{"label": text, "amount": 3}]
    return {"data": {"values": values}, "mark": "bar", "encoding": {"y": {"field": "label", "type": "nominal"}}}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_report_survives_any_character_in_a_cell(tmp_path, name):
    text = HOSTILE[name]
    rows = [(20.0 + i % 50, f"Os{text}{i % 3}", f"f{text}lu{i % 2}") for i in range(120)]
    pl.DataFrame(rows, schema=["age", "county", "illness"], orient="row").write_parquet(tmp_path / "data.parquet")
    (tmp_path / "plan.toml").write_text(
        'k = 3\n[attributes]\nage = { role = "quasi_identifier", kind = "numeric" }\n'
        'county = { role = "quasi_identifier", kind = "nominal" }\n'
        'illness = { role = "confidential", kind = "nominal" }\n'
    )
    written = ("-o", "out.parquet", "--report", "r.html")
    done = command("anonymize", "data.parquet", "--plan", "plan.toml", *written, cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    assert not list(tmp_path.glob("*.part*"))
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert text[0] not in page
    drawn = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawn) >= 4
    for each in drawn:
        ElementTree.fromstring(each)
    assert any(
        text in cell for cell in pl.read_parquet(tmp_path / "out.parquet")["illness"]
    )  # the release is not touched


def test_names_with_half_a_character_can_be_written():
    frame = people(n=60)
    data = collect(frame, shoal.anonymize(frame, plan()), plan(), name="a\udcff.csv")
    assert "a\N{REPLACEMENT CHARACTER}.csv" in data.to_html().encode().decode()
    assert "a\N{REPLACEMENT CHARACTER}.csv" in data.to_json().encode().decode()


def test_a_renderer_that_crashes_costs_one_chart():
    drawer = Drawer()
    assert drawer.draw(spec("a\x00b")) is None  # native code aborts here
    assert drawer.draw({"mark": "no such mark"}) is None
    assert drawer.draw(spec("ab")).startswith("<svg")
    drawer.close()


def test_a_page_says_that_a_chart_is_lost(monkeypatch):
    monkeypatch.setattr("shoal.report.charts.style.draw", lambda spec: None)
    frame = people(n=60)
    page = collect(frame, shoal.anonymize(frame, plan()), plan()).to_html()
    assert "<svg" not in page
    assert page.count("This chart could not be drawn") >= 8
    assert page.count("<figcaption>") >= 8


def test_drawn_text_stays_apart():
    assert len({readable(f"a{chr(code)}") for code in range(32)}) == 32
    assert readable("tab\tand\nline") == "tab\tand\nline"


def test_a_chart_stands_in_its_place():
    assert "<svg" in drawing(
        charts.histogram(collect(people(60), shoal.anonymize(people(60), plan()), plan()).sizes, "size")
    )
