"""Comparisons: computed once, measured rightly, the front and the pick."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.comparison import Comparison, Run, compare, pareto_front, parse_bounds, pick
from shoal.comparison.exports import csv_text, json_text
from shoal.errors import GuaranteeError, PlanError
from shoal.measures import measure

KEYS = ["dld", "il_percent", "emd_max", "score"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    age = rng.normal(40, 12, 120)
    return pl.DataFrame({"age": age, "stay": rng.gamma(2, 3, 120), "pay": age * 10 + rng.normal(0, 50, 120)})


@pytest.fixture(scope="module")
def plan():
    return shoal.Plan(
        k=3,
        compare={"k": [3, 6], "method": ["mdav", "vmdav"]},
        attributes={
            "age": {"role": "quasi_identifier", "kind": "numeric"},
            "stay": {"role": "quasi_identifier", "kind": "numeric"},
            "pay": {"role": "confidential", "kind": "numeric"},
        },
    )


def test_runs_are_measured_as_by_hand(frame, plan):
    runs = compare(frame, plan, {"k": [4]}, keys=KEYS)
    chosen = plan.replace(k=4, compare={})
    release = shoal.anonymize(frame, chosen)
    by_hand = measure(frame, release.data, chosen, keys=KEYS)
    assert runs[0].scores == {key: score.value for key, score in by_hand.items()}
    assert runs[0].guarantees == {"k_anonymity": 4}
    assert runs[0].groups == release.labels.max() + 1


def test_the_plans_own_grid_is_the_default(frame, plan):
    assert [run.name for run in compare(frame, plan, keys=KEYS)] == [
        "k = 3, method = mdav",
        "k = 3, method = vmdav",
        "k = 6, method = mdav",
        "k = 6, method = vmdav",
    ]


@pytest.mark.parametrize("jobs", [1, 2, None])
def test_the_number_of_jobs_changes_nothing_but_time(frame, plan, jobs):
    scores = [run.scores for run in compare(frame, plan, keys=KEYS, jobs=jobs)]
    assert scores == [run.scores for run in compare(frame, plan, keys=KEYS, jobs=3)]


def test_a_second_comparison_computes_nothing(frame, plan, tmp_path, monkeypatch):
    first = compare(frame, plan, keys=KEYS, folder=tmp_path)
    assert all(run.computed for run in first)
    monkeypatch.setattr("shoal.comparison._compare.anonymize", None)  # nobody may call it
    second = compare(frame, plan, keys=KEYS, folder=tmp_path)
    assert not any(run.computed for run in second)
    assert [run.scores for run in second] == [run.scores for run in first]


def test_a_comparison_that_grew_computes_what_is_new(frame, plan, tmp_path):
    compare(frame, plan, {"k": [3]}, keys=KEYS, folder=tmp_path)
    assert [run.computed for run in compare(frame, plan, {"k": [3, 5]}, keys=KEYS, folder=tmp_path)] == [False, True]


def test_a_comparison_that_was_stopped_goes_on(frame, plan, tmp_path):
    def stop(done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(frame, plan, {"k": [3, 4, 5, 6]}, keys=KEYS, folder=tmp_path, jobs=1, progress=stop)
    kept = len(list(tmp_path.glob("*.json")))
    assert 1 <= kept < 4
    again = compare(frame, plan, {"k": [3, 4, 5, 6]}, keys=KEYS, folder=tmp_path)
    assert sum(not run.computed for run in again) == kept


@pytest.mark.parametrize(
    "change",
    [
        lambda frame, plan: (frame.with_columns(pl.col("pay") + 1), plan, KEYS),
        lambda frame, plan: (frame, plan.replace(seed=5), KEYS),
        lambda frame, plan: (frame, plan, [*KEYS, "mae"]),
    ],
    ids=["other data", "another plan", "more measures"],
)
def test_what_was_kept_is_not_taken_for_something_else(frame, plan, tmp_path, change):
    compare(frame, plan, {"k": [3]}, keys=KEYS, folder=tmp_path)
    other_frame, other_plan, keys = change(frame, plan)
    assert compare(other_frame, other_plan, {"k": [3]}, keys=keys, folder=tmp_path)[0].computed


@pytest.mark.parametrize(
    "content", ['{"choices": ', '"text"', "null", "[]", "1", "{}", '{"measures": 5}', "[" * 100_000]
)
def test_a_damaged_result_is_computed_again(frame, plan, tmp_path, content):
    compare(frame, plan, {"k": [3]}, keys=KEYS, folder=tmp_path)
    next(tmp_path.glob("*.json")).write_text(content)
    assert compare(frame, plan, {"k": [3]}, keys=KEYS, folder=tmp_path)[0].computed


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("choices", []),
        ("plan_sha256", None),
        ("problem", 5),
        ("groups", "many"),
        ("guarantees", {"k_anonymity": "3"}),
        ("holds", None),
        ("scores", {"dld": None}),
        ("scores", {"other": 1.0}),
        ("scores", "dld"),
        ("seconds", []),
        ("measures", 7),
        ("measures", [[]]),
        ("new", 1),
    ],
)
def test_a_result_with_a_value_of_another_type_is_computed_again(frame, plan, tmp_path, key, value):
    compare(frame, plan, {"k": [3]}, keys=KEYS, folder=tmp_path)
    path = next(tmp_path.glob("*.json"))
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    again = compare(frame, plan, {"k": [3]}, keys=KEYS, folder=tmp_path)
    assert again[0].computed
    assert not compare(frame, plan, {"k": [3]}, keys=KEYS, folder=tmp_path)[0].computed


def test_plans_that_cannot_be_carried_out_say_why(frame, plan, tmp_path):
    runs = compare(frame, plan, {"k": [3, 500]}, keys=KEYS, folder=tmp_path)
    assert runs[0].problem == ""
    assert "k is 500 but the table has only 120 records" in runs[1].problem
    assert pareto_front(runs, ["dld", "il_percent"]) == (True, False)


def test_a_permutation_is_measured_on_its_groups(frame, plan):
    (run,) = compare(frame, plan, {"release": ["permute"]}, keys=["emd_max", "dld"])
    assert run.scores["dld"] == 100
    assert run.scores["emd_max"] < 0.6  # single records would be at nearly 1


def test_methods_that_guarantee_nothing_are_compared_and_marked(frame, plan):
    runs = compare(frame, plan, {"method": ["mdav", "mic1d"]}, keys=KEYS)
    assert [run.holds for run in runs] == [True, False]
    assert not any(run.problem for run in runs)


points = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12)


@given(points)
def test_the_front_is_what_nobody_beats(values):
    runs = [Run({}, scores={"dld": a, "l_distinct": b}) for a, b in values]  # less of one, more of the other
    front = pareto_front(runs, ["dld", "l_distinct"])
    for i, (a, b) in enumerate(values):
        beaten = any((c <= a and d >= b) and (c < a or d > b) for c, d in values)
        assert front[i] == (not beaten)


class TestPick:
    runs = tuple(
        Run({"k": k}, scores={"dld": dld, "emd_max": emd, "il_percent": loss, "l_distinct": k})
        for k, dld, emd, loss in [(3, 9.0, 0.3, 10.0), (5, 1.0, 0.2, 20.0), (7, 0.5, 0.1, 30.0), (9, 0.5, 0.1, 30.0)]
    )

    def test_the_lowest_loss_under_the_bounds_wins(self):
        assert pick(self.runs, parse_bounds("dld <= 1, emd_max <= .2")).choices == {"k": 5}
        assert pick(self.runs, parse_bounds("dld < 1")).choices == {"k": 9}  # the larger k of equals
        assert pick(self.runs, ()).choices == {"k": 3}

    def test_another_measure_may_decide(self):
        assert pick(self.runs, parse_bounds("dld <= 5"), minimise="emd_max").choices == {"k": 9}
        assert pick(self.runs, parse_bounds("dld <= 5"), minimise="l_distinct").choices == {"k": 9}  # more is better

    def test_a_tie_goes_to_the_larger_k_then_to_the_smaller_t_then_to_the_first(self):
        loss = {"il_percent": 20.0}
        tried = [(5, "none"), (5, 0.3), (5, 0.2), (5, 0.2), (4, 0.1)]
        runs = [Run({"k": k, "closeness.t": t, "order": n}, scores=loss) for n, (k, t) in enumerate(tried)]
        assert pick(runs, ()) is runs[2]
        nearly = Run({"k": 7, "closeness.t": "none"}, scores={"il_percent": 20.0 * (1 + 1e-13)})
        worse = Run({"k": 9, "closeness.t": 0.1}, scores={"il_percent": 20.001})
        assert pick([*runs, nearly, worse], ()) is nearly

    def test_a_measure_of_all_columns_decides_where_nothing_is_said(self):
        numbers_only = Run({"k": 3}, scores={"il_percent": 60.0, "score": 10.0})
        all_columns = Run({"k": 3}, scores={"il_percent": 20.0, "score": 12.0})
        assert pick([numbers_only, all_columns], ()) is all_columns
        assert pick([numbers_only, all_columns], (), minimise="score") is numbers_only

    def test_bounds_nobody_keeps_are_told_with_the_best_values(self):
        with pytest.raises(GuaranteeError, match=r"keeps dld <= 0.1.*dld = 0.5"):
            pick(self.runs, parse_bounds("dld <= 0.1"))

    def test_plans_with_problems_are_never_picked(self):
        broken = Run({"k": 1}, problem="no", scores={})
        assert pick((broken, *self.runs), ()).choices == {"k": 3}
        with pytest.raises(GuaranteeError):
            pick((broken,), ())

    def test_plans_without_guarantee_are_picked_only_if_allowed(self):
        tempting = Run({"k": 2}, holds=False, scores={"dld": 0.0, "emd_max": 0.0, "il_percent": 0.0, "l_distinct": 9})
        assert pick((tempting, *self.runs), ()).choices == {"k": 3}
        assert pick((tempting, *self.runs), (), guaranteed=False) is tempting

    @pytest.mark.parametrize("text", ["dld", "dld <= ", "<= 1", "dld == 1", "dld <= 1;", "nosuch <= 1", ""])
    def test_wrong_bounds_are_refused(self, text):
        with pytest.raises(PlanError):
            parse_bounds(text)

    def test_measures_that_were_not_computed_are_refused(self):
        with pytest.raises(PlanError, match="id was not measured"):
            pick(self.runs, parse_bounds("id <= 1"))

    @pytest.mark.parametrize(("sign", "holds"), [("<=", True), ("<", False), (">=", True), (">", False), ("≤", True)])
    def test_signs_mean_what_they_say(self, sign, holds):
        assert parse_bounds(f"dld {sign} 1")[0].holds(1.0) == holds


def test_tables_hold_every_run(plan):
    runs = (
        Run({"k": 3}, groups=4, guarantees={"k_anonymity": 3}, scores={"dld": 1.5, "il": float("inf")}),
        Run({"k": 900}, problem="too few, alas"),
    )
    comparison = Comparison(runs, plan, ("dld", "il"))
    lines = csv_text(comparison).splitlines()
    assert lines[0] == "number,k,on_front,guaranteed,groups,k_anonymity,dld,il,seconds,problem"
    assert lines[1:] == ["1,3,yes,yes,4,3,1.5,inf,0.0,", '2,900,no,,,,,,,"too few, alas"']
    told = json.loads(json_text(comparison, data={}, picked=runs[0]))
    assert told["runs"][0]["scores"] == {"dld": 1.5, "il": None}
    assert told["picked"] == 1


def test_each_result_is_told_when_it_is_there(frame, plan, tmp_path):
    told = []
    runs = compare(frame, plan, keys=["il_percent"], folder=tmp_path, settled=told.append)
    assert len(told) == len(runs) == 4
    assert {run.name for run in told} == {run.name for run in runs}
    again = []
    compare(frame, plan, keys=["il_percent"], folder=tmp_path, settled=again.append)
    assert not any(run.computed for run in again)
    assert len(again) == 4
