import copy
import json
import tomllib
from dataclasses import replace

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from shoal.errors import PlanError
from shoal.options import Options
from shoal.partitioners import METHODS
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.json_schema import SCHEMA_FILE, json_schema
from shoal.plan.toml import dump_toml

AGE = {"role": "quasi_identifier", "kind": "numeric"}
GRADE = {"role": "quasi_identifier", "kind": "ordinal", "order": ["low", "high"]}
COUNTY = {"role": "quasi_identifier", "kind": "nominal"}
PAY = {"role": "confidential", "kind": "numeric"}


def plan(**changes):
    return Plan(**{"k": 5, "attributes": {"age": AGE, "pay": PAY}, **changes})


def test_a_plan_survives_toml_and_back():
    original = plan(
        seed=3,
        missing="impute",
        scale="minmax",
        round=True,
        attributes={
            "age": {**AGE, "weight": 2.5, "scale": "zscore", "aggregate": "median"},
            "grade": GRADE,
            'name of "it"': {"role": "identifier"},
            "county": {**COUNTY, "missing": "category"},
            "pay": PAY,
            "ward": {"role": "other"},
        },
    )
    assert Plan.parse(original.to_toml()) == original


@given(
    st.dictionaries(
        st.text(min_size=1),
        st.one_of(
            st.integers(-(2**60), 2**60),
            st.floats(allow_nan=False, allow_infinity=False),
            st.booleans(),
            st.text(),
            st.lists(st.text() | st.integers(-9, 9), max_size=3),
            st.dictionaries(st.text(min_size=1), st.text() | st.booleans(), max_size=3),
        ),
    )
)
def test_toml_is_written_so_that_it_reads_back(values):
    assert tomllib.loads(dump_toml(values)) == values


def test_saved_plans_load(tmp_path):
    path = tmp_path / "plan.toml"
    plan(k=7).save(path)
    assert Plan.load(path).k == 7


def test_names_come_in_the_order_of_the_plan():
    both = plan(attributes={"county": COUNTY, "pay": PAY, "age": AGE})
    assert both.names(Role.QUASI_IDENTIFIER) == ("county", "age")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"k": 1}, ["k", "at least 2", "1"]),
        ({"k": 2.5}, ["k", "whole number"]),
        ({"k": None}, ["k"]),
        ({"kk": 3}, ["kk", "unknown key", "'k'"]),
        ({"methd": "mdav"}, ["methd", "unknown key", "did you mean 'method'"]),
        ({"method": "mdva"}, ["method", "mdva", "did you mean 'mdav'"]),
        ({"scale": "z"}, ["scale", "zscore", "minmax", "'z'"]),
        ({"missing": "ignore"}, ["missing", "error", "category", "impute"]),
        ({"seed": -1}, ["seed", "-1"]),
        ({"version": 2}, ["version", "1", "2"]),
        ({"attributes": {"pay": PAY}}, ["quasi_identifier"]),
        ({"attributes": {"age": {"role": "quasi"}}}, ["attributes.age.role", "quasi_identifier"]),
        ({"attributes": {"age": {"role": "?"}}}, ["attributes.age.role", "still undecided"]),
        ({"attributes": {"age": {"role": "quasi_identifier"}}}, ["attributes.age", "kind is required"]),
        ({"attributes": {"age": {**AGE, "wieght": 2}}}, ["attributes.age.wieght", "did you mean 'weight'"]),
        ({"attributes": {"age": {**AGE, "weight": 0}}}, ["attributes.age.weight", "above 0"]),
        ({"attributes": {"age": {**AGE, "order": ["a", "b"]}}}, ["order", "ordinal", "numeric"]),
        ({"attributes": {"age": {**AGE, "missing": "category"}}}, ["missing", "nominal and ordinal"]),
        ({"attributes": {"age": {**AGE, "aggregate": "mode"}}}, ["aggregate", "mean, median", "mode"]),
        ({"attributes": {"c": {**COUNTY, "scale": "minmax"}}}, ["scale", "numeric and date", "nominal"]),
        ({"attributes": {"c": {**COUNTY, "round": True}}}, ["round", "numeric", "nominal"]),
        ({"attributes": {"g": {**GRADE, "order": ["a", "a"]}}}, ["order", "at least two different"]),
        ({"attributes": {"age": AGE, "pay": {**PAY, "weight": 2}}}, ["weight", "quasi_identifier", "confidential"]),
        ({"gain": 0.5}, ["gain", "vmdav", "mdav"]),
        ({"method": "vmdav", "gain": -1}, ["gain", "-1"]),
        ({"by": "ward"}, ["by", "'ward'", "do not declare"]),
        ({"by": "pay"}, ["by", "'pay'", "confidential"]),
        ({"weights": "agee"}, ["weights", "'agee'", "did you mean 'age'"]),
        ({"weights": "age"}, ["weights", "'age'", "quasi_identifier"]),
        ({"release": "permute", "round": True}, ["round", "permute"]),
        (
            {"release": "permute", "attributes": {"age": {**AGE, "round": True}, "pay": PAY}},
            ["round of 'age'", "permute"],
        ),
        ({"weights": "pay", "attributes": {"c": COUNTY, "pay": PAY}}, ["weights changes nothing", "mean"]),
        (
            {"weights": "pay", "attributes": {"age": {**AGE, "aggregate": "median"}, "pay": PAY}},
            ["weights changes nothing", "mean"],
        ),
        ({"preserve_variance": True, "attributes": {"c": COUNTY}}, ["preserve_variance changes nothing", "numeric"]),
        ({"round": True, "attributes": {"c": COUNTY}}, ["round changes nothing", "numeric"]),
        ({"release": "permute", "attributes": {"age": AGE}}, ["permute", "confidential"]),
    ],
)
def test_a_wrong_plan_is_refused_with_the_field_and_the_rule(changes, words):
    with pytest.raises(PlanError) as caught:
        plan(**changes)
    for word in words:
        assert word in str(caught.value), f"{word!r} is not in: {caught.value}"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("k = ", ["not valid TOML"]),
        ("k = 5\nk = 6", ["not valid TOML", "two values, at 'k' in line 2"]),
        ("k = 5\n[k]\n", ["two values, at 'k' in line 2"]),
        ('[attributes]\n"a=b" = {}\n"a=b" = { order = [\n1,\n2] }', ["two values", '"a=b"', "in line 3"]),
        ("k = 5\n\nseed = 1\nseed = '''\n\n'''\n", ["two values, at 'seed' in line 4"]),
        ("k = 5", ["[attributes]"]),
        (
            "k = 5\nself = 3\n[attributes]\nage = { role = 'quasi_identifier', kind = 'numeric' }",
            ["self is an unknown key"],
        ),
        ("k = 5\n[attributes]\nage = { role = 'identifier', role = 'other' }", ["not valid TOML"]),
    ],
)
def test_text_that_is_no_plan_is_refused(text, words):
    with pytest.raises(PlanError) as caught:
        Plan.parse(text)
    assert all(word in str(caught.value) for word in words)


class Steps(Options):
    gain: int = Field(3, description="how many steps")


def test_methods_share_an_option_only_with_its_rules():
    with METHODS.temporarily(replace(METHODS["mdav"], name="steps", options=METHODS["vmdav"].options)):
        assert plan(method="steps", gain=0.5).method_options() == {"gain": 0.5}
    steps = replace(METHODS["mdav"], name="steps", options=Steps)
    with METHODS.temporarily(steps), pytest.raises(PlanError, match="the option 'gain' of 'steps' has other rules"):
        plan()


def test_a_method_that_is_gone_is_named():
    with METHODS.temporarily(replace(METHODS["mdav"], name="steps")):
        made = plan(method="steps")
    with pytest.raises(PlanError, match=r"method must be one of mdav, .*, not 'steps'"):
        made.demand()


def test_keys_are_written_in_the_order_in_which_guarantees_are_listed():
    asked = {"method": "merge", "n": 9, "t": 0.2}
    diverse = {"recursive": {"c": 2.0, "l": 2}, "distinct": 2}
    written = plan(closeness=asked, diversity=diverse).to_dict()
    assert list(written["closeness"]) == ["t", "n", "method"]
    assert list(written["diversity"]) == ["distinct", "recursive"]


def test_a_missing_plan_file_says_how_to_get_one(tmp_path):
    with pytest.raises(PlanError, match="shoal init"):
        Plan.load(tmp_path / "none.toml")


def test_the_json_schema_on_disk_is_the_one_of_the_code():
    assert SCHEMA_FILE.read_text(encoding="utf-8") == json_schema(), "run: python -m shoal.plan.json_schema"


def test_the_json_schema_accepts_a_plan_and_refuses_a_wrong_one():
    schema = json.loads(json_schema())
    good = {"k": 5, "method": "mdav", "attributes": {"age": AGE}}
    jsonschema.validate(good, schema)
    for wrong in ({**good, "k": 1}, {**good, "method": "magic"}, {**good, "extra": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_a_period_whose_digits_no_double_holds_is_refused():
    hour = {"role": "quasi_identifier", "kind": "cyclic", "period": 1e-300}
    with pytest.raises(PlanError, match=r"attributes.hour: period must be at least 1e-100, not 1e-300"):
        plan(attributes={"hour": hour})


@pytest.mark.parametrize("copied", [lambda plan: plan, copy.copy, copy.deepcopy], ids=["itself", "copy", "deepcopy"])
def test_a_copy_with_other_values_answers_for_itself(copied):
    given = plan(attributes={"age": AGE, "pay": PAY, "who": {"role": "identifier"}})
    assert (given.demand().k, given.demand().subject, given.names(Role.CONFIDENTIAL)) == (5, None, ("pay",))
    changed = copied(given).model_copy(update={"k": 9, "subject": "who"})
    assert (changed.demand().k, changed.demand().subject) == (9, "who")
    assert (given.demand().k, given.demand().subject) == (5, None)


def test_what_a_caller_does_to_the_recodings_changes_no_plan():
    given = plan(attributes={"age": {**AGE, "clip": {"high": 60}}, "pay": PAY})
    given.recodings().clear()
    assert list(given.recodings()) == ["age"]
    assert given.recoded_names() == ("age",)
