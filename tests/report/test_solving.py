"""An outsider who has the release and the external edition, and solves for the extreme value of a class."""

import functools
import json
import math

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import report
from shoal.plan.attribute import Role
from shoal.report.absorption import Absorption, above, safe_bounds, squares

collect = functools.partial(report.collect, attacks=["linkage"])  # an attack is enough: rates are not told

N = 400


def lognormal(rng, n):
    return np.exp(rng.normal(10, 1, n))


def pareto(rng, n):
    return 20_000 * (1 + rng.pareto(1.2, n))


def one_outlier(rng, n):
    values = rng.normal(50_000, 9_000, n)
    values[0] = 9_876_543.0
    return values


def even(rng, n):
    return rng.uniform(0, 100_000, n)


SKEWED = [lognormal, pareto, one_outlier]


def table(draw, columns, n=N, seed=3):
    rng = np.random.default_rng(seed)
    other = {f"q{j}": np.round(rng.normal(100, 15, n), 1) for j in range(1, columns)}
    return pl.DataFrame({"pay": np.round(draw(rng, n), 2), **other, "ill": rng.choice(["flu", "gout", "mumps"], n)})


def plan(k, columns, **choices):
    names = ["pay", *(f"q{j}" for j in range(1, columns))]
    attributes = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in names}
    return shoal.Plan(k=k, attributes={**attributes, "ill": {"role": "confidential", "kind": "nominal"}}, **choices)


def released(frame, chosen):
    """The release in the order of the original, and the class of each record as its reader sees it."""
    release = shoal.anonymize(frame, chosen).in_original_order()
    data = pl.DataFrame(release.data)
    _, labels = np.unique(data.select(chosen.names(Role.QUASI_IDENTIFIER)).to_numpy(), axis=0, return_inverse=True)
    return release, data, labels.ravel()


def squares_told(told, kept):
    """Every interval of the sum of squares around the means of pay that the edition lets anybody compute."""

    def of_share(share):
        return kept * share / (1 - share) if share < 1 else math.inf

    found = []
    for row in told["scores"]:
        if row["key"] in ("il_percent", "d_x") and row["columns"] == ["pay"]:
            share = row["value"] / (100 if row["key"] == "il_percent" else 1)
            half = 0 if share == 0 else 0.5 * 10.0 ** (math.floor(math.log10(share)) - 2)
            found.append((0 if row["at_most"] else of_share(share - half), of_share(share + half)))
    pay = next(each for each in told["distributions"] if each["name"] == "pay")
    for name, _, after in pay["summary"]:
        if name == "standard deviation, in percent of the original":
            found.append(tuple(of_share(1 - ((after + half) / 100) ** 2) for half in (0.5, -0.5)))
        if name == "variance, in percent of the original":
            low, high = map(int, after.split(" to "))
            found.append((of_share(1 - high / 100), of_share(1 - low / 100)))
    return found


def extremes_left(told, data, labels):
    """How far the greatest value of each class can lie above its mean: by the release, and by all that is told."""
    pay = data["pay"].to_numpy()
    sizes = np.bincount(labels)
    means = np.bincount(labels, pay) / sizes
    kept = float(((pay - pay.mean()) ** 2).sum())
    low, high = 0.0, math.inf
    for some_low, some_high in squares_told(told, kept):
        low, high = max(low, some_low), min(high, some_high)
    alone = (sizes - 1) * (means - means.min())
    # All others of the class equal: no other place of them has fewer squares.
    by_squares = np.sqrt(max(high, 0.0) * (sizes - 1) / sizes)
    # What the other classes cannot have added, this one has; m values around a mean reach at least so far above it.
    # Between the outermost means no class adds more than this.
    most = sizes * (means - means.min()) * (means.max() - means)
    at_least = np.sqrt(np.maximum(0, low - (most.sum() - most)) / (sizes * (sizes - 1)))
    return alone, np.minimum(alone, by_squares), at_least


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("draw", [*SKEWED, even])
def test_no_extreme_can_be_solved_for(draw, k, columns):
    chosen = plan(k, columns)
    frame = table(draw, columns)
    release, data, labels = released(frame, chosen)
    told = json.loads(collect(frame, release, chosen, edition="external").to_json())
    alone, left, at_least = extremes_left(told, data, labels)
    np.testing.assert_allclose(left, alone)
    np.testing.assert_allclose(at_least, 0)


@pytest.mark.parametrize("top", [90_000.0, 500_000.0])
def test_nor_where_a_value_was_averaged_over_the_persons_of_several_classes(top):
    """The attack: pay is one for each person, so that its mean is that of all records that left with it."""
    persons, visits = 300, 10
    whose = np.random.default_rng(2).integers(0, persons, persons * visits)
    pay = even(np.random.default_rng(1), persons)
    pay[7] = top
    frame = table(even, 3, n=len(whose)).with_columns(pay=pay[whose], who=whose)
    numbers, who = plan(2, 3).to_dict()["attributes"], {"who": {"role": "identifier"}}
    chosen = shoal.Plan(k=2, subject="who", attributes={**numbers, **who})
    release, data, _ = released(frame, chosen)
    told = json.loads(collect(frame, release, chosen, edition="external").to_json())
    _, together = np.unique(data["pay"].to_numpy(), return_inverse=True)
    alone, left, at_least = extremes_left(told, data, together)
    np.testing.assert_allclose(left, alone)
    np.testing.assert_allclose(at_least, 0)


def test_a_category_of_several_classes_is_told_as_released():
    persons, visits = 300, 10
    rng = np.random.default_rng(2)
    whose = rng.integers(0, persons, persons * visits)
    town = rng.choice(["a", "b", "c"], persons)
    frame = table(even, 3, n=len(whose)).with_columns(town=town[whose], who=whose)
    numbers, who = plan(3, 3).to_dict()["attributes"], {"who": {"role": "identifier"}}
    attributes = {**numbers, **who, "town": {"role": "quasi_identifier", "kind": "nominal", "weight": 0.1}}
    for subject, is_told in (("record", True), ("who", False)):
        chosen = shoal.Plan(k=3, subject=subject, attributes=attributes)
        told = collect(frame, shoal.anonymize(frame, chosen), chosen, edition="external")
        towns = next(each for each in told.distributions if each.name == "town")
        assert [each.before is not None for each in towns.bins] == [is_told] * 3


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("draw", SKEWED)
def test_originals_that_the_release_does_not_tell_apart_have_one_report(draw, k):
    chosen = plan(k, 1)
    frame = table(draw, 1)
    release, data, labels = released(frame, chosen)
    told = collect(frame, release, chosen, edition="external")
    pay = data["pay"].to_numpy()
    for place in (np.argmax(pay), np.argmin(pay), len(pay) // 2):
        members = np.flatnonzero(labels == labels[place])
        mean = pay[place]
        for others in (mean, pay.min()):  # all alike, or all but one as low as any class
            values = frame["pay"].to_numpy().copy()
            values[members] = others
            values[members[0]] = mean + (len(members) - 1) * (mean - others)
            changed = collect(frame.with_columns(pay=values), release, chosen, edition="external")
            assert changed == told  # the page and the JSON are made of nothing else


@pytest.mark.parametrize("second", ["constant", "two values", "follows"])
def test_a_column_that_is_as_good_as_alone_is_told_nothing_of(second):
    frame = table(even, 2)
    other = {
        "constant": pl.lit(5.0),
        "two values": (pl.int_range(pl.len()) % 2).cast(pl.Float64),
        "follows": pl.col("pay") * 3 + 1,
    }[second]
    frame = frame.with_columns(q1=other)
    chosen = plan(3, 2)
    release, _, _ = released(frame, chosen)
    pay = collect(frame, release, chosen, edition="external").distributions[0]
    assert pay.summary == ()
    assert {bin.before for bin in pay.bins} == {None}


@pytest.mark.parametrize(
    "choices",
    [
        {"method": "projected"},
        {"method": "cells"},
        {"method": "individual", "guarantee": False},
        {"blocks": [["pay"], ["q1", "q2"]], "guarantee": False},
        {"preserve_variance": True},
    ],
)
def test_other_ways_of_masking_are_told_nothing_of(choices):
    frame = table(even, 3)
    chosen = plan(3, 3, **choices)
    release, _, _ = released(frame, chosen)
    data = collect(frame, release, chosen, edition="external")
    for each in data.distributions[:3]:
        assert each.summary == ()
        assert {bin.before for bin in each.bins} <= {None}
    assert "il_percent" not in {row.key for row in data.scores}


def test_what_many_classes_share_is_told():
    frame = table(even, 3, n=6000)
    chosen = plan(3, 3)
    release, data, labels = released(frame, chosen)
    report = collect(frame, release, chosen, edition="external")
    pay = report.distributions[0]
    (_, _, kept), *_ = pay.summary
    low, high = map(int, kept.split(" to "))
    before, after = frame["pay"].to_numpy(), data["pay"].to_numpy()
    assert low <= 100 * after.var() / before.var() <= high
    assert (low, high) != (0, 100)
    assert sum(bin.before for bin in pay.bins) == 100
    bound = next(row for row in report.scores if row.key == "il_percent")
    assert bound.at_most
    assert next(row.value for row in collect(frame, release, chosen).scores if row.key == "il_percent") <= bound.value
    # The same outsider with these numbers: nothing is narrower than by the release alone.
    alone, left, at_least = extremes_left(json.loads(report.to_json()), data, labels)
    np.testing.assert_allclose(left, alone)
    np.testing.assert_allclose(at_least, 0)


def test_shares_above_an_edge_leave_every_class_what_the_release_leaves_it():
    frame = table(even, 3, n=2000)
    chosen = plan(4, 3)
    release, data, labels = released(frame, chosen)
    pay = collect(frame, release, chosen, edition="external").distributions[0]
    sizes = np.bincount(labels)
    means = np.bincount(labels, data["pay"].to_numpy()) / sizes
    shown = 100
    for bin in pay.bins[:-1]:
        shown -= bin.before
        low, high = ((shown + half) * len(frame) / 100 for half in (-0.5, 0.5))
        # By the released range alone, how many of a class can lie from the edge on: counted value by value.
        most, least = [], []
        for mean, size in zip(means, sizes, strict=True):
            feasible = [
                up
                for up in range(size + 1)
                if up * bin.high + (size - up) * means.min() <= size * mean <= up * means.max() + (size - up) * bin.high
            ]
            most.append(max(feasible))
            least.append(min(feasible))
        for place in range(len(sizes)):
            others_most, others_least = sum(most) - most[place], sum(least) - least[place]
            assert low - others_most <= least[place]
            assert high - others_least >= most[place]


def test_bounds_are_told_where_other_classes_can_make_up_for_any():
    rng = np.random.default_rng(1)
    for _ in range(200):
        widths = rng.pareto(1, 8)
        left_open = Absorption(0.0, widths.max(), widths.sum())
        value = rng.uniform(0, widths.sum())
        told = safe_bounds(value, np.linspace(0, widths.sum(), 30).tolist(), left_open)
        if told is not None:
            low, high = told
            assert low <= value < high
            assert all(low <= widths.sum() - width and high >= width for width in widths)


def test_squares_and_counts_of_a_class_reach_what_they_say():
    means, sizes = np.array([0.0, 6.0, 10.0]), np.array([3, 3, 3])
    widest = np.array([0.0, 0.0, 18.0])  # mean 6, none below 0
    assert squares(means, sizes).widest == 3 * 2 * 100
    assert ((widest - 6) ** 2).sum() == 3 * 2 * 36
    assert above(8.0, means, sizes) == Absorption(least=3.0, widest=2.0, total=2.0)  # 0, 9, 9 and 6, 6, 6


def test_whether_all_values_of_a_class_are_alike_is_not_told():
    frame = table(even, 1, n=50)
    chosen = plan(30, 1)
    release, data, _ = released(frame, chosen)
    assert data["pay"].n_unique() == 1
    alike = frame.with_columns(pay=data["pay"])
    reports = [collect(each, release, chosen, edition="external") for each in (frame, alike)]
    assert reports[0] == reports[1]


@pytest.mark.parametrize(
    "recoding", [{"clip": {"high": 80_000}}, {"clip": {"high_quantile": 0.97}}, {"round_to": 1000}]
)
def test_what_was_recoded_away_is_told_nothing_of(recoding):
    """Whoever is cut off at a bound may earn whatever he likes, and the page stays the same."""
    frame = table(even, 3, n=3000)
    names = ("pay", "q1", "q2")
    attributes = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in names}
    attributes["pay"] |= recoding
    chosen = shoal.Plan(k=3, attributes={**attributes, "ill": {"role": "confidential", "kind": "nominal"}})
    release, _, _ = released(frame, chosen)
    told = collect(frame, release, chosen, edition="external")
    pay = frame["pay"].to_numpy().copy()
    pay[pay.argmax()] = 1e9
    assert collect(frame.with_columns(pay=pay), release, chosen, edition="external") == told
    assert told.distributions[0].summary == ()


def test_the_mean_of_a_direction_is_told_nothing_of():
    frame = table(even, 3, n=3000).with_columns(pay=pl.col("pay") % 24)
    attributes = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in ("pay", "q1", "q2")}
    attributes["pay"] = {"role": "quasi_identifier", "kind": "cyclic", "period": 24}
    chosen = shoal.Plan(k=3, attributes={**attributes, "ill": {"role": "confidential", "kind": "nominal"}})
    release = shoal.anonymize(frame, chosen)
    hour = collect(frame, release, chosen, edition="external").distributions[0]
    assert hour.summary == ()
    assert {bin.before for bin in hour.bins} <= {None}
