"""Results as people see them: a screen of text, a card in a notebook, and no value of a record."""

import html.parser
import re
from importlib.resources import files

import polars as pl
import pytest

import shoal
from shoal.card import MOST_CHARACTERS, screenful
from shoal.report import cards

MOST = 2_000
"""Characters of the text of any result."""


@pytest.fixture(scope="module")
def results():
    frame = shoal.examples.discharges(5_000, patients=2_000, seed=1)
    plan = shoal.propose(frame, k=5, refine="none")
    release = shoal.anonymize(frame, plan)
    return {
        "plan": plan,
        "check": shoal.check(frame, plan),
        "release": release,
        "guarantees": release.guarantees,
        "manifest": release.manifest,
        "scores": release.measure(keys=["il_percent", "emd_max", "k_min", "l_distinct", "dld"]),
        "score": release.measure(keys=["emd_max"])["emd_max"],
        "attempts": release.attack(attacks=["linkage", "inference_class"]),
        "summary": release.summary(attacks=["none"]),
        "comparison": shoal.compare(frame, plan, k=[5, 10], keys=["dld", "il_percent"]),
        "run": shoal.compare(frame, plan, k=[5], keys=["il_percent"])[0],
        "model": release.model,
        "utility": shoal.utility(frame, release.data, plan, rows=release.rows, targets=[]),
        "risks": shoal.measures.identification_risks(frame, release.data, plan, rows=release.rows),
        "partition": release.partition,
        "applied": release.model.apply(frame.head(50)),
        "report": shoal.report.collect(frame, release, plan, attacks=["none"]),
        "refinement": shoal.refinement.refinement(*grouped(frame), 5, effort="quick"),
        "bound": shoal.refinement.lower_bound(grouped(frame)[0], 5, seconds=0.1),
        "points": shoal.Points.of(grouped(frame)[0]),
    }


def grouped(frame):
    points = shoal.scaling.zscores(frame.select("age", "stay").to_numpy().astype(float))
    return points, shoal.partition(points, 5)


CARDS = ["plan", "check", "release", "guarantees", "scores", "attempts", "summary", "comparison"]
ALL = [*CARDS, "manifest", "score", "run", "model", "utility", "risks", "partition", "applied"]
ALL += ["report", "refinement", "bound", "points"]


@pytest.mark.parametrize("name", ALL)
def test_the_text_of_a_result_is_at_most_a_screen(results, name):
    assert set(results) == set(ALL)
    assert 0 < len(repr(results[name])) < MOST


@pytest.mark.parametrize("name", CARDS)
def test_a_card_is_small_and_well_formed_and_needs_nothing_else(results, name):
    text = results[name]._repr_html_()
    assert text.startswith('<div class="shoal-card"><style>')
    assert len(text) < 20_000
    assert not re.search(r"<script|src=|url\(|@import|https?://", text)
    assert Elements.of(text) == []


@pytest.mark.parametrize("name", [name for name in CARDS if name != "summary"])
def test_no_card_and_no_text_has_a_value_of_a_record(results, name):
    frame = shoal.examples.discharges(5_000, patients=2_000, seed=1)
    values = {value for column in ("patient_id", "name", "postcode", "diagnosis") for value in frame[column].unique()}
    told = set(re.findall(r"\w+", f"{results[name]!r} {results[name]._repr_html_()}"))
    assert len(values) > 2_000
    assert not values & told


class Elements(html.parser.HTMLParser):
    """The elements that are open at the end of a text, or closed in another order."""

    def __init__(self):
        super().__init__()
        self.open = []

    @classmethod
    def of(cls, text):
        parser = cls()
        parser.feed(text)
        return parser.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_names_of_columns_are_escaped():
    name = "<b>age</b>"
    frame = pl.DataFrame({name: [1, 2, 3, 4]})
    plan = shoal.Plan(k=2, attributes={name: {"role": "quasi_identifier", "kind": "numeric"}})
    for result in (plan, shoal.check(frame, plan), shoal.anonymize(frame, plan).summary()):
        text = result._repr_html_()
        assert "<b>" not in text
        assert "&lt;b&gt;age" in text


def test_what_is_wrong_is_said_on_a_card():
    frame = pl.DataFrame({"age": [1, 2, 3, 4]})
    plan = shoal.Plan(k=5, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    text = shoal.check(frame, plan)._repr_html_()
    assert "cannot be released" in text
    assert 'class="bad"' in text
    failed = shoal.measures.assess(frame, frame, plan.with_(k=2))
    assert "✗ k anonymity" in failed._repr_html_()


def test_the_colours_are_those_of_the_report_by_light_and_in_the_dark():
    sheet = files("shoal.report").joinpath("style.css").read_text()
    light, dark = (dict(re.findall(r"(--[\w-]+): (#\w+)", part)) for part in sheet.split("@media", 2)[:2])
    for own, theirs in ((cards._LIGHT, light), (cards._DARK, dark)):
        found = dict(re.findall(r"(--[\w-]+):(#\w+)", own))
        assert found == {name: theirs[name] for name in found}
        assert len(found) == 8
    assert f"prefers-color-scheme:dark){{.shoal-card{{{cards._DARK}" in cards._STYLE


def test_many_rows_are_counted():
    names = [f"column {i}" for i in range(100)]
    plan = shoal.Plan(k=2, attributes={name: {"role": "quasi_identifier", "kind": "numeric"} for name in names})
    assert f"and {100 - cards.MOST_ROWS} more" in plan._repr_html_()
    assert len(repr(plan)) <= MOST_CHARACTERS + 40
    assert "more lines" in repr(plan)


def test_a_long_line_ends_in_dots():
    text = screenful(["x" * 1_000, "y"])
    assert text.splitlines()[0].endswith("…")
    assert text.splitlines()[1] == "y"


def test_the_first_line_of_a_result_counts_as_people_do(results):
    release, model = results["release"], results["model"]
    groups = f"{release.manifest['groups']['count']:,} groups"
    assert repr(release).startswith(f"Release of 5,000 records in {groups}\n")
    assert repr(release.guarantees).startswith("1 guarantee, everything")
    head = f"Model of {len(model)} groups of 5 to {model.sizes.max()} subjects (patient_id), k = 5\n  masks: age, "
    assert repr(model).startswith(head)
    applied = results["applied"]
    assert applied.not_promised in repr(applied)


def test_where_nothing_is_promised_no_attack_is_said_to_keep_within_it():
    frame = shoal.examples.discharges(200, seed=1).select("age", "stay", "charge")
    plan = shoal.Plan(
        k=5,
        method="individual",
        guarantee=False,
        attributes={
            "age": {"role": "quasi_identifier", "kind": "numeric"},
            "stay": {"role": "quasi_identifier", "kind": "numeric"},
            "charge": {"role": "confidential", "kind": "numeric"},
        },
    )
    release = shoal.anonymize(frame, plan)
    card = release.attack(attacks=["linkage"])._repr_html_()
    assert "1 tried, nothing is promised against them" in card
    assert "none beyond the promise" not in card
    assert "k not guaranteed: " in release._repr_html_()  # a capital K would be another symbol
