"""An outsider looks for records of one person, and for what else only the original knows: the external edition."""

import functools
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import report
from shoal.report import assess

outside = functools.partial(report.collect, edition="external")

NUMBER = {"role": "quasi_identifier", "kind": "numeric"}
ATTRIBUTES = {
    "a": NUMBER,
    "b": NUMBER,
    "c": NUMBER,
    "ill": {"role": "confidential", "kind": "nominal"},
    "pay": {"role": "confidential", "kind": "numeric"},
    "weight": {"role": "other"},
    "who": {"role": "identifier"},
}


def visits(n=240):
    """Records of whom each is of another person, with the groups of five that they leave in."""
    rng = np.random.default_rng(3)
    values = {name: rng.normal(0, 1, n).round(3) for name in ("a", "b", "c")}
    frame = pl.DataFrame(
        {
            **values,
            "ill": rng.choice(["flu", "gout", "mumps"], n),
            "pay": rng.integers(10, 60, n),
            "weight": rng.uniform(1, 3, n).round(3),
            "who": [f"person-{i}" for i in range(n)],
        }
    )
    plan = shoal.Plan(k=5, attributes=ATTRIBUTES)
    return frame, pl.DataFrame(shoal.anonymize(frame, plan).in_original_order().data)


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"risk": {"prosecutor": 0.5}},
        {"risk": {"marketer": 0.5, "fraction": 0.3}},
        {"risk": {"journalist": 0.5}, "weights": "weight"},
        {"closeness": {"t": 0.9, "method": "merge"}},
        {"diversity": {"distinct": 1}},
        {"blocks": [["a"], ["b", "c"]], "guarantee": False},
    ],
    ids=str,
)
def test_whose_records_are_of_one_person_is_not_told(choices):
    """In a class of five two records are of one person, or of two: k = 3 holds of both."""
    frame, released = visits()
    plan = shoal.Plan(k=3, subject="who", attributes=ATTRIBUTES, **choices)
    first, second = np.flatnonzero(released["a"] == released["a"][0])[:2].tolist()
    whose = frame["who"].to_list()
    whose[second] = whose[first]
    tables = [frame, frame.with_columns(who=pl.Series(whose))]
    releases = [assess(each, released, plan) for each in tables]
    assert releases[0].guarantees["k_anonymity"].achieved != releases[1].guarantees["k_anonymity"].achieved
    told = [outside(table, release, plan) for table, release in zip(tables, releases, strict=True)]
    assert told[0].to_json() == told[1].to_json()


def test_a_column_that_is_one_for_each_person_is_not_named():
    """Where a release has parted it: that all originals of each person agree is not seen in it."""
    groups = np.empty(40, dtype=int)
    groups[0::2], groups[1::2] = np.arange(20) // 4, 5 + np.minimum((np.arange(20) + 2) // 4, 4)
    frame = pl.DataFrame({"who": np.repeat(np.arange(20), 2).astype(str), "a": np.repeat(20.0 + np.arange(20), 2)})
    frame = frame.with_columns(b=groups * 7.0)
    released = frame.select(pl.col("a").mean().over("b"), "b")
    plan = shoal.Plan(k=2, subject="who", attributes={"who": {"role": "identifier"}, "a": NUMBER, "b": NUMBER})
    found = assess(frame, released, plan)
    notes = [report.collect(frame, found, plan, edition=edition).guarantees[0]["note"] for edition in report.Edition]
    assert sorted(map(bool, notes)) == [False, True]
    assert outside(frame, found, plan).guarantees[0]["note"] == ""


def test_persons_are_counted_where_the_release_shows_them():
    frame, _ = visits()
    plan = shoal.Plan(k=3, attributes=ATTRIBUTES)
    found = outside(frame, shoal.anonymize(frame, plan), plan)
    assert {"k_min", "k_prime"} <= {row.key for row in found.scores}
    assert found.guarantees[0]["achieved"] == next(row.value for row in found.scores if row.key == "k_min")


def test_where_originals_lie_among_each_other_is_not_told():
    """Which classes are the neighbourhood of another follows from originals that means do not show."""
    frame, released = visits()
    plan = shoal.Plan(k=3, attributes=ATTRIBUTES, closeness={"t": 0.9, "n": 12, "method": "merge"})
    release = assess(frame, released, plan)
    (exact,) = (each for each in release.guarantees.values() if each.name == "n_t_closeness")
    (told,) = (each for each in outside(frame, release, plan).guarantees if each["name"] == "n_t_closeness")
    assert exact.achieved < exact.asked
    assert (told["achieved"], told["note"]) == (0.9, "")


@pytest.mark.parametrize("hidden", ["subject", "gaps"])
def test_the_largest_share_of_a_mean_does_not_tell_who_stands_behind_it(hidden):
    """By the released weights, a share in many digits fits one set of records: those of one person, or with a value."""
    rng = np.random.default_rng(7)
    n = 120
    frame = pl.DataFrame({"a": rng.normal(0, 1, n), "b": rng.normal(0, 1, n), "weight": rng.uniform(1, 2, n).round(4)})
    attributes = {"a": NUMBER, "b": NUMBER, "weight": {"role": "other"}}
    if hidden == "subject":
        frame = frame.with_columns(who=pl.int_range(n) // 2)
        attributes["who"] = {"role": "identifier"}
        plan = shoal.Plan(k=3, weights="weight", dominance=0.9, subject="who", attributes=attributes)
    else:
        frame = frame.with_columns(a=pl.when(pl.int_range(n) % 4 > 0).then("a"))
        plan = shoal.Plan(k=3, weights="weight", dominance=0.9, missing="impute", attributes=attributes)
    release = shoal.anonymize(frame, plan)
    reached = [g["achieved"] for g in outside(frame, release, plan).guarantees if g["name"] == "dominance"]
    (exact,) = (g.achieved for g in release.guarantees.values() if g.name == "dominance")

    def fitting(share):
        found = 0
        for _, group in release.data.group_by("a", "b"):
            weights = group["weight"].to_list()
            sets = [c for size in range(1, len(weights) + 1) for c in combinations(weights, size)]
            parts = ((c, weights) for c in sets) if hidden == "subject" else (((x,), c) for c in sets for x in c)
            found += sum(abs(sum(part) / sum(whole) - share) < 1e-8 for part, whole in parts)
        return found

    assert fitting(exact) == 1  # whoever has the exact share has the records
    assert reached == [0.9]
    assert fitting(reached[0]) == 0
