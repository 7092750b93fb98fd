"""A control or a holdout is of people who are not in the original."""

import numpy as np
import polars as pl
import pytest

import shoal
from grids import every
from shoal.errors import DataError
from shoal.frames import Table
from shoal.measures.control_records import require_other_people

PLAN = {
    "k": 2,
    "attributes": {
        "who": {"role": "identifier"},
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "ill": {"role": "confidential", "kind": "nominal"},
        "w": {"role": "other"},
    },
}


def people(n, seed, *, coarse=False):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 24, n).astype(float) if coarse else rng.normal(50, 15, n)
    return pl.DataFrame({"who": [f"{seed}-{i}" for i in range(n)], "age": age, "ill": rng.choice(["a", "b"], n)})


def check(first, second, **changes):
    plan = shoal.Plan.from_mapping({**PLAN, **changes})
    require_other_people(Table.of(first), Table.of(second), plan, called="control")


@every(seed=range(20), coarse=[False, True])
def test_another_sample_of_the_same_people_passes(seed, coarse):
    first, second = people(300, 100 + seed, coarse=coarse), people(80, 200 + seed, coarse=coarse)
    check(first, second)
    with pytest.raises(DataError, match="the control overlaps the original"):
        check(first, pl.concat([second, first[:1]]))


def test_copies_are_found_whatever_they_are_named_and_weigh():
    first = people(300, 1).with_columns(w=pl.lit(2.0))
    copies = first[:20].with_columns(who=pl.Series([f"new {i}" for i in range(20)]), w=pl.lit(3.0))
    mixed = pl.concat([people(80, 2).with_columns(w=pl.lit(2.0)), copies])
    with pytest.raises(DataError, match="the control overlaps the original: 20 of its 100 records are equal"):
        check(first, mixed, weights="w")


def test_the_subject_says_who_people_are_before_other_identifiers_do():
    attributes = {**PLAN["attributes"], "ward": {"role": "identifier"}}
    first, second = people(50, 1), people(50, 2)
    wards = pl.Series("ward", ["north"] * 50)
    check(first.with_columns(wards), second.with_columns(wards), subject="who", attributes=attributes)
    with pytest.raises(DataError, match="both have 1 value of 'ward'"):
        check(first.with_columns(wards), second.with_columns(wards), subject="record", attributes=attributes)
    with pytest.raises(DataError, match="both have 1 value of 'who'"):
        check(first, pl.concat([second, people(1, 1)]), subject="who")


def test_nobody_is_no_control():
    with pytest.raises(DataError, match="the control has no records"):
        check(people(10, 1), people(10, 2)[:0])
