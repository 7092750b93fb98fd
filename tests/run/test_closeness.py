"""[closeness] and [diversity] of a plan: what they ask, what the released table keeps, what is said when it cannot."""

from __future__ import annotations

import logging
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import released
import shoal
from reference import emd, neighbourhood
from shoal import DataError, GuaranteeError, Plan, PlanError
from shoal.frames import Table
from shoal.kinds.hierarchy import Hierarchy
from shoal.masking.inputs import read_inputs
from shoal.masking.preflight import forecast
from shoal.points import Points

QUASI = ["age", "height"]
AGE = {"role": "quasi_identifier", "kind": "numeric"}
ATTRIBUTES = {
    "age": AGE,
    "height": AGE,
    "pay": {"role": "confidential", "kind": "numeric"},
    "illness": {"role": "confidential", "kind": "nominal"},
    "ward": {"role": "other", "kind": "nominal"},
}
ILLNESSES = ["flu", "asthma", "ulcer", "gastritis", "colitis"]
TREE = {"lungs": ["flu", "asthma"], "stomach": {"upper": ["ulcer", "gastritis"], "lower": ["colitis"]}}


def people(n=150, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.normal(50, 15, n)
    return pl.DataFrame(
        {
            "age": age,
            "height": rng.normal(170, 9, n),
            "pay": np.round(age * 500 + rng.normal(0, 9000, n)),
            "illness": rng.choice(ILLNESSES, n, p=[0.4, 0.25, 0.15, 0.1, 0.1]),
            "ward": rng.choice(["A", "B"], n),
        }
    )


def plan(closeness=None, k=3, **changes):
    given_sections = {} if closeness is None else {"closeness": closeness}
    return Plan(**{"k": k, "attributes": ATTRIBUTES, **given_sections, **changes})


def run(frame=None, closeness=None, **changes):
    return shoal.anonymize(people() if frame is None else frame, plan(closeness, **changes))


def test_all_confidential_attributes_are_protected_unless_some_are_named():
    both = run(closeness={"t": 0.2})
    assert released.largest_distance(both.data, QUASI, "pay") <= Fraction(1, 5)
    assert released.largest_distance(both.data, QUASI, "illness", emd.equal) <= Fraction(1, 5)
    assert "By attribute: pay" in both.guarantees["t_closeness"].note
    one = run(closeness={"t": 0.2, "attributes": ["pay"]})
    assert released.largest_distance(one.data, QUASI, "pay") <= Fraction(1, 5)
    assert one.guarantees["t_closeness"].note == "Not protected: illness."
    assert one.labels.max() > both.labels.max()


def test_each_attribute_may_have_its_t():
    release = run(closeness={"t": {"pay": 0.1, "illness": 0.4}})
    assert released.largest_distance(release.data, QUASI, "pay") <= Fraction(1, 10)
    illness = released.largest_distance(release.data, QUASI, "illness", emd.equal)
    assert illness <= Fraction(2, 5)
    guarantee = release.guarantees["t_closeness"]
    assert guarantee.holds
    assert guarantee.asked in (0.1, 0.4)


def test_the_first_attribute_leads():
    first = run(closeness={"t": 0.2, "attributes": ["pay", "illness"]})
    other = run(closeness={"t": 0.2, "attributes": ["illness", "pay"]})
    assert first.labels.tolist() != other.labels.tolist()


@pytest.mark.parametrize("method", ["t_first", "k_first", "merge", "steered"])
def test_each_method_gives_its_own_groups_within_t(method):
    release = run(closeness={"t": 0.15, "method": method, "attributes": ["pay"]})
    assert released.largest_distance(release.data, QUASI, "pay") <= Fraction(3, 20)
    others = {"t_first", "k_first", "merge", "steered"} - {method}
    for other in others:
        assert (
            run(closeness={"t": 0.15, "method": other, "attributes": ["pay"]}).labels.tolist()
            != release.labels.tolist()
        )


def test_strata_over_all_attributes_make_even_groups():
    release = run(people(600), closeness={"t": {"pay": 0.2, "illness": 0.4}, "strata": "all"})
    assert release.guarantees["t_closeness"].holds
    sizes = np.bincount(release.labels)
    assert sizes.max() - sizes.min() <= 1


def test_a_hierarchy_makes_near_categories_near():
    tree = {"t": 0.2, "attributes": ["illness"], "hierarchy": {"illness": TREE}}
    release = run(closeness=tree)
    hierarchy = Hierarchy.of(TREE)
    assert released.largest_distance(
        release.data, QUASI, "illness", lambda group, table: emd.hierarchical(group, table, hierarchy)
    ) <= Fraction(1, 5)
    equal = run(closeness={"t": 0.2, "attributes": ["illness"]})
    assert release.labels.tolist() != equal.labels.tolist()
    central = run(closeness={**tree, "marginality": ["illness"]})
    assert central.labels.tolist() != release.labels.tolist()
    order = ["flu", "asthma", "ulcer", "gastritis", "colitis"]  # the commonest are the centre
    ranks = central.data["illness"].replace_strict(order, list(range(5)))
    assert released.largest_distance(central.data.with_columns(ranks=ranks), QUASI, "ranks") <= Fraction(1, 5)


def test_near_closeness_compares_with_neighbours():
    asked = {"t": 0.2, "method": "merge", "attributes": ["pay"]}
    near = run(closeness={**asked, "n": 30})
    assert near.guarantees["n_t_closeness"].holds
    assert near.guarantees["n_t_closeness"].achieved <= 0.2
    assert near.labels.max() > run(closeness=asked).labels.max()
    everybody = run(closeness={**asked, "n": 150})
    assert released.largest_distance(everybody.data, QUASI, "pay") <= Fraction(1, 5)


def test_neighbourhoods_stay_inside_strata():
    for seed in range(8):
        frame = people(60, seed)
        release = run(frame, closeness={"t": 0.2, "method": "merge", "attributes": ["pay"], "n": 15}, by="ward")
        assert release.guarantees["n_t_closeness"].holds
        columns, pay = frame.select(QUASI).to_numpy(), frame["pay"].to_numpy()
        points = (columns - columns.mean(axis=0)) / columns.std(axis=0)
        for ward in "AB":
            inside = (frame["ward"] == ward).to_numpy()
            labels = release.labels[inside]
            groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
            values = [*pay[inside], *pay[~inside]]  # the whole table, the stratum first
            rule = (emd.ordered, values, Fraction(1, 5))
            verdicts = neighbourhood.verdicts(Points.of(points[inside]), groups, [rule], 15)
            assert all(met for _, met in verdicts)


def test_near_closeness_and_diversity_hold_together():
    release = run(
        closeness={"t": 0.2, "method": "merge", "attributes": ["pay"], "n": 30},
        diversity={"distinct": 3, "attributes": ["illness"]},
    )
    assert release.guarantees.holds
    assert released.fewest_distinct(release.data, QUASI, "illness") >= 3
    assert list(release.guarantees) == ["k_anonymity", "n_t_closeness", "distinct_l_diversity"]


def test_diversity_without_closeness():
    illness = {"attributes": ["illness"]}
    plain = run()
    assert released.fewest_distinct(plain.data, QUASI, "illness") < 3
    distinct = run(diversity={"distinct": 3, **illness})
    assert released.fewest_distinct(distinct.data, QUASI, "illness") >= 3
    assert distinct.guarantees["distinct_l_diversity"].achieved >= 3
    sensitive = run(diversity={"p_sensitive": 3, **illness})
    assert sensitive.labels.tolist() == distinct.labels.tolist()
    assert sensitive.guarantees["distinct_l_diversity"].holds
    both = run(diversity={"distinct": 2, "p_sensitive": 3, **illness})
    assert both.guarantees["distinct_l_diversity"].asked == 3
    assert both.labels.tolist() == distinct.labels.tolist()
    entropy = run(diversity={"entropy": 2.5, **illness})
    assert entropy.guarantees["entropy_l_diversity"].achieved >= 2.5
    assert entropy.labels.tolist() != distinct.labels.tolist()
    recursive = run(diversity={"recursive": {"c": 1.5, "l": 2}, **illness})
    assert released.largest_ratio(recursive.data, QUASI, "illness", 2) < Fraction(3, 2)
    assert recursive.guarantees["recursive_c_l_diversity"].achieved < 1.5


def test_diversity_beside_closeness():
    release = run(closeness={"t": 0.2, "attributes": ["pay"]}, diversity={"distinct": 3, "attributes": ["illness"]})
    assert released.fewest_distinct(release.data, QUASI, "illness") >= 3
    assert released.largest_distance(release.data, QUASI, "pay") <= Fraction(1, 5)


def test_missing_confidential_values_stop_the_run_or_are_a_category():
    frame = people().with_columns(pay=pl.when(pl.col("age") > 60).then(None).otherwise(pl.col("pay")))
    with pytest.raises(DataError, match=r"confidential column 'pay' has \d+ missing.*closeness\.missing"):
        run(frame, closeness={"t": 0.2})
    release = run(frame, closeness={"t": 0.2, "missing": "category", "attributes": ["pay"]})
    data = release.data.with_columns(pay=pl.col("pay").fill_null(1e9))
    assert released.largest_distance(data, QUASI, "pay") <= Fraction(1, 5)
    with pytest.raises(DataError, match=r"diversity\.missing"):
        run(frame, diversity={"distinct": 2})
    assert run(frame, diversity={"distinct": 2, "missing": "category"}).guarantees.holds
    for kind, values in (("nominal", ILLNESSES), ("ordinal", ILLNESSES)):
        attributes = {**ATTRIBUTES, "illness": {"role": "confidential", "kind": kind}}
        if kind == "ordinal":
            attributes["illness"]["order"] = values
        gone = people().with_columns(illness=pl.when(pl.col("age") > 60).then(None).otherwise(pl.col("illness")))
        kept = run(gone, closeness={"t": 0.3, "missing": "category", "attributes": ["illness"]}, attributes=attributes)
        order = [*values, None]
        codes = gone["illness"].map_elements(order.index, return_dtype=pl.Int64, skip_nulls=False)
        distance = emd.equal if kind == "nominal" else emd.ordered
        assert released.largest_distance(kept.data.with_columns(codes=codes), QUASI, "codes", distance) <= Fraction(
            3, 10
        )


def test_strata_are_compared_with_the_whole_table():
    release = run(closeness={"t": 0.25, "attributes": ["pay"]}, by="ward")
    assert released.largest_distance(release.data, [*QUASI, "ward"], "pay") <= Fraction(1, 4)
    frame = people().with_columns(ward=pl.when(pl.col("pay") > 25000).then(pl.lit("A")).otherwise(pl.lit("B")))
    with pytest.raises(GuaranteeError, match=r"inside a value of by = 'ward', pay cannot have t-closeness") as caught:
        run(frame, closeness={"t": 0.1, "attributes": ["pay"]}, by="ward")
    assert caught.value.exit_code == 3
    assert 0.1 < caught.value.reached < 0.5


def test_a_permuted_release_is_checked_on_its_groups():
    release = run(closeness={"t": 0.2, "attributes": ["pay"]}, release="permute")
    values = release.data["pay"].to_list()
    for group in np.unique(release.labels):
        rows = np.flatnonzero(release.labels == group)
        assert emd.ordered([values[row] for row in rows], values) <= Fraction(1, 5)
    assert list(release.guarantees) == ["probabilistic_k_anonymity", "t_closeness"]


def test_what_cannot_be_diverse_is_refused_with_what_the_table_has():
    with pytest.raises(GuaranteeError, match="distinct l-diversity with l = 6") as caught:
        run(diversity={"distinct": 6, "attributes": ["illness"]})
    assert caught.value.reached == 5


@pytest.mark.parametrize("changes", [{}, {"by": "ward"}])
def test_what_is_impossible_is_said_before_the_work(changes):
    heard = []
    asked = plan(diversity={"distinct": 6, "attributes": ["illness"]}, **changes)
    with pytest.raises(GuaranteeError, match="distinct l-diversity"):
        shoal.anonymize(people(), asked, progress=lambda done, total: heard.append(done))
    assert heard == []


def test_any_values_have_the_entropy_of_one():
    constant = people().with_columns(illness=pl.lit("flu"))
    release = run(constant, diversity={"entropy": 1, "attributes": ["illness"]})
    assert release.labels.tolist() == run(constant).labels.tolist()
    assert release.guarantees["entropy_l_diversity"].achieved == pytest.approx(1)


@settings(max_examples=100)
@given(st.data())
def test_hypothesis_does_not_break_it(data):
    n = data.draw(st.integers(3, 40))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    levels = data.draw(st.integers(1, n))
    frame = pl.DataFrame(
        {
            "age": rng.integers(0, data.draw(st.integers(1, 50)), n),
            "height": rng.normal(size=n),
            "pay": rng.integers(0, levels, n),
            "illness": rng.choice(ILLNESSES, n),
            "ward": ["A"] * n,
        }
    )
    k = data.draw(st.integers(2, min(n, 6)))
    t = {name: data.draw(st.sampled_from([0.0, 0.01, 0.07, 0.2, 0.5, 1.0])) for name in ("pay", "illness")}
    method = data.draw(st.sampled_from(["t_first", "k_first", "merge", "steered"]))
    strata = {"strata": data.draw(st.sampled_from(["first", "all"]))} if method == "t_first" else {}
    release = run(frame, closeness={"t": t, "method": method, **strata}, k=k)
    assert released.smallest_class(release.data, QUASI) >= k
    assert released.largest_distance(release.data, QUASI, "pay") <= Fraction(str(t["pay"]))
    assert released.largest_distance(release.data, QUASI, "illness", emd.equal) <= Fraction(str(t["illness"]))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"closeness": {"t": 1.5}}, ["closeness.t", "1"]),
        ({"closeness": {"t": 0.1, "method": "t-first"}}, ["closeness.method", "t_first"]),
        ({"closeness": {"t": 0.1, "n": 30}}, ["n is only used by method", "merge"]),
        ({"closeness": {"t": 0.1, "weight": 2, "method": "merge"}}, ["weight is only used by", "steered"]),
        ({"closeness": {"t": 0.1, "strata": "all", "method": "merge"}}, ["strata is only used by", "t_first"]),
        ({"closeness": {"t": 0.1, "attributes": ["age"]}}, ["closeness.attributes", "'age'", "confidential"]),
        ({"closeness": {"t": 0.1, "attributes": []}}, ["closeness.attributes", "at least one"]),
        ({"closeness": {"t": {"pay": 0.1}}}, ["closeness.t", "'illness'"]),
        ({"closeness": {"t": {"pay": 0.1, "illness": 0.1, "age": 0.2}}}, ["closeness.t", "'age'"]),
        ({"closeness": {"t": 0.1, "hierarchy": {"pay": TREE}}}, ["closeness.hierarchy", "'pay'", "nominal"]),
        ({"closeness": {"t": 0.1, "hierarchy": {"illness": {"a": []}}}}, ["illness", "empty"]),
        ({"closeness": {"t": 0.1, "marginality": ["illness"]}}, ["marginality", "no tree"]),
        ({"closeness": {"t": 0.1, "tt": 1}}, ["closeness.tt", "unknown key", "'t'"]),
        ({"closeness": {"t": 0.1}, "method": "vmdav"}, ["t_first", "forms its own groups", "vmdav"]),
        ({"closeness": {"t": 0.1, "method": "steered"}, "scale": "zscore"}, ["steered", "minmax"]),
        ({"diversity": {}}, ["diversity", "asks for nothing"]),
        ({"diversity": {"distinct": 0}}, ["diversity.distinct", "1"]),
        ({"diversity": {"distinct": 2, "attributes": ["ward"]}}, ["diversity.attributes", "'ward'"]),
        ({"diversity": {"recursive": {"c": 0, "l": 2}}}, ["diversity.recursive.c"]),
        ({"attributes": {"age": AGE}, "closeness": {"t": 0.1}}, ["closeness", "at least one confidential"]),
    ],
)
def test_a_wrong_section_is_explained(changes, words):
    with pytest.raises(PlanError) as caught:
        plan(**changes)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_sections_survive_toml():
    original = plan(
        closeness={
            "t": {"pay": 0.1, "illness": 0.3},
            "strata": "all",
            "missing": "category",
            "hierarchy": {"illness": TREE},
            "marginality": ["illness"],
        },
        diversity={"distinct": 2, "recursive": {"c": 1.5, "l": 2}},
    )
    assert Plan.parse(original.to_toml()) == original


def test_steering_sets_the_scale():
    assert plan(closeness={"t": 0.1, "method": "steered"}).scale == "minmax"
    assert plan(closeness={"t": 0.1, "method": "merge"}).scale == "zscore"
    heavy = run(closeness={"t": 0.3, "method": "steered", "attributes": ["pay"]})
    light = run(closeness={"t": 0.3, "method": "steered", "attributes": ["pay"], "weight": 0.1})
    assert heavy.labels.tolist() != light.labels.tolist()


def test_the_forecast_says_what_is_needed(caplog):
    frame = people()

    def ahead(closeness, **changes):
        asked = plan(closeness, **changes)
        return forecast(read_inputs(Table.of(frame), asked), asked)

    assert forecast(read_inputs(Table.of(frame), plan()), plan()).group_size == 3
    pay = {"t": 0.05, "attributes": ["pay"]}
    assert ahead(pay).group_size == 10
    assert "groups of 10 or more records keep pay within t = 0.05, though k = 3 was asked" in ahead(pay).sentences[0]
    assert "though" not in ahead(pay, k=10).sentences[0]
    assert "for 1 more attribute" in ahead({"t": 0.05, "attributes": ["pay", "illness"]}).sentences[0]
    merged = ahead({**pay, "method": "merge"})
    assert merged.group_size == 3
    assert "0.08386 is the smallest for k = 3" in merged.sentences[0]
    assert "k = 10 with" in merged.sentences[0]
    assert ahead({**pay, "method": "merge"}, k=10).sentences == ()
    assert "inside each value of by = 'ward' groups of about 10 records" in ahead(pay, by="ward").sentences[0]
    with caplog.at_level(logging.INFO, logger="shoal"):
        run(frame, closeness=pay)
    assert "groups of 10 or more" in caplog.text


@pytest.mark.parametrize("method", ["t_first", "k_first", "merge", "steered"])
@pytest.mark.parametrize("strata", [{}, {"by": "ward"}])
def test_whoever_listens_may_stop_the_repair(method, strata):
    class Enough(Exception):
        pass

    asked = plan({"t": 0.2, "method": method, "attributes": ["pay"]}, diversity={"distinct": 4}, **strata)
    reports = 4 if strata else 2  # at the least: groups are formed, then merged, in each part
    heard = []

    def listen(done, total):
        heard.append((done, total))
        if len(heard) == stop_at:
            raise Enough

    stop_at = None
    shoal.anonymize(people(), asked, progress=listen)
    assert heard[-1] == (150, 150)
    assert len(heard) >= reports
    heard.clear()
    stop_at = reports
    with pytest.raises(Enough):
        shoal.anonymize(people(), asked, progress=listen)
