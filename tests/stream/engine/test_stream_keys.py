"""What a stream does not use is refused: every key of a plan, also one that is not there yet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from pydantic import Field

from shoal import Plan, PlanError, StreamAnonymizer
from shoal.options import Options
from shoal.partitioners import METHODS
from shoal.plan.stream import Stream, StreamKeywords
from shoal.protect import GUARANTEES
from shoal.stream.engine import StreamSettings
from shoal.stream.engine.stream_keys import FOR_TABLES, unused_keys

ROOT = Path(__file__).parents[3]
AGE = {"role": "quasi_identifier", "kind": "numeric"}
COLUMNS = {"age": AGE, "site": {"role": "other"}, "cost": {"role": "confidential", "kind": "numeric"}}
COLUMNS |= {"illness": {"role": "confidential", "kind": "nominal"}, "weight": {"role": "other"}}
TREE = {"illness": {"lungs": ["flu"], "rest": ["ulcer"]}}


def make_plan(**choices: Any) -> Plan:
    return Plan(**{"k": 3, "attributes": COLUMNS, **choices})


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"method": "vmdav"}, "method is a choice for tables"),
        ({"method": "vmdav", "gain": 0.1}, "method is a choice for tables"),
        ({"scale": "minmax"}, "scale is not used by a stream, which compares values by their bounds"),
        ({"scale": "none"}, "scale is not used by a stream"),
        ({"preserve_variance": True}, "preserve_variance is a choice for tables"),
        ({"by": "site"}, "by is a choice for tables"),
        ({"weights": "weight"}, "weights is a choice for tables"),
        ({"dependence": {"weight": 0.5}}, "dependence is a choice for tables"),
        ({"steer": [{"kind": "position", "weight": 1.0}]}, "steer is a choice for tables"),
        ({"release": "permute"}, 'release must be "aggregate"'),
        ({"attributes": {**COLUMNS, "age": {**AGE, "scale": "none"}}}, "attributes.age.scale is not used by a stream"),
        ({"closeness": {"t": 0.2, "method": "merge"}}, "closeness.method is a choice for tables"),
        ({"closeness": {"t": 0.2, "method": "steered", "weight": 1.0}}, "closeness.method is a choice for tables"),
        ({"closeness": {"t": 0.2, "strata": "all"}}, "closeness.strata is a choice for tables"),
        ({"closeness": {"t": 0.2, "missing": "category"}}, "closeness.missing is a choice for tables"),
        ({"closeness": {"t": 0.2, "hierarchy": TREE}}, "closeness.hierarchy is a choice for tables"),
        (
            {"closeness": {"t": 0.2, "method": "merge", "n": 40}},
            "does not keep n_t_closeness, only k_anonymity and t_closeness: leave closeness.n out",
        ),
        ({"diversity": {"distinct": 2}}, "does not keep distinct_l_diversity, .* leave diversity.distinct out"),
        ({"diversity": {"entropy": 2.0}}, "does not keep entropy_l_diversity"),
    ],
)
def test_a_choice_that_changes_nothing_is_refused_by_name(choices, message):
    with pytest.raises(PlanError, match=message):
        StreamAnonymizer(make_plan(**choices))


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"method": "mdav", "seed": 0, "scale": "zscore", "guarantee": True, "release": "aggregate"},
        {"compare": {"k": [3, 5]}, "seed": 7},
        {"refine": "good", "refine_seconds": 2.0},
        {"closeness": {"t": {"cost": 0.2}, "attributes": ["cost"]}},
        {"stream": {"max_delay": 9}, "round": True, "missing": "impute"},
    ],
)
def test_defaults_and_what_a_stream_uses_are_taken(choices):
    assert StreamAnonymizer(make_plan(**choices)).arrived == 0


def test_the_plan_of_the_example_serves_tables_and_streams():
    assert StreamAnonymizer(Plan.load(ROOT / "examples" / "discharges.toml")).arrived == 0


def test_the_keys_say_themselves_whether_a_stream_uses_them():
    assert set(FOR_TABLES) == {"about", "compare", "refine", "refine_seconds"}
    assert set(FOR_TABLES) <= set(Plan.known_keys())
    assert {"closeness.method", "closeness.strata", "scale", "by"} <= set(unused_keys())
    assert not {"k", "closeness", "closeness.t", "stream"} & set(unused_keys())


def test_a_key_that_a_method_brings_is_refused_without_being_listed():
    class Shuffles(Options):
        shuffles: int = Field(1, ge=1, description="how often records change places")

    @dataclass(frozen=True)
    class Shuffled:
        name: str = "mdav"
        options: type[Options] = Shuffles
        masks_values: bool = False

        def __getattr__(self, name: str) -> Any:
            return getattr(known, name)

    known, before = METHODS["mdav"], make_plan()
    with METHODS.temporarily(Shuffled()):
        with pytest.raises(PlanError, match="shuffles is a choice for tables"):
            StreamAnonymizer(make_plan(shuffles=2))
        assert StreamAnonymizer(before).stats.arrived == 0


def test_a_guarantee_says_itself_whether_a_stream_keeps_it():
    assert [name for name, guarantee in GUARANTEES.items() if guarantee.in_streams] == ["k_anonymity", "t_closeness"]


def test_the_options_of_a_stream_are_spelt_as_its_section():
    assert set(StreamKeywords.__annotations__) == set(Stream.model_fields)
    assert get_type_hints(StreamKeywords)["on_unclose"] == Stream.model_fields["on_unclose"].annotation
    shared = set(Stream.model_fields) & set(StreamSettings.__dataclass_fields__)
    assert shared == {"max_delay", "position_weight", "sweeps", "on_unclose"}
    for name in shared:
        assert StreamSettings.__dataclass_fields__[name].default == Stream.model_fields[name].default


def test_an_option_that_is_none_is_the_plans():
    plan = make_plan(stream={"max_delay": 9, "sweeps": 1})
    assert StreamAnonymizer(plan, sweeps=None).plan == plan
    assert StreamAnonymizer(plan, sweeps=2).plan.stream.model_dump(exclude_defaults=True) == {"max_delay": 9}


def test_an_unknown_option_is_refused():
    with pytest.raises(PlanError, match=r"stream\.max_dely is an unknown key.*max_delay"):
        StreamAnonymizer(make_plan(), max_dely=4)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"dominance": 0.5}, "a stream does not keep dominance, only .*: leave dominance out of the plan"),
        ({"weights": "weight"}, "weights is a choice for tables"),
    ],
)
def test_the_key_that_asks_for_what_a_stream_does_not_keep_is_named(keys, words):
    with pytest.raises(PlanError, match=words):
        StreamAnonymizer(Plan(k=3, stream={"max_delay": 9}, attributes=COLUMNS, **keys))
