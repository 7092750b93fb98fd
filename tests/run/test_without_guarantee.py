"""Blocks and mixed values through the plan: what they do, and that nobody takes them for k-anonymity."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import DataError, GuaranteeError, Plan, PlanError
from shoal.partitioners import blocks, mdav, mic1d, projected, univariate
from shoal.scaling import zscores

NUMERIC = {"role": "quasi_identifier", "kind": "numeric"}
GRADES = ["low", "mid", "high", "top"]
GRADE = {"role": "quasi_identifier", "kind": "ordinal", "order": GRADES}
NAMES = ("a", "b", "c", "d")
ATTRIBUTES = {**dict.fromkeys(NAMES, NUMERIC), "pay": {"role": "confidential", "kind": "numeric"}}
K = 5


def people(n=240, seed=0):
    rng = np.random.default_rng(seed)
    theme = rng.standard_normal((n, 2))
    table = np.repeat(theme, 2, axis=1) + 0.3 * rng.standard_normal((n, 4))
    values = table * [1, 10, 100, 1000] + [50, 0, -7, 1e6]
    return pl.DataFrame({**{name: values[:, j] for j, name in enumerate(NAMES)}, "pay": rng.lognormal(10, 1, n)})


def plan(**changes):
    return Plan(**{"k": K, "attributes": ATTRIBUTES, "guarantee": False, **changes})


def released(frame, **changes):
    return shoal.anonymize(frame, plan(**changes))


def array(frame):
    return frame.select(NAMES).to_numpy()


def group_means(values, labels):
    return np.array([values[labels == label].mean(axis=0) for label in labels])


def k_prime(frame, names):
    return len(frame) / frame.select(names).unique().height


# What each method releases.


def test_projected_is_k_anonymous_like_mdav():
    frame = people()
    for axis in ("pcp", "zscores"):
        release = released(frame, method="projected", axis=axis, guarantee=True)
        labels = projected(zscores(array(frame)), K, axis=axis)
        np.testing.assert_array_equal(release.labels, labels)
        np.testing.assert_allclose(array(release.data), group_means(array(frame), labels))
        assert release.guarantees["k_anonymity"].holds


def test_the_axis_is_the_first_component_unless_said_otherwise():
    frame = people()
    default = released(frame, method="projected", guarantee=True).labels
    np.testing.assert_array_equal(default, released(frame, method="projected", axis="pcp", guarantee=True).labels)
    assert (default != released(frame, method="projected", axis="zscores", guarantee=True).labels).any()


def test_univariate_masks_one_quasi_identifier_with_a_guarantee():
    frame = people().select("a", "pay")
    attributes = {"a": NUMERIC, "pay": ATTRIBUTES["pay"]}
    release = shoal.anonymize(frame, Plan(k=K, method="univariate", attributes=attributes))
    np.testing.assert_array_equal(release.labels, univariate(frame["a"].to_numpy(), K))
    assert release.guarantees["k_anonymity"].holds


def test_individual_masks_each_quasi_identifier_by_itself():
    frame = people()
    release = released(frame, method="individual")
    for name in NAMES:
        values = frame[name].to_numpy()
        np.testing.assert_allclose(release.data[name], group_means(values, univariate(values, K)))
    assert [block.columns for block in release.partition.blocks] == [(name,) for name in NAMES]


def test_individual_on_one_quasi_identifier_guarantees_k():
    frame = people().select("a", "pay")
    attributes = {"a": NUMERIC, "pay": ATTRIBUTES["pay"]}
    assert shoal.anonymize(frame, Plan(k=K, method="individual", attributes=attributes)).guarantees.holds


def test_given_blocks_are_masked_by_themselves():
    frame = people()
    release = released(frame, blocks=[["c", "a"], ["b", "d"]])
    table = zscores(array(frame))
    for columns in ([0, 2], [1, 3]):
        expected = group_means(array(frame)[:, columns], mdav(table[:, columns], K))
        np.testing.assert_allclose(array(release.data)[:, columns], expected)
    shared = [tuple(block.labels[i] for block in release.partition.blocks) for i in range(len(frame))]
    assert len(set(shared)) == release.labels.max() + 1


@pytest.mark.parametrize("make", ["correlated", "spread"])
@pytest.mark.parametrize("how", [{"size": 2}, {"count": 2}])
def test_blocks_are_made_from_the_correlations(make, how):
    frame = people()
    release = released(frame, blocks={"make": make, **how})
    expected = blocks(array(frame), make, **how)
    assert [block.columns for block in release.partition.blocks] == [
        tuple(NAMES[attribute] for attribute in block) for block in expected
    ]
    assert expected == (((0, 1), (2, 3)) if make == "correlated" else ((0, 2), (1, 3)))


def test_one_made_block_is_the_plain_run():
    frame = people()
    release = released(frame, blocks={"make": "spread", "count": 1}, guarantee=True)
    np.testing.assert_array_equal(release.labels, released(frame, guarantee=True).labels)


def test_nominal_columns_go_through_blocks_of_mdav():
    rng = np.random.default_rng(3)
    frame = people().with_columns(town=pl.Series(rng.choice(["x", "y", "z"], 240)))
    attributes = {**ATTRIBUTES, "town": {"role": "quasi_identifier", "kind": "nominal"}}
    release = released(frame, attributes=attributes, blocks={"make": "correlated", "size": 2})
    assert any("town" in block.columns for block in release.partition.blocks)
    assert set(release.data["town"]) <= {"x", "y", "z"}


@pytest.mark.parametrize("cut", ["fixed", "optimal"])
@pytest.mark.parametrize("scale", ["zscore", "minmax", "none"])
def test_mic1d_mixes_the_values_of_all_columns(cut, scale):
    frame = people()
    release = released(frame, method="mic1d", k=60, cut=cut, scale=scale)
    table = array(frame)
    low, high = table.min(axis=0), table.max(axis=0)
    zero, unit = {
        "zscore": (table.mean(axis=0), table.std(axis=0, ddof=1)),
        "minmax": (low, high - low),
        "none": (0.0, 1.0),
    }[scale]
    expected = mic1d((table - zero) / unit, 60, cut=cut) * unit + zero
    np.testing.assert_allclose(array(release.data), expected, rtol=1e-9, atol=1e-8)
    np.testing.assert_array_equal(np.unique(release.labels), np.arange(release.data.select(NAMES).unique().height))


def test_mic1d_of_a_block_does_not_touch_the_other():
    frame = people()
    release = released(frame, method="mic1d", k=60, blocks=[["a", "b"], ["c", "d"]])
    alone = released(frame, method="mic1d", k=60)
    assert (array(release.data) != array(alone.data)).any()
    part = shoal.anonymize(
        frame.select("a", "b"),
        Plan(k=60, method="mic1d", guarantee=False, attributes=dict.fromkeys("ab", NUMERIC)),
    )
    np.testing.assert_array_equal(release.data.select("a", "b"), part.data)


def test_mic1d_takes_ordinals_by_rank_and_keeps_dates_and_integers_what_they_are():
    rng = np.random.default_rng(4)
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 400, 240)]
    frame = people().with_columns(
        grade=pl.Series(rng.choice(GRADES, 240)), seen=pl.Series(days), age=pl.Series(rng.integers(0, 90, 240))
    )
    attributes = {**ATTRIBUTES, "grade": GRADE, "seen": {"role": "quasi_identifier", "kind": "date"}, "age": NUMERIC}
    release = released(frame, method="mic1d", k=1000, attributes=attributes, round=True)
    assert set(release.data["grade"]) <= set(GRADES)
    assert release.data["seen"].dtype == pl.Date
    assert release.data["age"].dtype == pl.Int64
    for name in ("grade", "seen", "age"):
        assert (release.data[name] != frame[name]).any()


def test_mic1d_preserves_the_variance_where_asked():
    frame = people()
    for keep in (True, False):
        release = released(frame, method="mic1d", k=300, preserve_variance=keep)
        ratio = np.var(array(release.data), axis=0) / np.var(array(frame), axis=0)
        assert (np.abs(ratio - 1) < 1e-9).all() == keep


def test_mic1d_gives_missing_cells_a_value():
    frame = people().with_columns(a=pl.when(pl.col("b") > 5).then(None).otherwise(pl.col("a")))
    with pytest.raises(DataError, match=r"'a' has .* missing"):
        released(frame, method="mic1d", k=60)
    assert released(frame, method="mic1d", k=60, missing="impute").data["a"].null_count() == 0


def test_mic1d_keeps_strata_apart():
    frame = people().with_columns(ward=pl.Series(["u", "v"] * 120))
    attributes = {**ATTRIBUTES, "ward": {"role": "other"}}
    release = released(frame, method="mic1d", k=60, attributes=attributes, by="ward", scale="none")
    for ward in "uv":
        rows = frame["ward"] == ward
        np.testing.assert_allclose(array(release.data.filter(rows)), mic1d(array(frame.filter(rows)), 60), rtol=1e-12)
    with pytest.raises(GuaranteeError, match="fewer than k = 500 values"):
        released(frame, method="mic1d", k=500, attributes=attributes, by="ward")


def test_blocks_keep_strata_apart():
    frame = people().with_columns(ward=pl.Series(["u", "v"] * 120))
    attributes = {**ATTRIBUTES, "ward": {"role": "other"}}
    release = released(frame, blocks=[["a", "b"], ["c", "d"]], attributes=attributes, by="ward")
    for block in release.partition.blocks:
        for label in np.unique(block.labels):
            assert frame["ward"].to_numpy()[block.labels == label].tolist().count("u") in (
                0,
                sum(block.labels == label),
            )


@pytest.mark.parametrize("changes", [{"method": "individual"}, {"blocks": [["a", "b"], ["c", "d"]]}])
def test_a_stratum_that_is_too_small_for_a_group_is_refused_before_the_work(changes):
    frame = people().with_columns(ward=pl.Series(["A"] * 237 + ["B"] * 3))
    attributes = {**ATTRIBUTES, "ward": {"role": "other"}}
    with pytest.raises(GuaranteeError, match="by = 'ward' has 1 of 2 values with fewer than k = 5 records"):
        released(frame, attributes=attributes, by="ward", **changes)


def test_dependence_steers_every_block():
    frame = people()
    plain = released(frame, blocks=[["a", "b"], ["c", "d"]])
    steered = released(frame, blocks=[["a", "b"], ["c", "d"]], dependence={"weight": 0.5})
    for before, after in zip(plain.partition.blocks, steered.partition.blocks, strict=True):
        assert (before.labels != after.labels).any()


def test_a_constant_column_stays_as_it_is():
    frame = people().with_columns(a=pl.lit(7.25))
    for changes in (
        {"method": "individual"},
        {"method": "mic1d", "k": 60},
        {"method": "mic1d", "k": 60, "scale": "none"},
    ):
        assert released(frame, **changes).data["a"].unique().to_list() == [7.25]


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200, 1e200, 1e297])
@pytest.mark.parametrize("changes", [{"method": "individual"}, {"method": "mic1d", "k": 60}])
def test_very_small_and_very_large_numbers_are_masked_like_any_others(changes, size):
    frame = people().with_columns(a=pl.Series(np.arange(240.0)))
    release = released(frame, order="keep", **changes)
    sized = released(frame.with_columns(a=pl.Series(np.arange(240.0) * size)), order="keep", **changes)
    np.testing.assert_array_equal(sized.labels, release.labels)
    assert sized.data["a"].is_finite().all()
    assert sized.data["a"].n_unique() > 2


def test_columns_that_share_a_unit_can_stay_as_they_are():
    frame = people()
    labels = released(frame, scale="none", guarantee=True).labels
    np.testing.assert_array_equal(labels, mdav(array(frame), K))
    assert (labels != released(frame, guarantee=True).labels).any()


# What is said of it.

UNGUARANTEED = [
    {"method": "individual"},
    {"method": "mic1d"},
    {"blocks": [["a", "b"], ["c", "d"]]},
    {"blocks": {"make": "spread", "size": 2}, "method": "projected"},
]


@pytest.mark.parametrize("changes", UNGUARANTEED)
def test_nothing_is_released_unless_the_plan_gives_up_the_guarantee(changes):
    with pytest.raises(GuaranteeError, match=r"k = 5 cannot be guaranteed: .*guarantee = false"):
        released(people(), guarantee=True, **changes)


@pytest.mark.parametrize("changes", UNGUARANTEED)
def test_the_release_says_that_k_is_not_guaranteed_and_what_is_left(changes):
    release = released(people(), **changes)
    guarantee = release.guarantees["k_anonymity"]
    assert not guarantee.holds
    assert not release.guarantees.holds
    assert guarantee.definition.startswith("k not guaranteed: ")
    smallest = release.data.group_by(NAMES).len()["len"].min()
    assert guarantee.achieved == smallest
    overall = k_prime(release.data, NAMES)
    assert guarantee.detail["k_prime"] == pytest.approx(overall)
    assert f"k' = {overall:.2f} records" in guarantee.definition
    one = np.mean([k_prime(release.data, [name]) for name in NAMES])
    assert guarantee.detail["k_prime of 1 of them"] == pytest.approx(one)
    pairs = [k_prime(release.data, [x, y]) for x in NAMES for y in NAMES if x < y]
    assert guarantee.detail["k_prime of 2 of them"] == pytest.approx(np.mean(pairs))
    assert f"2 of them, {np.mean(pairs):.2f}" in guarantee.definition
    assert release.manifest["guarantees"][0]["detail"]["k_prime"] == pytest.approx(overall)


def test_the_sets_that_an_intruder_may_know_are_the_plans():
    release = released(people(), method="individual", intruder=[["a"], ["b", "d"]])
    detail = release.guarantees["k_anonymity"].detail
    assert set(detail) == {"k_prime", "k_prime of a", "k_prime of b + d"}
    assert detail["k_prime of b + d"] == pytest.approx(k_prime(release.data, ["b", "d"]))


def test_a_k_that_happens_to_hold_is_still_not_guaranteed():
    frame = people().with_columns(pl.lit(1.0).alias(name) for name in NAMES)
    guarantee = released(frame, method="individual").guarantees["k_anonymity"]
    assert guarantee.holds
    assert guarantee.definition.startswith("k not guaranteed: ")


def test_progress_ends_at_all_values():
    for changes in ({"method": "individual"}, {"method": "mic1d", "k": 60}):
        calls = []
        shoal.anonymize(people(), plan(**changes), progress=lambda *call, calls=calls: calls.append(call))
        assert calls[-1] == (960, 960)


# What is refused.


def test_nominal_columns_are_refused_by_name_with_the_methods_that_take_them():
    attributes = {**ATTRIBUTES, "town": {"role": "quasi_identifier", "kind": "nominal"}}
    for method in ("projected", "individual", "mic1d"):
        with pytest.raises(
            PlanError, match=rf"method {method} needs values in an order, and 'town' is nominal: use mdav, "
        ):
            plan(method=method, attributes=attributes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"guarantee": False}, "guarantee = false changes nothing here"),
        ({"guarantee": True, "intruder": [["a"]]}, "intruder changes nothing here"),
        ({"method": "individual", "intruder": [["a", "pay"]]}, "intruder must list sets of quasi-identifiers"),
        ({"method": "univariate"}, "univariate masks one quasi-identifier, and the plan has 4: use individual"),
        ({"axis": "pcp", "blocks": [["a", "b"], ["c", "d"]]}, "axis is only used by method projected"),
        ({"method": "individual", "cut": "fixed"}, "cut is only used by method mic1d"),
        ({"method": "projected", "axis": "third"}, "axis must be 'pcp' or 'zscores', not 'third'"),
        ({"method": "individual", "blocks": [["a", "b"], ["c", "d"]]}, "blocks change nothing with method individual"),
        ({"blocks": [["a", "b"], ["c"]]}, "blocks must hold every quasi-identifier once, but 'd' is in none"),
        ({"blocks": [["a", "b"], ["c", "d", "a"]]}, "but 'a' is in more than one"),
        ({"blocks": [["a", "b"], ["c", "d", "pay"]]}, "but 'pay' is no quasi-identifier"),
        ({"blocks": [["a", "b", "c", "d"], []]}, "blocks must not be empty"),
        ({"blocks": {"make": "spread"}}, "blocks need either size"),
        ({"blocks": {"size": 2}}, "blocks.make is required"),
        ({"blocks": {"make": "spread", "sise": 2}}, "blocks.sise is an unknown key; did you mean 'size'?"),
        ({"blocks": "spread"}, "blocks must be a list"),
        ({"blocks": {"make": "spread", "size": 5}}, "size must be from 1 to"),
        ({"blocks": {"make": "random", "size": 2}}, "blocks.make must be 'correlated' or 'spread', not 'random'"),
        ({"method": "mic1d", "dependence": {"weight": 0.5}}, "dependence has no say in method mic1d"),
        ({"method": "individual", "dependence": {"weight": 0.5}}, "dependence has no say in method individual"),
        (
            {"method": "mic1d", "attributes": {**ATTRIBUTES, "a": {**NUMERIC, "weight": 2}}},
            "weight of 'a' changes nothing",
        ),
        (
            {"method": "mic1d", "attributes": {**ATTRIBUTES, "a": {**NUMERIC, "aggregate": "median"}}},
            "aggregate of 'a'",
        ),
        ({"method": "individual", "attributes": {**ATTRIBUTES, "a": {**NUMERIC, "scale": "minmax"}}}, "scale of 'a'"),
        ({"method": "individual", "release": "permute"}, 'release = "permute" needs groups of whole records'),
        ({"blocks": [["a", "b"], ["c", "d"]], "closeness": {"t": 0.2}}, "closeness needs groups of whole records"),
        ({"method": "mic1d", "diversity": {"distinct": 2}}, "diversity needs groups of whole records"),
    ],
)
def test_what_changes_nothing_or_does_not_exist_is_refused(changes, message):
    with pytest.raises(PlanError) as refusal:
        plan(**changes)
    assert message in str(refusal.value)


def test_too_few_values_to_mix():
    with pytest.raises(DataError, match="k is 961 but the table has only 960 values to mix"):
        released(people(), method="mic1d", k=961)


def test_plans_with_blocks_go_through_toml_unchanged():
    for changes in (
        {"blocks": [["a", "b"], ["c", "d"]]},
        {"blocks": {"make": "spread", "size": 2}, "intruder": [["a"]]},
    ):
        written = plan(**changes)
        assert Plan.parse(written.to_toml()) == written
