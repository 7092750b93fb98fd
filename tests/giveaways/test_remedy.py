"""Remedies are lines of a plan that the plan takes, and that end what they are said to end."""

import numpy as np
import polars as pl
import pytest

import shoal
from giveaways.looking import NOMINAL, NUMERIC, OTHER, SECRET, ends_by_remedy, found
from people import attributes, people
from people import plan as of_people
from shoal.frames import Table
from shoal.giveaways import Survey, remedied
from shoal.giveaways.remedy import dropping, first_valid, masking
from shoal.plan.attribute import Role
from shoal.plan.toml import parse_toml


def survey(frame, plan):
    return Survey(Table.of(frame), plan)


def test_lines_are_put_into_a_plan():
    before = of_people(diversity={"distinct": 2})
    after = remedied(before, '[attributes]\nward = { role = "identifier" }\n\n[diversity]\nmissing = "category"')
    assert after.names(Role.IDENTIFIER) == ("name", "ward")
    assert after.to_dict()["diversity"] == {"distinct": 2, "missing": "category"}
    assert remedied(before, "k = 9").k == 9


def test_the_first_lines_that_leave_a_valid_plan_are_taken():
    plan = of_people()
    wrong = {"attributes": {"ward": {"role": "quasi_identifier"}}}  # without a kind
    assert first_valid(plan, wrong, {"k": 1}, {"k": 7}) == "k = 7"
    assert first_valid(plan, wrong) == ""


def test_columns_are_masked_as_what_they_are():
    rng = np.random.default_rng(0)
    frame = people().with_columns(
        code=pl.Series(rng.integers(0, 9, 203)),
        seen=pl.col("admitted"),
        mark=pl.Series(rng.choice(["good", "bad"], 203), dtype=pl.Enum(["bad", "good"])),
        flag=pl.col("age") > 40,
        gap=pl.when(pl.col("age") > 20).then("pay"),
        word=pl.when(pl.col("age") > 20).then("county"),
        nights=pl.duration(hours="age"),
    )
    new = ("code", "seen", "mark", "flag", "gap", "word", "nights")
    plan = of_people(attributes=attributes() | dict.fromkeys(new, OTHER))
    lines = parse_toml(masking(survey(frame, plan), new))
    assert lines == {
        "attributes": {
            "code": {"role": "quasi_identifier", "kind": "numeric"},
            "seen": {"role": "quasi_identifier", "kind": "date"},
            "mark": {"role": "quasi_identifier", "kind": "ordinal"},
            "flag": {"role": "quasi_identifier", "kind": "nominal"},
            "gap": {"role": "quasi_identifier", "kind": "numeric", "missing": "impute"},
            "word": {"role": "quasi_identifier", "kind": "nominal", "missing": "category"},
            "nights": {"role": "identifier"},
        },
    }
    shoal.anonymize(frame, remedied(plan, masking(survey(frame, plan), new)))


def test_what_the_plan_says_of_a_column_stays():
    rng = np.random.default_rng(0)
    steps = ["low", "mid", "high"]
    frame = people().with_columns(step=pl.Series(rng.choice(steps, 203)))
    about = {"role": "other", "kind": "ordinal", "order": steps}
    plan = of_people(attributes=attributes() | {"step": about})
    assert parse_toml(masking(survey(frame, plan), ["step"])) == {
        "attributes": {"step": {"role": "quasi_identifier", "kind": "ordinal", "order": steps}}
    }


def test_a_policy_of_the_plan_needs_no_line():
    frame = people().with_columns(gap=pl.when(pl.col("age") > 20).then("pay"))
    plan = of_people(attributes=attributes() | {"gap": OTHER}, missing="impute")
    assert "missing" not in masking(survey(frame, plan), ["gap"])


def test_where_one_column_cannot_be_masked_the_others_still_are():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({name: rng.integers(0, 50, 60) for name in ("age", "pay")}).with_columns(
        ward=pl.Series(rng.choice(list("abc"), 60)), tax=pl.Series(rng.normal(size=60))
    )
    about = {"age": NUMERIC, "pay": NUMERIC, "ward": OTHER, "tax": OTHER}
    plan = shoal.Plan(k=4, method="projected", attributes=about)
    assert parse_toml(masking(survey(frame, plan), ["ward", "tax"])) == {
        "subject": "record",
        "attributes": {"ward": {"role": "identifier"}, "tax": {"role": "quasi_identifier", "kind": "numeric"}},
    }


def test_there_are_no_lines_where_the_plan_needs_the_column():
    frame = people().with_columns(share=pl.col("age") + 1.5)
    plan = of_people(attributes=attributes() | {"share": SECRET}, weights="share")
    assert masking(survey(frame, plan), ["share"]) == dropping(survey(frame, plan), ["share"]) == ""
    (giveaway,) = found(frame, plan, "told")
    assert giveaway.remedy == ""


@pytest.mark.parametrize(
    ("method", "release"),
    [("mdav", "aggregate"), ("mdav", "permute"), ("projected", "permute"), ("individual", "aggregate")],
)
def test_every_remedy_ends_its_warning(method, release):
    rng = np.random.default_rng(9)
    n = 300
    age = rng.integers(18, 90, n)
    frame = pl.DataFrame(
        {
            "id": rng.permutation(n),
            "age": age,
            "income": rng.lognormal(10, 0.5, n),
            "pay": rng.lognormal(9, 0.5, n),
            "band": pl.Series(age // 20).cast(pl.String),
            "bed": rng.integers(0, 40, n),
            "floor": rng.integers(0, 20, n),
            "mail": [f"m{i}" for i in rng.permutation(n)],
            "marks": [[1, 2]] * n,
        }
    ).with_columns(tax=pl.col("income") * 0.31, bonus=pl.col("pay") * 0.1, again=pl.col("id") * 1.0)
    about = {"id": {"role": "identifier"}, "age": NUMERIC, "income": NUMERIC, "pay": SECRET}
    others = ("band", "bed", "floor", "marks", "tax", "bonus", "again")
    about |= dict.fromkeys(others, OTHER) | {"mail": {"role": "confidential", "kind": "nominal"}}
    plan = shoal.Plan(k=4, method=method, release=release, guarantee=method != "individual", attributes=about)
    giveaways = found(frame, plan)
    named = {giveaway.name for giveaway in giveaways}
    assert {"single_values", "combined_values", "told", "followed", "nested_columns", "confidential_names"} <= named
    for giveaway in giveaways:
        assert giveaway.remedy, giveaway.sentence
        assert ends_by_remedy(frame, plan, giveaway), giveaway.sentence


def test_nominal_columns_are_masked_where_the_method_can():
    rng = np.random.default_rng(0)
    county = rng.choice(["Osona", "Bages", "Anoia"], 200)
    frame = pl.DataFrame({"age": rng.integers(0, 90, 200), "county": county, "code": np.char.lower(county)})
    plan = shoal.Plan(k=4, attributes={"age": NUMERIC, "county": NOMINAL, "code": OTHER})
    (giveaway,) = found(frame, plan)
    assert giveaway.remedy == '[attributes]\ncode = { role = "quasi_identifier", kind = "nominal" }'
