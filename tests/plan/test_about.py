"""The section that says what a release is."""

import datetime

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.comparison.grid import plan_fingerprint
from shoal.errors import PlanError

ATTRIBUTES = {"age": {"role": "quasi_identifier", "kind": "numeric"}}


def plan(**choices):
    return shoal.Plan(k=2, attributes=ATTRIBUTES, **choices)


@pytest.mark.parametrize("day", ["2026-03-31", datetime.date(2026, 3, 31)])
def test_it_survives_toml(day):
    chosen = plan(about={"title": " Stays ", "purpose": "a study", "recipient": "you", "contact": "me", "date": day})
    assert (chosen.about.title, chosen.about.date) == ("Stays", "2026-03-31")
    assert shoal.Plan.parse(chosen.to_toml()) == chosen


def test_a_day_of_toml_is_a_day():
    text = 'k = 2\n[about]\ndate = 2026-03-31\n[attributes]\nage = { role = "quasi_identifier", kind = "numeric" }\n'
    assert shoal.Plan.parse(text).about.date == "2026-03-31"


@pytest.mark.parametrize(
    ("about", "says"),
    [
        ({"title": " "}, "about.title: must be a text of one line"),
        ({"title": "a\nb"}, "about.title: must be a text of one line"),
        ({"title": "a\x1b[2J"}, "without control characters"),
        ({"contact": "a\u202eb"}, "without control characters"),
        ({"title": "x" * 501}, "about.title must be text of at most 500 characters"),
        ({"date": "31.3.2026"}, "about.date: must be a day such as 2026-03-31"),
        ({"date": datetime.datetime(2026, 3, 31, 9)}, "about.date: must be a day such as 2026-03-31"),
        ({"date": datetime.time(9)}, "about.date: must be a day such as 2026-03-31"),
        ({"date": 20260331}, "about.date must be text"),
        ({"titel": "x"}, "did you mean 'title'"),
        ("x", "about must be a table"),
    ],
)
def test_what_is_wrong_is_said(about, says):
    with pytest.raises(PlanError) as error:
        plan(about=about)
    assert says in str(error.value)


def test_it_changes_no_release_and_stands_in_the_manifest():
    frame = pl.DataFrame({"age": np.random.default_rng(1).permutation(40)})
    told = shoal.anonymize(frame, plan(about={"title": "Ages"}))
    silent = shoal.anonymize(frame, plan())
    assert told.data.equals(silent.data)
    assert told.manifest["plan"]["about"] == {"title": "Ages"}
    assert plan_fingerprint(plan(about={"title": "Ages"})) == plan_fingerprint(plan())
