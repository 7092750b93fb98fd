"""An attribute that varies in a few subjects alone."""

import numpy as np
import polars as pl
import pytest

import shoal
from giveaways.looking import NUMERIC, found

PERSONS, STAYS = 200, 4
PLAN = shoal.Plan(
    k=4,
    subject="person",
    attributes={
        "person": {"role": "identifier"},
        "born": NUMERIC,
        "stay": NUMERIC,
        "rare": {"role": "quasi_identifier", "kind": "nominal"},
    },
)


def stays(changed=0, persons=PERSONS):
    rng = np.random.default_rng(3)
    person = rng.permutation(np.repeat(np.arange(persons), STAYS))
    born = rng.integers(1930, 2010, persons)[person]
    for i in range(changed):
        born[np.flatnonzero(person == i)[1]] += 7
    n = len(person)
    rare = np.where(np.arange(n) % 150 == 5, "yes", "no")
    return pl.DataFrame({"person": person, "born": born, "stay": rng.integers(1, 40, n), "rare": rare})


@pytest.mark.parametrize("changed", [1, 10])
def test_a_few_subjects_that_vary(changed):
    (giveaway,) = found(stays(changed), PLAN, "nearly_constant")
    assert giveaway.sentence == (
        f"'born' is the same in all records of a subject, but for {changed} of 200 subjects with several records, so "
        "it is masked record by record and not once for each subject: is that an error in the data?"
    )
    assert giveaway.columns == ("born",)
    assert giveaway.records == changed * STAYS
    assert giveaway.remedy == ""


@pytest.mark.parametrize("changed", [0, 11, 60])
def test_none_where_all_are_constant_or_more_vary(changed):
    assert found(stays(changed), PLAN, "nearly_constant") == []


def test_what_hardly_varies_at_all_is_not_constant_of_a_subject():
    frame = stays()
    varied = frame.group_by("person").agg(pl.col("rare").n_unique())["rare"]
    assert 0 < (varied > 1).sum() < 10
    assert found(frame, PLAN, "nearly_constant") == []


def test_few_subjects_show_nothing():
    assert found(stays(1, persons=9), PLAN, "nearly_constant") == []
    assert found(stays(1), PLAN.replace(subject="record"), "nearly_constant") == []
