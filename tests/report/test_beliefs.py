"""Outsiders who know how classes left, whose records are whose, or how a column counts: the external edition.

Each table is made for its outsider: nearly all classes are at one end of what the release leaves open to who knows
that, and in the middle of it to who does not. `fuzz.outsider` asks what is left of each class.
"""

import functools
import json
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import shoal
from fuzz.outsider import Column, said_too_much, tells_shares
from fuzz.outsider_of_categories import Categories, paths_in
from shoal.report import assess, collect

outside = functools.partial(collect, edition="external", attacks=["none"])

NUMBER = {"role": "quasi_identifier", "kind": "numeric"}
NAME = {"role": "quasi_identifier", "kind": "nominal"}
LEVELS = ("low", "mid", "high")
TREE = {"A": {"A1": {"A2": ["a1", "a2", "a3", "a4"]}}, "B": ["b"]}


def table(classes, left, **more):
    """The original and the release of a column by classes, beside one that tells the classes apart."""
    sizes = [len(values) for values in classes]
    x = np.repeat(np.random.default_rng(1).permutation(len(classes)).astype(float), sizes)
    original = pl.DataFrame({"x": x, "of": [value for values in classes for value in values], **more})
    return original, original.with_columns(of=pl.Series(np.repeat(np.array(left), sizes)))


def told(original, released, attribute, *, k, **choices):
    """What the external edition tells of the column."""
    attributes = {"x": NUMBER, "of": {"role": "quasi_identifier", **attribute}, **choices.pop("attributes", {})}
    plan = shoal.Plan(k=k, attributes=attributes, **choices)
    found = outside(original, assess(original, released, plan), plan)
    return next(each for each in json.loads(found.to_json())["distributions"] if each["name"] == "of")


def too_much(classes, left, attribute, *, k, categories=None, **choices):
    said = told(*table(classes, left), attribute, k=k, **choices)
    return list(said_too_much(said, Column(left, [len(values) for values in classes], categories), 10))


def filled(**many):
    return [level for level, count in many.items() for _ in range(count)]


@pytest.mark.parametrize("bottom", ["low", "high"])
@pytest.mark.parametrize("counts", [(20, 20, 20), (30, 10, 10), (24, 12, 12)])
def test_a_median_at_an_end_is_known_to_be_half_of_its_class(bottom, counts):
    """Each class that left with the lowest level had it three times in five: no other class can have had it."""
    top = {"low": "high", "high": "low"}[bottom]
    kinds = ({bottom: 3, top: 2}, {"mid": 5}, {top: 5})
    classes = [filled(**kind) for kind, many in zip(kinds, counts, strict=True) for _ in range(many)]
    left = [next(iter(kind)) for kind, many in zip(kinds, counts, strict=True) for _ in range(many)]
    ordinal = {"kind": "ordinal", "order": list(LEVELS)}
    assert too_much(classes, left, ordinal, k=5, categories=Categories("median", LEVELS)) == []


def test_a_median_is_told_of_where_classes_leave_it_open():
    """Half of the classes in the middle have records on both sides, and others could have had them."""
    spread = filled(low=1, mid=3, high=1), filled(mid=5), filled(low=4, mid=1), filled(high=4, mid=1)
    classes = [spread[i % 4] for i in range(240)]
    left = [("mid", "mid", "low", "high")[i % 4] for i in range(240)]
    ordinal = {"kind": "ordinal", "order": list(LEVELS)}
    assert tells_shares(told(*table(classes, left), ordinal, k=5))
    assert too_much(classes, left, ordinal, k=5, categories=Categories("median", LEVELS)) == []


def test_a_medoid_alone_in_its_branch_is_known_to_be_most_of_its_class():
    branch = TREE["A"]["A1"]["A2"]
    classes = [["b"] * 3 + [branch[i % 4], branch[(i + 1) % 4]] for i in range(28)]
    classes += [[code] * 5 for code in branch for _ in range(8)]
    left = ["b"] * 28 + [code for code in branch for _ in range(8)]
    paths = paths_in(TREE)
    tree = {"kind": "nominal", "hierarchy": TREE, "aggregate": "medoid"}
    known = Categories("medoid", tuple(paths), tuple(paths.values()))
    assert too_much(classes, left, tree, k=5, categories=known) == []


@pytest.mark.parametrize("operator", ["convex_median", "ancestor"])
def test_operators_of_which_nothing_short_is_known_are_told_nothing_of(operator):
    if operator == "ancestor":
        attribute = {"kind": "nominal", "hierarchy": TREE, "aggregate": operator}
        classes, left = [["a1", "a2", "a3"]] * 60 + [["b"] * 3] * 60, ["A2"] * 60 + ["b"] * 60
    else:
        attribute = {"kind": "ordinal", "order": list(LEVELS), "aggregate": operator}
        classes, left = [filled(low=1, high=1), filled(low=2), filled(high=2)] * 60, ["mid", "low", "high"] * 60
    assert not tells_shares(told(*table(classes, left), attribute, k=2))


def test_most_variance_of_an_amount_that_few_have_is_theirs():
    """Ten of 200 pairs are (0, 2c): that masking took half of the variance puts each of them far from its mean."""
    means = [11_000.0, 9000.0, 10_500.0, 9500.0, 10_000.0] * 2 + [0.0] * 190
    classes = [[0.0, 2 * mean] for mean in means]
    assert told(*table(classes, means), {"kind": "numeric"}, k=2)["summary"] == []
    assert too_much(classes, means, {"kind": "numeric"}, k=2) == []


def test_whole_numbers_leave_fewer_ways_to_part_a_class():
    """A pair of mean 1.5 is (1, 2) or (0, 3), with one from 2 on: those of mean 1 are known from the sum, (1, 1)."""
    classes = [[1, 2]] * 25 + [[1, 1]] * 10 + [[0, 0]] * 5 + [[3, 3]] * 10
    means = [float(np.mean(values)) for values in classes]
    assert too_much(classes, means, {"kind": "numeric"}, k=2) == []


@pytest.mark.parametrize(
    ("step", "start"),
    [(1, 0), (0.45359237, 0), (1 / 3, 0), (1e-8, 0), (1e12, 0), (3, 1), (2, 1), (7, 1000), (1, 1 / 3)],
)
def test_steps_are_seen_whatever_they_are_and_wherever_they_begin(step, start):
    """At most 315 of 1,000 have the greatest value: told that 32 % do, readers know all pairs of the middle mean."""
    pairs = [(0, 0)] * 70 + [(0, 1)] * 185 + [(0, 2)] * 15 + [(1, 2)] * 160 + [(2, 2)] * 70
    classes = [[start + step * steps for steps in pair] for pair in pairs]
    said = told(*table(classes, [float(np.mean(values)) for values in classes]), {"kind": "numeric"}, k=2)
    assert said["summary"] == []
    assert {each["before"] for each in said["bins"]} == {None}


def test_nobody_lies_below_an_edge_whose_class_would_have_to_reach_beyond_the_end():
    """None is above 10: a pair of mean 7.5 with one below 5 would have one above it."""
    classes = [[5.0, 10.0]] * 60 + [[10.0, 10.0]] * 10 + [[0.0, 0.0]] * 10 + [[4.9, 4.97]] * 40
    means = [float(np.mean(values)) for values in classes]
    assert too_much(classes, means, {"kind": "numeric"}, k=2) == []


def visits(follow=True):
    """Persons with four records each: nearly every class has as many from 5 on as whole persons can have."""
    classes = [[8 + i / 50, 0, 0, 0, 0] for i in range(61)]
    classes += [[20 + i * 0.4] * 5 for i in range(20)] + [[i / 100] * 5 for i in range(40)]
    means = [float(np.mean(values)) for values in classes]
    who = np.repeat(np.arange(5 * len(classes)), 4)
    original, released = table([np.repeat(values, 4) for values in classes], means, who=who)
    choices = {"subject": "who", "attributes": {"who": {"role": "identifier"}}}
    if not follow:
        return means, told(original, released.drop("who"), {"kind": "numeric"}, k=5, **choices)
    return means, told(original, released, {"kind": "numeric"}, k=5, keep_subject="pseudonym", **choices)


def test_records_of_a_pseudonym_move_together():
    means, said = visits()
    persons = [(4,) * 5] * len(means)
    assert list(said_too_much(said, Column(means, [20] * len(means), persons=persons), 10)) == []


def test_they_do_where_everybody_is_known_to_have_four_records():
    means, said = visits(follow=False)
    persons = [(4,) * 5] * len(means)
    assert list(said_too_much(said, Column(means, [20] * len(means), persons=persons), 10)) == []
    assert not tells_shares(said)


def test_pseudonyms_of_whom_nobody_has_two_records_are_records():
    rng = np.random.default_rng(4)
    classes = rng.uniform(0, 100, (150, 4))
    original, released = table(classes.tolist(), classes.mean(axis=1).tolist(), who=np.arange(600))
    attributes = {"attributes": {"who": {"role": "identifier"}}}
    followed = told(original, released, {"kind": "numeric"}, k=4, subject="who", keep_subject="pseudonym", **attributes)
    assert tells_shares(followed)
    assert followed == told(original, released.drop("who"), {"kind": "numeric"}, k=4, subject="record", **attributes)


@pytest.mark.parametrize("pseudonym", [{"keep_subject": "pseudonym"}, {}], ids=["followed", "hidden"])
def test_where_each_subject_counts_once_in_a_mean_nothing_is_told(pseudonym):
    """The release of a growing table: one person has twenty records and whatever value its class leaves it."""
    rng = np.random.default_rng(5)
    persons, classes = 4, 150
    many = np.tile([20, 1, 1, 1], classes)
    values = np.repeat(rng.uniform(0, 100, classes), persons) + rng.uniform(-1, 1, persons * classes)
    area = np.repeat(np.arange(classes), persons)
    frame = pl.DataFrame(
        {
            "who": np.repeat([f"person {i}" for i in range(len(many))], many),
            "area": np.repeat([f"area {i}" for i in area], many),
            "x": np.repeat(rng.uniform(0, 100, classes)[area], many),
            "of": np.repeat(values, many),
        }
    )
    attributes = {"who": {"role": "identifier"}, "area": {"role": "other"}, "x": NUMBER, "of": NUMBER}
    plan = shoal.Plan(k=persons, subject="who", by="area", attributes=attributes, **pseudonym)
    release = shoal.anonymize(frame, plan, remember=bytes(range(32)))
    written = assess(frame, release.in_original_order().data, plan)  # whoever has the files does not know of the key
    for each in (release, written):
        of = outside(frame, each, plan).distributions[1]
        assert (of.name, of.summary, {bin.before for bin in of.bins}) == ("of", (), {None})


def test_nothing_is_told_of_a_column_beside_which_all_others_weigh_nothing():
    """Classes are runs of pay then, so that a share above an edge is known but for the class around it."""
    rng = np.random.default_rng(8)
    frame = pl.DataFrame({name: np.round(rng.uniform(0, 1000, 300), 2) for name in ("pay", "x")})
    plan = shoal.Plan(k=5, attributes={"pay": {**NUMBER, "weight": 1e6}, "x": NUMBER})
    release = shoal.anonymize(frame, plan).in_original_order()
    of_class = frame.with_columns(group=release.data["pay"]).group_by("group")
    runs = sorted(of_class.agg(low=pl.col("pay").min(), high=pl.col("pay").max()).select("low", "high").rows())
    assert all(high < low for (_, high), (low, _) in pairwise(runs))
    pay, x = outside(frame, release, plan).distributions
    assert (pay.summary, {bin.before for bin in pay.bins}) == ((), {None})
    assert {bin.before for bin in x.bins} != {None}  # which pay spreads over its classes


def test_nothing_is_told_of_categories_where_no_column_has_many_values():
    """Records that are alike in all columns are grouped first: who had another category than theirs is hardly open."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({f"c{i}": rng.choice(["no", "yes"], 1000, p=[0.7 - i / 20, 0.3 + i / 20]) for i in range(9)})
    plan = shoal.Plan(k=3, attributes=dict.fromkeys(frame.columns, NAME))
    page = outside(frame, shoal.anonymize(frame, plan), plan)
    assert {bin.before for each in page.distributions for bin in each.bins} == {None}


@pytest.mark.parametrize("column", ["town", "pay"])
def test_what_the_operator_of_the_plan_did_not_find_is_told_nothing_of(column):
    """Releases by another tool: a class leaves with what one of its records had."""
    rng = np.random.default_rng(9)
    frame = pl.DataFrame(
        {
            "pay": rng.uniform(0, 100, 600),
            "town": rng.choice(["bath", "hull", "york"], 600, p=[0.7, 0.2, 0.1]),
            "x": np.repeat(rng.permutation(150), 4).astype(float),
        }
    )
    found = frame.group_by("x").agg(pl.col("town").first(), pl.col("pay").first())
    released = frame.select("x").join(found, on="x", how="left", maintain_order="left").select(frame.columns)
    plan = shoal.Plan(k=4, attributes={"pay": NUMBER, "town": NAME, "x": NUMBER})
    page = {each.name: each for each in outside(frame, assess(frame, released, plan), plan).distributions}[column]
    assert (page.summary, {bin.before for bin in page.bins}) == ((), {None})


def test_totals_and_their_parts_are_told_only_as_released():
    """Who knows the ends of the parts knows those of the total: a class in a corner of them leaves nothing open."""
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({name: rng.integers(0, 100, 900) for name in ("homes", "trade", "x")})
    frame = frame.with_columns(revenue=pl.col("homes") + pl.col("trade"))
    attributes = dict.fromkeys(("homes", "trade", "revenue", "x"), NUMBER)
    for totals, silent in (([], set()), ([{"total": "revenue", "parts": ["homes", "trade"]}], {*attributes} - {"x"})):
        plan = shoal.Plan(k=3, attributes=attributes, totals=totals)
        page = outside(frame, shoal.anonymize(frame, plan), plan)
        untold = {each.name for each in page.distributions if {bin.before for bin in each.bins} == {None}}
        assert untold == silent


def test_amounts_are_known_to_be_no_less_than_nothing():
    """That less than half of the variance was lost would bound the greatest value of a class whose others may be 0."""
    rng = np.random.default_rng(3)
    means = rng.uniform(20_000, 25_000, 600)
    apart = rng.normal(0, 1100, (600, 10))
    classes = (means[:, None] + apart - apart.mean(axis=1, keepdims=True)).tolist()
    assert told(*table(classes, means.tolist()), {"kind": "numeric"}, k=10)["summary"] == []


@pytest.mark.parametrize("unit", [1.0, 2.0**-400, 2.0**400])
def test_steps_are_seen_in_any_unit(unit):
    """Pairs of whole numbers with a mean between two are these two at the least: 1 % is told of no pair but so."""
    means = [*(np.arange(1300) % 10 + 0.5), *[0.0] * 425, *[10.0] * 425]
    classes = [[unit * np.floor(mean), unit * np.ceil(mean)] for mean in means]
    wide = [*classes[:5], [unit * (means[5] - 1.5), unit * (means[5] + 1.5)], *classes[6:]]
    left = [unit * mean for mean in means]
    pages = [told(*table(each, left), {"kind": "numeric"}, k=2) for each in (classes, wide)]
    assert pages[0] == pages[1]
    assert pages[0]["summary"] != []


def test_a_category_that_nobody_left_with_is_not_named_however_many_had_it():
    """That it lacks would tell of a class of sixty that fewer than ten had it, where the release leaves it thirty."""
    rng = np.random.default_rng(7)
    names = ["bath", "hull", "york"]
    classes = [list(rng.choice(names, 5, p=rng.permutation([0.7, 0.2, 0.1]))) for _ in range(400)]
    left = [max(sorted(set(towns)), key=towns.count) for towns in classes]
    for last in (["york"] * 60, ["york"] * 30 + ["atlantis"] * 30):
        said = told(*table([*classes, last], [*left, "york"]), {"kind": "nominal"}, k=5)
        assert [cell["label"] for cell in said["bins"]] == names
        assert tells_shares(said)
