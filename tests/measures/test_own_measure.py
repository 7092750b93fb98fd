"""A measure of one's own: registered once, known everywhere, and withheld from external readers unless it says so."""

from __future__ import annotations

import dataclasses
import json

import pytest

import command
import shoal
from measures.test_docs import row, rows_that_lack
from report.tables import people, plan
from shoal.comparison import compare, pareto_front, parse_bounds
from shoal.errors import PlanError
from shoal.measures import MEASURES, Definition, Measure, Pair, compute, measure
from shoal.report import collect
from shoal.report.html import comparison_page

SINGLETONS = Definition(
    "singletons",
    "Number of records that share their released quasi-identifiers with nobody.",
    aspect="risk",
    better="lower",
    low=0.0,
    high=float("inf"),
    unit="records",
)


def registered(definition, caution=None):
    def singletons(pair, *, at_most=1):
        columns = definition.covered(pair)
        return definition.score((pair.sizes <= at_most).sum(), columns, attributes={columns[0].name: 7.0})

    return MEASURES.register(Measure(definition, singletons, caution))


@pytest.fixture
def singletons():
    yield registered(SINGLETONS, caution=lambda score: [f"There are {score.value:.0f} singletons."])
    MEASURES.unregister("singletons")
    assert "singletons" not in MEASURES


def test_it_is_computed_alone_and_with_all_others(singletons):
    pair = Pair.of([1.0, 2.0, 3.0], [1.5, 1.5, 3.0])
    assert compute(pair, ["singletons"])["singletons"].value == 1
    assert list(compute(pair))[-1] == "singletons"
    assert compute(pair, ["singletons"], at_most=2)["singletons"].value == 2


def test_tables_are_measured_by_it(singletons):
    frame = people(60)
    released = shoal.anonymize(frame, plan()).data
    assert measure(frame, released, plan(), keys=["singletons"])["singletons"].value == 0
    assert "singletons" in measure(frame, released, plan())


def test_the_command_line_knows_it(singletons, tmp_path):
    frame = people(60).select("age", "pay")
    attributes = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in frame.columns}
    shoal.Plan(k=3, attributes=attributes).save(tmp_path / "plan.toml")
    frame.write_csv(tmp_path / "data.csv")
    words = ["measure", "data.csv", "data.csv", "--plan", "plan.toml"]
    done = command.shoal(*words, "-m", "singletons", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["singletons"]
    assert (found["value"], found["definition"]) == (60, SINGLETONS.text)
    assert b"singletons" in command.shoal(*words, cwd=tmp_path).stdout


def test_plans_are_compared_by_it(singletons):
    runs = compare(people(60), plan(), {"k": [3, 5]}, keys=["singletons", "il_percent"], jobs=1)
    assert [run.scores["singletons"] for run in runs] == [0, 0]
    axes = ("singletons", "il_percent")
    front = pareto_front(runs, axes)
    assert any(front)
    assert "singletons (records), lower is better" in comparison_page(runs.by(*axes), picked=None, name="people")
    assert parse_bounds("singletons <= 0")[0].holds(0)


def reported(edition):
    frame = people()
    return collect(frame, shoal.anonymize(frame, plan()), plan(), edition=edition)


def scores_of(data):
    return {score.key: score for score in data.scores}


def test_an_internal_report_shows_it_with_its_caution(singletons):
    data = reported("internal")
    assert scores_of(data)["singletons"].definition == SINGLETONS.text
    assert "There are 0 singletons." in data.cautions
    assert SINGLETONS.text in data.to_html()


def test_an_external_report_withholds_what_nobody_has_thought_about(singletons):
    data = reported("external")
    assert "singletons" not in scores_of(data)
    assert "singletons" not in data.to_html() + data.to_json()


@pytest.mark.parametrize("external", ["release", "withheld"])
def test_an_external_report_shows_what_the_definition_allows(external):
    registered(dataclasses.replace(SINGLETONS, external=external))
    try:
        inside, outside = scores_of(reported("internal")), scores_of(reported("external"))
    finally:
        MEASURES.unregister("singletons")
    assert inside["singletons"].attributes == {"age": 7.0}
    assert ("singletons" in outside) == (external == "release")
    if external == "release":
        assert outside["singletons"].attributes == {"age": 7.0}


def test_the_documentation_must_have_it(singletons):
    assert rows_that_lack() == [row(SINGLETONS)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"key": "dld"}, "there is a measure 'dld' already"),
        ({"key": "my measure"}, "letters, digits and underscores, not 'my measure'"),
        ({"external": "everything"}, "must be release, subjects, withheld, not 'everything'"),
        ({"low": 2.0, "high": 1.0}, "must run from low to high, not from 2.0 to 1.0"),
    ],
)
def test_what_cannot_be_registered_is_refused(change, message):
    before = dict(MEASURES)
    with pytest.raises(PlanError, match=message):
        registered(dataclasses.replace(SINGLETONS, **change))
    assert dict(MEASURES) == before


def test_a_key_can_be_taken_once(singletons):
    with pytest.raises(PlanError, match="unregister that one first"):
        MEASURES.register(singletons)


def test_only_what_is_there_can_be_unregistered():
    with pytest.raises(PlanError, match=r"measure must be one of .*, not 'singletons'"):
        MEASURES.unregister("singletons")


def test_the_registry_cannot_be_written_around():
    with pytest.raises(TypeError):
        MEASURES["singletons"] = None
    assert "singletons" not in MEASURES
