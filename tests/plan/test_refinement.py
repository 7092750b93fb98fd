"""refine and refine_seconds in a plan."""

import pytest

import shoal
from shoal.errors import PlanError
from shoal.refinement import EFFORTS

NUMBERS = {"role": "quasi_identifier", "kind": "numeric"}


def plan(**options):
    return shoal.Plan(**{"k": 3, "attributes": {"age": NUMBERS, "pay": NUMBERS}, **options})


def test_nothing_is_refined_unless_it_is_asked_for():
    assert plan().refine == "none"
    assert plan(refine="none").to_dict() == plan().to_dict()


@pytest.mark.parametrize("effort", EFFORTS)
def test_every_effort_is_a_choice_and_is_written_back(effort):
    choices = plan(refine=effort, refine_seconds=2.5)
    assert shoal.Plan.parse(choices.to_toml()) == choices
    assert EFFORTS[effort].summary in shoal.Plan.known_keys()["refine"].description


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"refine": "most"}, "refine .*most"),
        ({"refine": "good", "refine_seconds": 0}, "refine_seconds must be above 0"),
        ({"refine": "good", "refine_seconds": -1.0}, "refine_seconds must be above 0"),
        ({"refine_seconds": 3}, 'refine_seconds changes nothing here: refine is "none"'),
        ({"refine": "good", "method": "mic1d", "guarantee": False}, "mic1d masks values, and forms no groups"),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(PlanError, match=message):
        plan(**options)
