"""plan.with_: the names of the command line, sections key by key, and nothing that a plan would not take."""

import pytest

from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.plan.overrides import option_name, path_of, scalar_fields

PLAN = Plan(
    k=5,
    attributes={
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "a.b": {"role": "quasi_identifier", "kind": "numeric"},
        "pay": {"role": "confidential", "kind": "numeric"},
    },
)


def test_every_field_has_a_name_of_its_own():
    names = [option_name(path) for path in scalar_fields(Plan.known_keys())]
    assert len(set(names)) == len(names)
    assert {"k", "t", "closeness_method", "max_delay"} <= set(names)
    assert all(path_of(option_name(path), Plan.known_keys()) == path for path in scalar_fields(Plan.known_keys()))


def test_a_copy_is_changed_and_the_plan_is_not():
    changed = PLAN.with_(k=10, method="vmdav", gain=0.5)
    assert (changed.k, changed.method, changed.gain) == (10, "vmdav", 0.5)
    assert PLAN.k == 5
    assert PLAN.with_() == PLAN


def test_sections_are_changed_key_by_key():
    close = PLAN.with_(t=0.2, closeness_method="merge")
    assert close == PLAN.replace(closeness={"t": 0.2, "method": "merge"})
    assert close.with_(closeness={"t": 0.3}) == PLAN.replace(closeness={"t": 0.3, "method": "merge"})
    assert close.with_({"closeness.t": 0.3}).closeness.t == 0.3
    diverse = PLAN.with_(diversity={"recursive": {"c": 2.5, "l": 2}})
    assert diverse.with_(diversity_recursive_c=3.0).diversity.recursive.l == 2


def test_columns_are_changed_key_by_key():
    changed = PLAN.with_(attributes={"age": {"weight": 2}, "a.b": {"scale": "minmax"}})
    assert changed.attributes["age"].weight == 2
    assert changed.attributes["age"].kind == "numeric"
    assert changed.attributes["a.b"].scale == "minmax"
    assert PLAN.with_({"attributes.a.b.weight": 3}).attributes["a.b"].weight == 3
    assert PLAN.with_({"attributes.new": {"role": "other"}}).attributes["new"].role == "other"
    assert changed.with_({"attributes.age.weight": None, "attributes.a.b.scale": None}) == PLAN
    assert "a.b" not in PLAN.with_({"attributes.a.b": None}).attributes


def test_none_leaves_a_field_out_and_a_section_that_asks_for_nothing():
    close = PLAN.with_(t=0.2, closeness_method="merge")
    assert close.with_(t=None) == PLAN
    assert close.with_(closeness=None) == PLAN
    assert close.with_(closeness_method=None) == PLAN.replace(closeness={"t": 0.2})
    both = PLAN.with_(diversity_distinct=2, diversity_entropy=1.5)
    assert both.with_(diversity_entropy=None) == PLAN.with_(diversity_distinct=2)
    assert PLAN.with_(round=True).with_(round=None) == PLAN
    assert PLAN.with_(dependence_weight=0.5).with_(dependence_weight=None) == PLAN
    assert PLAN.with_(t=None) == PLAN


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kk": 3}, "a plan has no field 'kk'; did you mean 'k'"),
        ({"k": 1}, "k must be at least 2, not 1"),
        ({"k": None}, "k is required"),
        ({"closeness": {"tt": 0.1}}, r"closeness.tt is an unknown key; did you mean 't'"),
        ({"k.x": 3}, "k.x cannot be set: k is a value"),
        ({"gain": 0.5}, "gain"),
    ],
)
def test_what_a_plan_would_not_take_is_refused(changes, message):
    with pytest.raises(PlanError, match=message):
        PLAN.with_(changes)


def test_columns_whose_names_look_like_paths_are_told_apart():
    numeric = {"role": "quasi_identifier", "kind": "numeric"}
    columns = {"age": {**numeric, "weight": 2}, "age.": numeric, "age.weight": {"role": "other"}}
    plan = Plan(k=2, attributes=columns)
    assert set(plan.with_(attributes={"age.": None}).attributes) == {"age", "age.weight"}
    without = plan.with_(attributes={"age": {"weight": None}})
    assert set(without.attributes) == set(columns)
    assert without.attributes["age"].weight is None
    assert (
        plan.with_(attributes={"age.weight": {"role": "confidential", "kind": "numeric"}}).attributes["age"].weight == 2
    )


def test_changes_that_are_no_fields_are_refused():
    plan = Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    for wrong in (5, plan):
        with pytest.raises(PlanError, match="changes are fields by their names"):
            plan.with_(wrong)
