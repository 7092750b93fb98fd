"""An outsider looks for what a few originals decide: the intervals and categories that are shown, and the digits."""

import functools
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import report
from shoal.report import assess

outside = functools.partial(report.collect, edition="external", attacks=["none"])

NUMBER = {"role": "quasi_identifier", "kind": "numeric"}
NAME = {"role": "quasi_identifier", "kind": "nominal"}


def told(frame, released, plan):
    return outside(frame, assess(frame, released, plan), plan)


def in_cell(low, high, mean, size, least, greatest):
    """How many of a class can lie from one edge to another, by the release alone: counted place by place."""
    low, high = (-np.inf if low is None else low), (np.inf if high is None else high)
    found = []
    for inside in range(size + 1):
        for under in range(size - inside + 1):
            beyond = size - inside - under
            ends = [(least, min(low, greatest)), (max(least, low), min(greatest, high)), (max(high, least), greatest)]
            counts = (under, inside, beyond)
            if any(many and start > end for many, (start, end) in zip(counts, ends, strict=True)):
                continue
            if (
                sum(many * start for many, (start, _) in zip(counts, ends, strict=True) if many) <= size * mean
                and sum(many * end for many, (_, end) in zip(counts, ends, strict=True) if many) >= size * mean
            ):
                found.append(inside)
    return min(found), max(found)


def test_a_large_class_keeps_all_that_the_release_leaves_it():
    """Nearly no original lies around the mean of a class of a hundred: that is not to be read off shares."""
    rng = np.random.default_rng(2)
    fours = np.concatenate([rng.uniform(0, 38, (360, 4)), rng.uniform(62, 100, (360, 4)), rng.uniform(42, 58, (9, 4))])
    large = np.repeat([20.0, 80.0], 55)
    places = rng.uniform(0, 1, len(fours) + 1)
    means = np.append(fours.mean(axis=1), 50.0)
    labels = np.concatenate([np.repeat(np.arange(len(fours)), 4), np.full(110, len(fours))])
    frame = pl.DataFrame({"pay": np.concatenate([fours.ravel(), large]), "place": places[labels]})
    plan = shoal.Plan(k=2, attributes={"pay": NUMBER, "place": NUMBER})
    bins = told(frame, frame.with_columns(pay=means[labels]), plan).distributions[0].bins
    assert len(bins) > 1
    assert all(bin.before is not None for bin in bins)
    sizes = np.bincount(labels)
    for bin in bins:
        ranges = [
            in_cell(bin.low, bin.high, mean, int(size), means.min(), means.max())
            for mean, size in zip(means, sizes, strict=True)
        ]
        fewest, most = (np.array(side) for side in zip(*ranges, strict=True))
        at_least, at_most = ((bin.before + one) * len(frame) / 100 for one in (-1, 1))
        assert (at_most - (fewest.sum() - fewest) >= most).all()
        assert (at_least - (most.sum() - most) <= fewest).all()


@pytest.mark.parametrize("common", [False, True], ids=["none changed", "all changed"])
def test_that_no_category_changed_and_that_one_did_look_the_same(common):
    towns = np.repeat(["bath", "hull", "york"], [120, 80, 100])
    released = pl.DataFrame({"town": towns, "ill": np.resize(["flu", "gout"], 300)})
    plan = shoal.Plan(k=5, attributes={"town": NAME, "ill": {"role": "confidential", "kind": "nominal"}})
    # Every town as it is, or every town another than before; and then one record otherwise.
    moved = {"bath": "york", "hull": "bath", "york": "hull"}
    before = np.array([moved[town] if common else town for town in towns])
    other = before.copy()
    other[0] = "hull" if not common else "bath"
    reports = [told(released.with_columns(town=pl.Series(each)), released, plan) for each in (before, other)]
    assert reports[0] == reports[1]
    assert {bin.before for bin in reports[0].distributions[0].bins} == {None}


def test_a_category_at_the_edge_of_what_is_shown_tells_of_no_record():
    towns = np.repeat(["bath", "hull", "york"], [150, 140, 10])
    released = pl.DataFrame({"town": towns, "ill": np.resize(["flu", "gout"], 300)})
    plan = shoal.Plan(k=5, attributes={"town": NAME, "ill": {"role": "confidential", "kind": "nominal"}})
    before = np.where(np.arange(300) == 299, "hull", towns)  # one of the ten came from elsewhere
    reports = [told(released.with_columns(town=pl.Series(each)), released, plan) for each in (towns, before)]
    assert reports[0] == reports[1]
    assert "york" in {bin.label for bin in reports[0].distributions[0].bins}


def test_that_a_permutation_moved_nothing_is_not_told():
    frame = pl.DataFrame({"age": np.arange(60.0), "ill": ["flu"] * 30 + ["gout"] * 30})
    plan = shoal.Plan(
        k=5, release="permute", attributes={"age": NUMBER, "ill": {"role": "confidential", "kind": "nominal"}}
    )
    release = shoal.anonymize(frame, plan)
    assert release.in_original_order().data["ill"].to_list() == frame["ill"].to_list()
    assert outside(frame, release, plan).distributions[1].changed


def test_whether_all_originals_are_whole_is_not_told():
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"beds": rng.integers(0, 5, 400), "x": rng.normal(0, 1, 400).round(2)})
    plan = shoal.Plan(k=4, attributes={"beds": NUMBER, "x": NUMBER})
    release = shoal.anonymize(frame, plan).in_original_order()
    group = np.flatnonzero(release.data["beds"].to_numpy() == release.data["beds"].to_numpy()[0])
    group = group[release.data["x"].to_numpy()[group] == release.data["x"].to_numpy()[0]]
    beds = frame["beds"].to_numpy().astype(float)
    beds[group[:2]] += [1e-9, -1e-9]
    reports = [outside(each, release, plan) for each in (frame, frame.with_columns(beds=beds))]
    edges = [[bin.low for bin in each.distributions[0].bins] for each in reports]
    assert edges[0] == edges[1]


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


def test_that_one_record_had_a_category_which_nobody_left_with_is_not_told():
    rng = np.random.default_rng(6)
    frame = pl.DataFrame({"town": rng.choice(["bath", "deal", "hull", "york"], 400), "x": rng.normal(0, 1, 400)})
    plan = shoal.Plan(k=5, attributes={"town": {**NAME, "weight": 0.3}, "x": NUMBER})
    released = pl.DataFrame(shoal.anonymize(frame, plan).in_original_order().data)
    place = int((frame["town"] != released["town"]).arg_true()[0])
    towns = frame["town"].to_list()
    towns[place] = "atlantis"
    pages = [told(each, released, plan).distributions[0] for each in (frame, frame.with_columns(town=pl.Series(towns)))]
    assert (
        [bin.label for bin in pages[0].bins] == [bin.label for bin in pages[1].bins] == ["bath", "deal", "hull", "york"]
    )
    assert all(bin.before is not None for page in pages for bin in page.bins)


@pytest.mark.parametrize("category", ["men", "women"])
def test_a_share_that_only_one_make_up_of_every_class_explains_is_not_told(category):
    """Of five of whom most are men, none, one or two are women; where 40 % of all are, it is two in each."""
    labels = np.repeat(np.arange(24), 5)
    x = np.random.default_rng(4).normal(0, 1, 24)[labels]
    mixed = np.tile(["men", "men", "men", "women", "women"], 24)
    released = pl.DataFrame({"sex": np.where(labels < 12, "men", "women"), "x": x})
    plan = shoal.Plan(k=5, attributes={"sex": NAME, "x": NUMBER})
    other = np.where(labels < 12, mixed, np.where(mixed == "men", "women", "men"))
    pages = []
    for place in (
        None,
        3 if category == "women" else 118,
    ):  # every class as far from its mode as can be, or all but one
        sex = other.copy()
        if place is not None:
            sex[place] = released["sex"][place]
        pages.append(told(released.with_columns(sex=pl.Series(sex)), released, plan))
    assert pages[0] == pages[1]
    assert {bin.before for bin in pages[0].distributions[0].bins} == {None}


def test_shares_that_many_make_ups_of_classes_explain_are_told_and_leave_each_class_all_of_them():
    rng = np.random.default_rng(9)
    labels = np.repeat(np.arange(60), 5)
    modes = rng.choice(["bath", "hull", "york"], 60)[labels]
    towns = np.where(rng.random(300) < 0.25, rng.choice(["bath", "hull", "york"], 300), modes)
    modes = np.array([max(sorted(set(group)), key=list(group).count) for group in np.split(towns, 60)])[labels]
    frame = pl.DataFrame({"town": towns, "x": rng.normal(0, 1, 60)[labels]})
    plan = shoal.Plan(k=5, attributes={"town": NAME, "x": NUMBER})
    bins = told(frame, frame.with_columns(town=pl.Series(modes)), plan).distributions[0].bins
    assert len(bins) == 3
    left = modes[::5]
    for bin in bins:
        most = np.where(left == bin.label, 5, 2)
        least = np.where(left == bin.label, 2, 0)
        at_least, at_most = ((bin.before + half) * 3 for half in (-0.5, 0.5))
        assert (at_most - (least.sum() - least) >= most).all()
        assert (at_least - (most.sum() - most) <= least).all()


def test_a_share_of_joined_categories_that_only_one_make_up_explains_is_not_told():
    """Of five that left with a rare town at least two came from one, if none was commoner: that no more did is told."""
    modes = ["york"] * 20 + ["hull"] * 20 + [f"hamlet {i}" for i in range(14)]
    labels = np.repeat(np.arange(54), 5)
    released = pl.DataFrame({"town": np.array(modes)[labels], "x": labels.astype(float)})
    plan = shoal.Plan(k=5, attributes={"town": NAME, "x": NUMBER})
    often = (["york", "york", "hull"], ["hull", "hull", "york"])
    towns = [[mode, mode, *often[i % 2]] for i, mode in enumerate(modes[40:])]
    towns = [[mode] * 5 if i % 4 else [mode] * 3 + often[i // 20][1:] for i, mode in enumerate(modes[:40])] + towns
    before = released.with_columns(town=pl.Series(np.concatenate(towns)))
    towns[-1] = [modes[-1]] * 5
    other = released.with_columns(town=pl.Series(np.concatenate(towns)))
    pages = [told(each, released, plan) for each in (before, other)]
    assert pages[0] == pages[1]
    assert [bin.label for bin in pages[0].distributions[0].bins][-1] == "all others"
    assert {bin.before for bin in pages[0].distributions[0].bins} == {None}


def test_that_a_category_was_rare_which_many_left_with_is_not_told():
    """Nine classes left with ryde, and each had it once at least: that fewer than ten records did tells of all."""
    big = ["york", "hull", "bath", "deal"]
    modes = [*np.repeat(big, 20).tolist(), *["ryde"] * 9]
    labels = np.repeat(np.arange(89), 5)
    released = pl.DataFrame({"town": np.array(modes)[labels], "x": labels.astype(float)})
    plan = shoal.Plan(k=5, attributes={"town": NAME, "x": NUMBER})
    towns = [
        [mode] * 3 + [big[(i + 1) % 4], big[(i + 2) % 4]] if i % 2 else [mode] * 5 for i, mode in enumerate(modes[:80])
    ]
    pages = []
    for last in (["ryde", *big], ["ryde", "ryde", *big[1:]]):
        town = np.concatenate([*towns, *[["ryde", *big]] * 8, last])
        pages.append(told(released.with_columns(town=pl.Series(town)), released, plan))
    assert pages[0] == pages[1]
    assert "ryde" in {bin.label for bin in pages[0].distributions[0].bins}


def test_where_categories_may_be_missing_their_shares_are_not_told():
    """Half of the classes left without a category: all that changed did so in the others, as many as can be in each."""
    labels = np.repeat(np.arange(48), 5)
    left = np.where(labels % 2 == 0, None, np.where(labels < 24, "men", "women"))
    released = pl.DataFrame({"sex": left.tolist(), "x": labels.astype(float)})
    plan = shoal.Plan(k=5, missing="keep", attributes={"sex": NAME, "x": NUMBER})
    other = np.where(left == None, None, np.where(labels < 24, "women", "men"))  # noqa: E711  by element
    most = np.where(np.arange(240) % 5 < 2, other, left)
    fewer = np.where(labels == 1, left, most)
    pages = [told(released.with_columns(sex=pl.Series(sex.tolist())), released, plan) for sex in (most, fewer)]
    assert pages[0] == pages[1]
    assert {bin.before for bin in pages[0].distributions[0].bins} == {None}


def test_what_stands_below_a_node_is_not_told_by_shares_of_leaves():
    """Three classes left with the node a: if 5 % of all records are a1, nearly all of these are."""
    labels = np.repeat(np.arange(50), 6)
    few = [f"b{i}" for i in range(2, 10)]
    tree = {"a": ["a1", "a2"], "b": few, "c": ["c1", "c2"]}
    left = np.where(labels < 3, "a", np.where(labels < 13, "b", "c1"))
    x = np.random.default_rng(1).normal(0, 1, 50)[labels]
    code = {"role": "quasi_identifier", "kind": "nominal", "hierarchy": tree, "aggregate": "ancestor"}
    plan = shoal.Plan(k=5, attributes={"code": code, "x": NUMBER})
    pages = []
    for many in (5, 2):  # records of each class that had a1
        codes = np.where(labels < 13, np.resize(few, len(labels)), "c1")
        codes[labels < 3] = np.tile(["a1"] * many + ["a2"] * (6 - many), 3)
        frame = pl.DataFrame({"code": codes, "x": x})
        pages.append(told(frame, frame.with_columns(code=pl.Series(left)), plan).distributions[0])
    assert pages[0] == pages[1]
    assert {bin.before for bin in pages[0].bins} == {None}


def test_whether_few_records_changed_category_is_not_told():
    """Of three classes of twenty at most 27 changed: that no more than nineteen did, or more, tells of each."""
    labels = np.repeat(np.arange(3), 20)
    x = np.array([1.0, 5.0, 9.0])[labels]
    released = pl.DataFrame({"sex": np.where(labels < 2, "men", "women"), "x": x})
    plan = shoal.Plan(k=20, attributes={"sex": NAME, "x": NUMBER})
    sentences = set()
    for changed in (0, 6, 9):  # records of each class
        other = np.arange(60) % 20 < changed
        sex = np.where(other == (labels < 2), "women", "men")
        page = told(released.with_columns(sex=pl.Series(sex)), released, plan)
        sentences.add(page.distributions[0].sentence)
    assert len(sentences) == 1


def test_whether_a_cell_was_missing_does_not_decide_what_is_told():
    """The mean of four observed cells stands for five, or for all five of which one is that mean."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"pay": rng.uniform(0, 100, 600), "x": rng.uniform(0, 100, 600)})
    admits = shoal.Plan(k=5, missing="impute", attributes={"pay": NUMBER, "x": NUMBER})
    release = shoal.anonymize(frame, admits).in_original_order()
    means = release.data["pay"].to_numpy()
    group = np.flatnonzero(means == means[0])
    pay = frame["pay"].to_numpy().copy()
    pay[group] = means[group]
    whole = frame.with_columns(pay=pay)
    gap = whole.with_columns(pay=pl.when(pl.int_range(600) != int(group[0])).then("pay"))
    pages = [told(each, release.data, admits) for each in (whole, gap)]
    assert pages[0] == pages[1]
    refuses = admits.replace(missing="error")
    assert told(whole, release.data, refuses).distributions[0].bins[0].before is not None
