"""What makes a report easy to read: heads over numbers, whole dates, labels, scales, words."""

import datetime
import re

import numpy as np
import polars as pl
import pytest

import shoal
from report.tables import people, plan
from shoal.measure import MEASURES
from shoal.report import charts, collect
from shoal.report.charts.style import LABEL_LINES, LABEL_WIDTH, wrapped
from shoal.report.data import Bar, Histogram
from shoal.report.markup import quantity, table


@pytest.fixture(scope="module")
def data():
    frame = people()
    return collect(frame, shoal.anonymize(frame, plan()), plan(), attacks=["none"])


def cells(markup, tag):
    return re.findall(rf"<{tag}\b([^>]*)>", markup)


def test_heads_stand_over_the_numbers_of_their_column():
    drawn = table(("name", "count", "day", "words"), [("a", 5, "2024-01-31", "x"), ("b", None, "2024-02-01", "y")])
    heads = cells(drawn, "th")[:4]
    assert ["number" in head for head in heads] == [False, True, False, False]
    assert ["number" in cell for cell in cells(drawn, "td")] == [True, False, False] * 2
    assert "number" in cells(table(("", "lost"), [("a", quantity(3.5, unit="%"))]), "td")[0]


def test_days_are_not_broken_into_lines():
    drawn = table(("name", "day"), [("a", "2024-01-31"), ("b", "2024-02-01T12:30:00")])
    assert all('class="date"' in cell for cell in cells(drawn, "td"))
    assert "td.date { white-space: nowrap" in page_style()
    assert 'class="date"' not in table(("name", "day"), [("a", "2024-01-31 and later")])


def page_style():
    from importlib.resources import files

    return files("shoal.report").joinpath("style.css").read_text(encoding="utf-8")


def test_a_wide_table_shows_that_it_scrolls_and_can_be_reached_by_keys():
    assert 'class="scroll" tabindex="0" role="region" aria-label="Table"' in table(("a", "b"), [("x", 1)])
    shade = page_style().partition(".scroll {")[2].partition("}")[0]
    assert "overflow-x: auto" in shade
    assert shade.count("local") == shade.count("scroll;") + shade.count("scroll,") == 2


def test_long_labels_stand_in_lines():
    label = "diseases of the circulatory system, other than those of the heart"
    lines = wrapped(label)
    assert 1 < len(lines) <= LABEL_LINES
    assert all(len(line) <= LABEL_WIDTH for line in lines)
    frame = people().with_columns(county=pl.col("county").replace({"Osona": label}))
    drawn = charts.svg(
        charts.before_after(
            next(
                each
                for each in collect(frame, shoal.anonymize(frame, plan()), plan(), attacks=["none"]).distributions
                if each.name == "county"
            )
        )
    )
    assert all(f">{line}</" in drawn for line in lines)
    assert label in drawn  # whole under the pointer


def test_open_ends_are_told_below_and_not_on_the_bars():
    frame = people()
    pay = frame["pay"].to_numpy().copy()
    pay[:20] = np.linspace(2_000, 9_000, 20)
    frame = frame.with_columns(pay=pl.Series(pay))
    report = collect(frame, shoal.anonymize(frame, plan()), plan(), attacks=["none"])
    html = report.to_html()
    last = next(each for each in report.distributions if each.name == "pay").bins[-1]
    assert last.high is None
    assert "&amp; over" not in html
    assert re.search(rf" The paler bars? holds? [^<]*{last.label}\.</figcaption>", html)


def test_distances_of_several_attributes_have_one_scale(data):
    axes = charts.common_axes(data.closeness)
    assert axes.farthest == max(bar.high for each in data.closeness for bar in each.bars)
    assert axes.most == max(bar.amount for each in data.closeness for bar in each.bars)
    domains = [
        (chart["encoding"]["x"]["scale"]["domain"], chart["encoding"]["y"]["scale"]["domain"])
        for chart in (charts.distances(each, axes).to_dict() for each in data.closeness)
    ]
    assert len(domains) == 2
    assert domains[0] == domains[1] == ([0, axes.farthest], [0, axes.most])
    asked = Histogram("pay", "classes", (Bar("0 to 0.1", 0.0, 0.1, 3),), "…", limit=0.4)
    assert charts.common_axes([asked]).farthest == 0.4


@pytest.mark.parametrize("kind", [pl.Date, pl.Datetime("us")])
def test_days_have_no_time_of_day(kind):
    frame = people().with_columns(pl.col("seen").cast(kind))
    report = collect(frame, shoal.anonymize(frame, plan()), plan(), attacks=["none"])
    seen = next(each for each in report.distributions if each.name == "seen")
    shown = [value for _, *values in seen.summary for value in values if isinstance(value, str)]
    shown += [group.values["seen"] for group in report.riskiest]
    assert shown
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", value) for value in shown)


def test_times_of_day_stay_where_there_are_some():
    noon = pl.col("seen").cast(pl.Datetime("us")) + datetime.timedelta(hours=12)
    frame = people().with_columns(noon)
    report = collect(frame, shoal.anonymize(frame, plan()), plan(), attacks=["none"])
    seen = next(each for each in report.distributions if each.name == "seen")
    assert {name: before for name, before, _ in seen.summary}["smallest"].endswith("T12:00:00")


def test_filled_gaps_are_no_category_that_was_lost():
    frame = people()
    gaps = frame.with_columns(county=pl.when(pl.int_range(pl.len()) < 3).then(None).otherwise(pl.col("county")))
    report = collect(gaps, shoal.anonymize(gaps, plan()), plan(), attacks=["none"])
    county = next(each for each in report.distributions if each.name == "county")
    assert ("categories", 3, 3) in county.summary
    assert "not in the release" not in county.sentence
    assert not any("of county" in text and "not in the release" in text for text in report.cautions)


def test_categories_that_come_are_told_beside_those_that_go():
    tree = {"north": ["Osona", "Bages"], "south": ["Anoia", "Garraf"]}
    attributes = plan().to_dict()["attributes"]
    attributes["county"] |= {"hierarchy": tree, "aggregate": "ancestor"}
    frame = people(n=60)
    chosen = plan(attributes=attributes, k=8)
    report = collect(frame, shoal.anonymize(frame, chosen), chosen, attacks=["none"])
    county = next(each for each in report.distributions if each.name == "county")
    summary = {name: (before, after) for name, before, after in county.summary}
    before, still = summary["categories of the original"]
    new = summary["categories"][1] - still
    assert new > 0
    assert f"{new} {'is' if new == 1 else 'are'} new in it" in county.sentence
    assert ("not in the release any more" in county.sentence) == (still < before)


def test_the_riskiest_classes_say_what_they_give_away():
    frame = people()
    alike = frame.with_columns(illness=pl.when(pl.col("age") > 60).then(pl.lit("flu")).otherwise(pl.col("illness")))
    report = collect(alike, shoal.anonymize(alike, plan()), plan(), attacks=["none"])
    first = report.riskiest[0]
    assert first.distinct["illness"] == 1
    assert re.match(r"all have illness \w+ \(EMD ", first.why)
    assert re.search(r"pay from [\d.]+ to [\d.]+ \(EMD ", first.why)
    assert first.why in re.sub("&#x27;", "'", report.to_html())


def test_measures_are_called_by_names_for_people(data):
    html = data.to_html()
    for row in data.scores:
        assert f"<dt>{row.name[0].upper()}{row.name[1:]} <code>{row.key}</code></dt>" in html
    named = [measure.definition.title for measure in MEASURES.values()]
    assert all(named)
    assert len(set(named)) == len(named)


def test_before_you_sign_stands_in_both_editions():
    frame = people()
    for edition in ("internal", "external"):
        report = collect(frame, shoal.anonymize(frame, plan()), plan(), edition=edition, attacks=["none"])
        assert "<h2>Before you sign</h2>" in report.to_html()
        assert report.summary.decide
