"""A run that refines: less is lost, and every promise is kept, whatever formed the groups."""

import itertools
import logging

import numpy as np
import polars as pl
import pytest

import shoal
from masking.test_grouping import fewest, persons, stays
from masking.test_grouping import plan as plan_of_stays
from people import attributes, people, plan, smallest_class
from shoal.constrain import WAYS, emd
from shoal.measures import measure
from shoal.partitioners import METHODS
from shoal.plan import Plan
from shoal.protect import Confidential

NUMBERS = {"role": "quasi_identifier", "kind": "numeric"}


def numbers(n=200, seed=3):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "x": rng.normal(size=n),
            "y": rng.normal(size=n),
            "z": rng.normal(size=n),
            "pay": rng.normal(size=n),
            "job": rng.choice(["a", "b", "c"], n),
            "weight": rng.uniform(0.5, 2, n),
            "land": rng.choice(["north", "south"], n),
        }
    )


def plan_of_numbers(**changes):
    columns = {
        **dict.fromkeys("xyz", NUMBERS),
        "pay": {"role": "confidential", "kind": "numeric"},
        "job": {"role": "confidential", "kind": "nominal"},
        "weight": {"role": "other"},
        "land": {"role": "other"},
    }
    return Plan(**{"k": 4, "order": "keep", "attributes": columns, **changes})


def loss(frame, release, plan):
    return measure(frame, release.in_original_order().data, plan, keys=["sse"])["sse"].value


def pair(frame, choices, **refined):
    plain = shoal.anonymize(frame, choices)
    better = shoal.anonymize(frame, choices.replace(refine="quick", **refined))
    return plain, better


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.attributes == "together"])
def test_every_method_is_a_start(method):
    frame, choices = numbers(), plan_of_numbers(method=method)
    plain, better = pair(frame, choices)
    assert smallest_class(better.data, ("x", "y", "z")) >= 4
    assert loss(frame, better, choices) < 0.97 * loss(frame, plain, choices)
    told = better.manifest["refine"]
    assert told["effort"] == "quick"
    assert told["repeatable"]
    assert told["loss_before"] == pytest.approx(loss(frame, plain, choices))
    assert told["loss_after"] == pytest.approx(loss(frame, better, choices))
    assert told["saved_percent"] == pytest.approx(100 * (1 - told["loss_after"] / told["loss_before"]), abs=1e-4)
    assert "refine" not in plain.manifest


def test_mixed_attributes_lose_less():
    frame, choices = people(), plan()
    plain, better = pair(frame, choices)
    assert smallest_class(better.data) >= choices.k
    assert loss(frame, better, choices) < loss(frame, plain, choices)


def test_efforts_and_seeds_differ_and_repeat():
    frame = numbers()
    told = {}
    for effort, seed in itertools.product(("quick", "good"), (0, 1)):
        choices = plan_of_numbers(refine=effort, seed=seed)
        release = shoal.anonymize(frame, choices)
        told[effort, seed] = release.manifest["refine"]["loss_after"]
        assert np.array_equal(release.labels, shoal.anonymize(frame, choices).labels)
    assert len(set(told.values())) == 4
    assert told["good", 0] < told["quick", 0]


def greatest_emd(frame, release):
    data = release.in_original_order()
    return emd(Confidential.ordered(frame["pay"].to_numpy()), data.labels).max()


@pytest.mark.parametrize("way", WAYS)
def test_every_way_keeps_t(way):
    frame = numbers()
    choices = plan_of_numbers(closeness={"t": 0.2, "attributes": ["pay"], "method": way})
    plain, better = pair(frame, choices)
    assert smallest_class(better.data, ("x", "y", "z")) >= 4
    assert greatest_emd(frame, better) <= 0.2
    assert loss(frame, better, choices) < loss(frame, plain, choices)


@pytest.mark.parametrize(
    "diversity",
    [{"distinct": 2}, {"entropy": 1.5}, {"recursive": {"c": 3.0, "l": 2}}],
    ids=lambda d: next(iter(d)),
)
def test_diversity_is_kept(diversity):
    frame = numbers()
    choices = plan_of_numbers(diversity={**diversity, "attributes": ["job"]})
    plain, better = pair(frame, choices)
    assert better.guarantees.holds
    if "distinct" in diversity:
        data = better.data.with_columns(frame["job"])
        assert data.group_by("x", "y", "z").agg(pl.col("job").n_unique())["job"].min() >= 2
    assert loss(frame, better, choices) < loss(frame, plain, choices)


def test_dominance_is_kept():
    frame = numbers()
    choices = plan_of_numbers(weights="weight", dominance=0.4)
    plain, better = pair(frame, choices)
    shares = better.data.group_by("x", "y", "z").agg((pl.col("weight").max() / pl.col("weight").sum()).alias("share"))
    assert shares["share"].max() <= 0.4
    assert better.manifest["refine"]["loss_after"] < better.manifest["refine"]["loss_before"]
    assert not np.array_equal(plain.labels, better.labels)


def test_values_of_by_are_never_mixed():
    frame = numbers()
    choices = plan_of_numbers(by="land")
    plain, better = pair(frame, choices)
    groups = pl.DataFrame({"group": better.labels, "land": frame["land"]}).group_by("group")
    assert groups.agg(pl.col("land").n_unique())["land"].max() == 1
    assert groups.len()["len"].min() >= 4
    assert loss(frame, better, choices) < loss(frame, plain, choices)


def test_every_block_is_refined():
    frame = numbers()
    choices = plan_of_numbers(blocks=[["x", "y"], ["z"]], guarantee=False)
    plain, better = pair(frame, choices)
    for block in better.partition.blocks:
        assert np.bincount(block.labels).min() >= 4
    assert loss(frame, better, choices) < loss(frame, plain, choices)
    assert better.manifest["refine"]["loss_after"] == pytest.approx(loss(frame, better, choices))


def test_subjects_with_varying_columns_alone():
    frame = stays().drop("born", "sex")
    columns = {name: value for name, value in plan_of_stays().to_dict()["attributes"].items() if name in frame.columns}
    choices = plan_of_stays(attributes={**columns, "cost": NUMBERS})
    plain, better = pair(frame, choices)
    assert fewest(frame, better, ("stay", "cost")) >= 5
    assert loss(frame, better, choices) < loss(frame, plain, choices)


@pytest.mark.parametrize("by_sex", [False, True])
def test_constants_of_subjects_stay_constant(by_sex):
    frame = stays(patients=120)
    choices = plan_of_stays(**({"by": "sex"} if by_sex else {}))
    _, better = pair(frame, choices)
    assert fewest(frame, better) >= 5
    of_one = persons(frame, better).group_by("who").agg(pl.col("born", "sex").n_unique())
    assert of_one.select(pl.col("born", "sex").max()).row(0) == (1, 1)
    told = better.manifest["refine"]
    assert told["loss_after"] < told["loss_before"]
    assert "not_refined" not in told


def test_groups_of_subjects_under_a_rule_are_left_alone_and_it_is_said():
    frame = stays(patients=200)
    choices = plan_of_stays(closeness={"t": 0.3, "attributes": ["cost"], "method": "merge"})
    _, better = pair(frame, choices)
    assert better.guarantees.holds
    (sentence,) = better.manifest["refine"]["not_refined"]
    assert "t_closeness is asked of all records behind them" in sentence


def test_a_guarantee_about_neighbours_leaves_groups_alone_and_it_is_said():
    frame = numbers()
    choices = plan_of_numbers(closeness={"t": 0.3, "n": 60, "attributes": ["pay"], "method": "merge"})
    plain, better = pair(frame, choices)
    assert np.array_equal(plain.labels, better.labels)
    assert "n_t_closeness compares them" in better.manifest["refine"]["not_refined"][0]


def test_t_that_is_not_guaranteed_is_not_undone():
    frame = numbers()
    choices = plan_of_numbers(closeness={"t": 0.2, "attributes": ["pay"], "method": "steered"}, guarantee=False)
    plain, better = pair(frame, choices)
    assert np.array_equal(plain.labels, better.labels)
    assert "t is not guaranteed" in better.manifest["refine"]["not_refined"][0]


def test_steering_still_steers():
    frame = numbers()
    choices = plan_of_numbers(dependence={"weight": 0.9, "attributes": ["pay"]})
    plain, better = pair(frame, choices)
    mean = lambda release: pl.DataFrame({"g": release.labels, "p": frame["pay"]}).group_by("g").agg(pl.col("p").var())  # noqa: E731
    assert mean(better)["p"].mean() < 1.1 * mean(plain)["p"].mean()


def test_permutation_is_done_inside_refined_groups():
    frame = numbers()
    choices = plan_of_numbers(release="permute")
    plain, better = pair(frame, choices)
    assert better.guarantees.holds
    assert np.bincount(better.labels).min() >= 4
    assert not np.array_equal(plain.labels, better.labels)


def test_a_budget_that_cuts_the_search_short_is_said():
    frame = numbers(3000)
    told = shoal.anonymize(frame, plan_of_numbers(refine="best", refine_seconds=0.05)).manifest["refine"]
    assert not told["repeatable"]
    assert told["loss_after"] <= told["loss_before"]


@pytest.mark.parametrize(("n", "options"), [(7, {}), (14, {"by": "land"})])
def test_records_too_few_for_two_groups_are_said(n, options):
    frame = numbers(n).with_columns(land=pl.Series(["north", "south"] * 7).head(n))
    told = shoal.anonymize(frame, plan_of_numbers(refine="good", **options)).manifest["refine"]
    assert told["not_refined"] == ["there is nothing to move, because the records are too few for two groups of k"]
    assert told["loss_after"] == told["loss_before"]


def test_records_enough_for_two_groups_are_not():
    assert "not_refined" not in shoal.anonymize(numbers(8), plan_of_numbers(refine="good")).manifest["refine"]


def test_ctrl_c_stops_a_run_that_refines():
    seen = []

    def progress(done, total):
        seen.append(done)
        if done > 0.6 * total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shoal.anonymize(numbers(3000), plan_of_numbers(refine="best"), progress=progress)
    assert seen


def test_progress_ends_with_all_records():
    seen = []
    shoal.anonymize(numbers(), plan_of_numbers(refine="quick"), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (200, 200)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_rounding_and_missing_cells_go_together_with_it(caplog):
    caplog.set_level(logging.INFO)
    frame = people().with_columns(pl.when(pl.int_range(pl.len()) % 9 == 0).then(None).otherwise("age").alias("age"))
    choices = plan(attributes=attributes(age={"missing": "impute", "round": True}), refine="quick")
    release = shoal.anonymize(frame, choices)
    assert smallest_class(release.data) >= choices.k
    assert release.data["age"].dtype.is_integer()
