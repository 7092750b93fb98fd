"""Comparison: runs of many plans as one result."""

import numpy as np
import pytest

import shoal
from shoal.errors import GuaranteeError, PlanError

ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "stay": {"role": "quasi_identifier", "kind": "numeric"},
    "charge": {"role": "confidential", "kind": "numeric"},
}
PLAN = shoal.Plan(k=3, attributes=ATTRIBUTES)


@pytest.fixture(scope="module")
def frame():
    return shoal.examples.discharges(200, seed=1).select(*ATTRIBUTES)


@pytest.fixture(scope="module")
def found(frame):
    return shoal.compare(frame, PLAN, k=[3, 6, 400], t=[None, 0.4], keys=["dld", "il_percent", "emd_max"])


def test_values_are_tried_by_the_names_of_options(frame, found):
    by_path = shoal.compare(
        frame, PLAN, {"k": [3, 6, 400], "closeness.t": ["none", 0.4]}, keys=["dld", "il_percent", "emd_max"]
    )
    assert [run.choices for run in found] == [run.choices for run in by_path]
    assert [run.scores for run in found] == [run.scores for run in by_path]
    both = shoal.compare(frame, PLAN, {"k": [3]}, method=["mdav", "vmdav"], keys=["il_percent"])
    assert [run.name for run in both] == ["k = 3, method = mdav", "k = 3, method = vmdav"]


def test_it_is_a_sequence_of_runs(found):
    assert len(found) == 6
    assert found[0] is next(iter(found))
    assert found[1:3] == found.runs[1:3]
    assert found.index(found[2]) == 2


def test_the_front_and_the_pick_are_those_of_the_functions(found):
    marks = shoal.comparison.pareto_front(found, found.axes)
    assert found.front == tuple(run for run, best in zip(found, marks, strict=True) if best)
    bounds = shoal.comparison.parse_bounds("emd_max <= 0.4")
    assert found.pick("emd_max <= 0.4") is shoal.comparison.pick(found, bounds)
    assert found.pick().choices["k"] == 3
    with pytest.raises(GuaranteeError, match="no plan of the grid keeps dld < 0"):
        found.pick("dld < 0")


def test_the_plan_of_a_run_makes_what_was_measured(frame, found):
    run = found[3]
    plan = found.plan_of(run)
    assert (plan.k, plan.closeness.t) == (6, 0.4)
    assert (
        shoal.anonymize(frame, plan).measure(frame, keys=["il_percent"])["il_percent"].value == run.scores["il_percent"]
    )


def test_it_is_a_table_too(found):
    table = found.to_frame()
    assert table.height == 6
    assert table.columns[:2] == ["k", "closeness.t"]
    assert table["problem"].null_count() == 4
    assert table["holds"].to_list() == [True] * 4 + [False] * 2


def test_it_is_drawn_by_any_two_measures(found):
    alt = pytest.importorskip("altair")
    chart = found.plot(picked=found[0])
    assert isinstance(chart, alt.LayerChart)
    other = found.by("emd_max")
    assert other.axes == ("emd_max", "il_percent")
    assert other.plot().to_dict() != chart.to_dict()
    assert "#plan-" not in str(chart.to_dict()["layer"][1]["encoding"])
    with pytest.raises(PlanError, match="no run was measured by id and il_percent"):
        found.by("id").plot()


def test_it_is_told_in_lines(found):
    lines = repr(found).splitlines()
    assert lines[0] == "Comparison of 6 plans by dld and il_percent"
    assert "not possible" in lines[5]
    assert sum(line.endswith(" *") for line in lines) == len(found.front)


@pytest.mark.parametrize(
    ("tried", "message"),
    [
        ({"k": 5}, r"k must list the values to try, such as k=\[3, 5\], not 5"),
        ({"kk": [5]}, "a plan has no field 'kk'; did you mean 'k'"),
        ({}, "there is nothing to compare"),
        ({"k": []}, r"compare.k must list the values to try"),
    ],
)
def test_what_cannot_be_tried_is_refused(frame, tried, message):
    with pytest.raises(PlanError, match=message):
        shoal.compare(frame, PLAN, keys=["il_percent"], **tried)


def test_a_grid_by_paths_takes_what_options_take(frame):
    by_options = shoal.compare(frame, PLAN, k=[3, 5], t=[None, 0.4], keys=["il_percent"])
    by_paths = shoal.compare(frame, PLAN, {"k": np.array([3, 5]), "closeness.t": [None, 0.4]}, keys=["il_percent"])
    assert [run.choices for run in by_paths] == [run.choices for run in by_options]
    assert [run.scores for run in by_paths] == [run.scores for run in by_options]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"plan": {"k": 5}}, r"plan must be a shoal\.Plan, not a dict"),
        ({"jobs": "2"}, "jobs must be a whole number of at least 1, not '2'"),
        ({"jobs": 0}, "jobs must be a whole number of at least 1, not 0"),
        ({"keys": "dld"}, r"keys must list names, such as \[\"dld\"\], not 'dld'"),
        ({"attacks": "attack_linkage"}, r"attacks must list names, such as \[\"attack_linkage\"\]"),
    ],
)
def test_wrong_arguments_are_told_in_a_sentence(frame, wrong, message):
    with pytest.raises(PlanError, match=message):
        shoal.compare(frame, **{"plan": PLAN, "k": [3], "keys": ["il_percent"], **wrong})
