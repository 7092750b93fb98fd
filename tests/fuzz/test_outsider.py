"""The outsider that judges external editions sees what was once told too much."""

import pytest

from fuzz.outsider import VARIANCE, Column, said_too_much
from fuzz.outsider_of_categories import Categories, finds, paths_in

LEVELS = ("low", "mid", "high")


def said(bins, *, sentence="13 % of the records have another category than before.", kept=None):
    summary = [] if kept is None else [[VARIANCE, 100, kept]]
    cells = [{"label": label, "low": low, "high": high, "before": before} for label, low, high, before in bins]
    return {"name": "it", "unit": "percent of records", "bins": cells, "summary": summary, "sentence": sentence}


def shares(**percents):
    return said([(name, None, None, percent) for name, percent in percents.items()])


def test_a_share_that_medians_at_the_end_have_filled():
    column = Column(["low", "mid", "high"] * 20, [5] * 60, Categories("median", LEVELS))
    assert any("share of low" in found for found in said_too_much(shares(low=20, mid=33, high=47), column, 10))
    assert not list(said_too_much(shares(low=30, mid=36, high=34), column, 10))


def test_a_share_that_medoids_have_filled():
    tree = paths_in({"A": {"A1": {"A2": ["a1", "a2", "a3", "a4"]}}, "B": ["b"]})
    left = ["b"] * 28 + [f"a{1 + i % 4}" for i in range(32)]
    column = Column(left, [5] * 60, Categories("medoid", tuple(tree), tuple(tree.values())))
    assert any("share of b" in found for found in said_too_much(shares(a1=17, a2=18, a3=19, a4=18, b=28), column, 10))


def test_a_variance_that_only_far_values_have():
    column = Column([11_000.0, 9000.0, 10_500.0, 9500.0, 10_000.0] * 2 + [0.0] * 190, [2] * 200)
    assert list(said_too_much(said([], kept="0 to 50"), column, 10))
    even = Column([float(i) for i in range(200)], [2] * 200)
    assert not list(said_too_much(said([], kept="50 to 95"), even, 10))


def test_a_share_that_only_whole_persons_make_up():
    means = [1.6, 1.7, 1.8, 1.9] * 15 + [1.9] + [20.0, 22.0, 24.0, 26.0, 28.0] * 4 + [0.0] * 40
    told = said([("under 5", None, 5.0, 73), ("5 to 25", 5.0, 25.0, 21), ("25 and over", 25.0, None, 6)])
    by_records, by_persons = (Column(means, [20] * 121, persons=each) for each in (None, [(4,) * 5] * 121))
    assert not any("from 5.0 on" in found for found in said_too_much(told, by_records, 25))
    assert any("from 5.0 on" in found for found in said_too_much(told, by_persons, 25))


def test_a_share_that_only_whole_numbers_make_up():
    column = Column([1.5] * 25 + [1.0] * 10 + [0.0] * 5 + [3.0] * 10, [2] * 50)
    told = said([("under 2", None, 2.0, 55), ("2 and over", 2.0, None, 45)])
    found = list(said_too_much(told, column, 10))
    assert found
    assert all("whole numbers" in each for each in found)


@pytest.mark.parametrize(
    ("operator", "counts", "left"),
    [
        ("mode", (2, 2, 1), {0, 1}),
        ("draw", (2, 0, 1), {0, 2}),
        ("median", (2, 0, 2), {0}),
        ("median", (2, 1, 2), {1}),
        ("convex_median", (1, 0, 1), {1}),
        ("convex_median", (3, 0, 1), {0}),
    ],
)
def test_operators_find_what_their_definitions_say(operator, counts, left):
    assert {place for place in range(3) if finds(operator, counts, place)} == left
