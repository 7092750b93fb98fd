"""What makes a report easy to read: heads over numbers, whole dates, labels, scales, words."""

import datetime
import re

import numpy as np
import polars as pl
import pytest

import shoal
from report.tables import people, plan
from shoal.measures import MEASURES
from shoal.report import assess, charts, collect
from shoal.report.charts.style import LABEL_LINES, LABEL_WIDTH, wrapped
from shoal.report.markup import quantity, table
from shoal.report.report_data import Bar, Drift, Histogram
from shoal.report.summary.losses import relations
from shoal.report.summary.words import figure_of
from shoal.report.wording import percent


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


def test_a_class_without_days_has_none():
    frame = pl.DataFrame(
        {"age": [1, 2, 90, 91], "seen": [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2), None, None]}
    )
    known = {
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "seen": {"role": "quasi_identifier", "kind": "date"},
    }
    days = shoal.Plan(k=2, missing="keep", attributes=known)
    for each in (frame, frame.cast({"seen": pl.Datetime("us")}).to_pandas()):
        report = collect(each, shoal.anonymize(each, days), days, attacks=["none"])
        assert {group.values["seen"] for group in report.riskiest} >= {None}


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
    chosen = plan(missing="impute")
    report = collect(gaps, shoal.anonymize(gaps, chosen), chosen, attacks=["none"])
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
    assert first.why in re.sub("&#39;", "'", report.to_html())


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


def test_numbers_that_are_names_are_no_amounts():
    codes = {"Osona": 8002, "Bages": 8006, "Anoia": 8014}
    illness = {"flu": 1001, "gout": 1002, "mumps": 1003}
    frame = people().with_columns(
        county=pl.col("county").replace_strict(codes), illness=pl.col("illness").replace_strict(illness)
    )
    report = collect(frame, shoal.anonymize(frame, plan()), plan(), attacks=["none"])
    assert {each.values["county"] for each in report.riskiest} <= {"8002", "8006", "8014"}
    assert all(re.search(r"illness 100[123]\b", each.why) for each in report.riskiest)
    assert not re.search(r"\b[18],00\d\b", report.to_html().partition('id="riskiest"')[2].partition("</section>")[0])


def test_what_few_records_do_is_not_told_as_nothing():
    frame = people(1000)
    row = frame["county"].index_of("Osona")
    one = pl.when(pl.int_range(pl.len()) == row).then(pl.lit("Bages")).otherwise(pl.col("county"))
    assessed = assess(frame, frame.with_columns(county=one).drop("name"), plan())
    found = collect(frame, assessed, plan(), attacks=["none"]).distributions
    county = next(each for each in found if each.name == "county")
    assert county.sentence.startswith("Under 1\N{NO-BREAK SPACE}% of the records have another category")


def test_a_difference_below_zero_is_told_with_its_sign():
    frame = people()
    report = collect(frame, shoal.anonymize(frame, plan()), plan(), attacks=["singling_out"])
    (found,) = report.attempts
    assert found["interval"]["low"] < 0
    told = report.to_html().partition("95 % interval ")[2].partition(" to ")[0]
    assert "<" not in told
    assert told.startswith("\N{MINUS SIGN}") or told == "0 %"
    assert percent(-0.0023) == "\N{MINUS SIGN}0.2 %"


def test_slight_changes_of_relations_are_words():
    columns = ("age", "pay")
    before = ((1.0, 0.5), (0.5, 1.0))
    slight = relations(Drift(columns, before, ((1.0, 0.50006), (0.50006, 1.0)), "…"))
    assert figure_of(slight) == "under 0.001"
    assert slight.sentence == "No correlation moves by as much as 0.01."
    clear = relations(Drift(columns, before, ((1.0, 0.47), (0.47, 1.0)), "…"))
    assert figure_of(clear) == "0.03"
    assert clear.sentence.endswith("that of age and pay most, by -0.03.")
    assert relations(None).words == "none"  # nothing is kept from the reader: there is nothing to correlate


def test_records_are_not_called_subjects():
    frame = people()
    facts = {each.name: each.unit for each in collect(frame, shoal.anonymize(frame, plan()), plan()).facts}
    assert facts["smallest class"] == "records"
    stays = frame.with_columns(name=pl.Series([f"person-{i // 2}" for i in range(len(frame))]))
    whose = plan(subject="name")
    facts = {each.name: each.unit for each in collect(stays, shoal.anonymize(stays, whose), whose).facts}
    assert facts["smallest class"] == "subjects"


def test_numbers_and_heads_are_not_broken_where_long_names_are():
    style = page_style()
    assert "overflow-wrap: anywhere" in style.partition("body {")[2].partition("}")[0]
    assert "overflow-wrap: normal" in style.partition(".scores .value {")[2].partition("}")[0]
    assert "white-space: nowrap" in style.partition("#riskiest thead th:first-child {")[2].partition("}")[0]


def test_many_columns_are_no_wall_of_words():
    draw = np.random.default_rng(2)
    names = [f"x{i:02d}" for i in range(40)]
    frame = pl.DataFrame({name: draw.normal(size=60) for name in names})
    role = {"role": "quasi_identifier", "kind": "numeric"}
    secret = {"role": "confidential", "kind": "numeric"}
    wide = shoal.Plan(k=5, attributes={name: role if i < 20 else secret for i, name in enumerate(names)})
    report = collect(frame, shoal.anonymize(frame, wide), wide, attacks=["none"])
    assert "x00, x01, x02, x03, x04 and 15 others, which others may know" in report.summary.what
    assert "Whoever knows x00, x01, x02, x03, x04 and 15 others of a person" in report.summary.promises[0].sentence
    assert any("nobody outside knows x20, x21, x22, x23, x24 or 15 others" in each for each in report.summary.decide)
    risky = report.to_html().partition('id="riskiest"')[2].partition("</section>")[0]
    assert len(re.findall(r'<th scope="col"[^>]*>x\d\d</th>', risky)) == 8
    assert "The JSON file has 12 more columns of them." in risky
    assert len(report.riskiest[0].values) == 20
