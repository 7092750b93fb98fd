"""Which plans a grid makes."""

import pytest

import shoal
from shoal.comparison import candidates
from shoal.comparison.grid import chosen_plan, plan_fingerprint
from shoal.errors import PlanError

ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "pay": {"role": "confidential", "kind": "numeric"},
}


@pytest.fixture
def plan():
    return shoal.Plan(k=2, attributes=ATTRIBUTES)


def test_every_combination_appears_once(plan):
    made = candidates(plan, {"k": [3, 5], "method": ["mdav", "vmdav"]})
    assert [(c.plan.k, c.plan.method) for c in made] == [(3, "mdav"), (3, "vmdav"), (5, "mdav"), (5, "vmdav")]


def test_none_leaves_a_section_out(plan):
    base = plan.replace(closeness={"t": 0.5, "method": "merge"})
    made = candidates(base, {"closeness.t": ["none", 0.2]})
    assert made[0].plan.closeness is None
    assert (made[1].plan.closeness.t, made[1].plan.closeness.method) == (0.2, "merge")


def test_equal_plans_are_tried_once(plan):
    made = candidates(plan, {"closeness.t": ["none", 0.2], "closeness.method": ["merge", "t_first"]})
    assert len(made) == 3  # without closeness, its method makes no difference


def test_choices_that_do_not_go_together_say_why(plan):
    made = candidates(plan, {"method": ["mdav", "vmdav"], "gain": [0.3]})
    assert made[0].plan is None
    assert "gain is only used by method vmdav" in made[0].problem
    assert made[1].plan.gain == 0.3


def test_the_grid_of_the_plan_does_not_change_its_fingerprint(plan):
    assert plan_fingerprint(plan) == plan_fingerprint(plan.replace(compare={"k": [3, 5]}))
    assert plan_fingerprint(plan) != plan_fingerprint(plan.replace(k=3))
    assert plan_fingerprint(plan) != plan_fingerprint(plan.replace(seed=1))


def test_a_chosen_plan_has_no_grid(plan):
    assert chosen_plan(plan.replace(compare={"k": [3, 5]}), {"k": 5}) == plan.replace(k=5)


def test_a_grid_in_toml_may_be_nested():
    text = """
    k = 2
    [compare]
    k = [3]
    closeness.t = ["none", 0.1]
    [attributes]
    age = { role = "quasi_identifier", kind = "numeric" }
    """
    plan = shoal.Plan.parse(text)
    assert plan.compare == {"k": (3,), "closeness.t": ("none", 0.1)}
    assert shoal.Plan.parse(plan.to_toml()) == plan


@pytest.mark.parametrize(
    ("grid", "says"),
    [({}, "nothing to compare"), ({"k": []}, "must list"), ({"k": range(2, 20_000)}, "19,998 plans")],
)
def test_empty_and_endless_grids_are_refused(plan, grid, says):
    with pytest.raises(PlanError, match=says):
        candidates(plan, grid)
