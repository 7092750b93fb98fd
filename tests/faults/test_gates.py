"""Every clause of every guarantee is tested by a release that misses it: at the check, and at the last gate."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from faults.cases import AGES, CASES, GROUPS, ILL, PAY, REACHED, TWO_OF_THREE, plan
from faults.doctored import NAME, NUMBER, SECRET_NUMBER, Doctored
from shoal.errors import GuaranteeError
from shoal.frames import Table
from shoal.measures import assess
from shoal.protect import GUARANTEES, Judgement
from shoal.protect.identification_risk import expected_risk
from shoal.protect.probabilistic_k_anonymity import unchanged_groups
from shoal.protect.rules import met
from shoal.run import Guarantees
from shoal.run.gate import refuse_broken

CASE = pytest.mark.parametrize("case", CASES, ids=str)


def broken(case: Doctored, *, bad: bool) -> set[str]:
    """The guarantees that do not hold, but for the one that the plan gives up."""
    return {name for name, verdict in case.verdicts(bad=bad).items() if not verdict.holds} - {case.asked().given_up()}


def test_every_guarantee_has_a_case() -> None:
    assert {case.guarantee for case in CASES} == set(GUARANTEES)


@CASE
def test_a_release_just_at_the_bound_keeps_it(case: Doctored) -> None:
    assert case.guarantee in case.verdicts(bad=False)
    assert broken(case, bad=False) == set()


@CASE
def test_one_change_breaks_this_guarantee_and_no_other(case: Doctored) -> None:
    assert broken(case, bad=True) == {case.guarantee}


@CASE
def test_a_verdict_says_what_was_asked_and_what_is_reached(case: Doctored) -> None:
    good, bad = (case.verdicts(bad=bad)[case.guarantee] for bad in (False, True))
    assert (good.name, bad.name) == (case.guarantee, case.guarantee)
    assert (good.asked, good.achieved, bad.achieved) == pytest.approx(REACHED[str(case)], rel=1e-5)


@CASE
def test_every_verdict_says_by_which_definition_and_how_far(case: Doctored) -> None:
    for verdict in (*case.verdicts(bad=False).values(), *case.verdicts(bad=True).values()):
        assert verdict.definition
        assert isinstance(verdict.note, str)
        assert verdict.achieved is not None


@CASE
def test_the_last_gate_refuses_the_change_alone(case: Doctored) -> None:
    refuse_broken(Guarantees(tuple(case.verdicts(bad=False).values())), case.asked())
    verdicts = case.verdicts(bad=True)
    with pytest.raises(GuaranteeError, match=f"does not satisfy {case.guarantee} ") as refused:
        refuse_broken(Guarantees(tuple(verdicts.values())), case.asked())
    assert refused.value.reached == verdicts[case.guarantee].achieved


@pytest.mark.parametrize("case", [case for case in CASES if case.groups is None and case.points is None], ids=str)
def test_whoever_judges_a_release_by_another_tool_sees_it(case: Doctored) -> None:
    given_up = {case.asked().given_up()}
    for bad in (False, True):
        original, released = case.tables(bad=bad)
        verdicts = assess(original, released, case.asked(), rows=np.arange(len(released))).guarantees
        missed = {name for name, verdict in verdicts.items() if not verdict.holds} - given_up
        assert missed == ({case.guarantee} if bad else set())


def only(clause: str) -> Doctored:
    (case,) = (case for case in CASES if case.clause == clause)
    return case


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        ("fewer than k pseudonyms with rows in the same classes", ""),
        ("a pseudonym of several subjects", "A pseudonym stands for several subjects. "),
        ("a subject of several pseudonyms", "A subject has several pseudonyms. "),
        ("a subject by its own name", "1 subject is released by the name it had. "),
    ],
)
def test_a_verdict_on_pseudonyms_says_what_is_wrong_with_them(clause: str, words: str) -> None:
    good, bad = (only(clause).verdicts(bad=bad)["history_k_anonymity"] for bad in (False, True))
    assert good.note.startswith("How many rows a pseudonym has, ")
    assert bad.note == words + good.note


def test_all_that_is_wrong_with_pseudonyms_is_said() -> None:
    case = only("a subject by its own name")
    mixed = replace(case, original={"age": AGES, "who": [*"ppqrst"]}, change={"who": ["1", "s", "s", "t", "5", "6"]})
    note = mixed.verdicts(bad=True)["history_k_anonymity"].note
    assert note.startswith(
        "A pseudonym stands for several subjects. A subject has several pseudonyms. 2 subjects are released by the "
        "name they had. How many rows"
    )


@pytest.mark.parametrize(("keys", "said"), [({}, True), ({"diversity": {"distinct": 1}}, False)])
def test_that_equal_values_tell_is_said_of_a_permutation_that_protects_none(keys: dict[str, Any], said: bool) -> None:
    case = only("a group of fewer than k records")
    note = replace(case, plan={**case.plan, **keys}).verdicts(bad=False)["probabilistic_k_anonymity"].note
    assert note.endswith("it is known of all of them." if said else "that a person is in the table is not hidden.")


@pytest.mark.parametrize(
    ("pay", "ill", "unchanged"),
    [
        (PAY, ILL, 2),
        ([2, 3, 1, 4, 5, 6], ILL, 1),
        (PAY, ["x", "y", "x", "x", "y", "y"], 1),
        ([2, 1, 3, 5, 4, 6], ILL, 0),
    ],
)
def test_a_group_is_unchanged_if_every_record_has_all_its_values(pay: Any, ill: Any, unchanged: int) -> None:
    before, after = (Table.of(pl.DataFrame({"pay": p, "ill": i})) for p, i in ((PAY, ILL), (pay, ill)))
    assert unchanged_groups(before, after, np.array(GROUPS), ("pay", "ill")) == unchanged


@pytest.mark.parametrize(
    ("clause", "good", "bad", "words"),
    [
        ("a class of fewer subjects than one in the threshold", 0.25, 0.25, "Confidential values that all of a class"),
        ("a class of fewer than the fraction asks for", 0.140186, 0.141064, "It is an estimate by the sampling, and"),
        (
            "a mean over persons above the threshold, whatever the largest is",
            0.25,
            0.375,
            "It is a mean: single persons",
        ),
    ],
)
def test_a_risk_comes_with_its_mean_and_its_caveat(clause: str, good: float, bad: float, words: str) -> None:
    case = only(clause)
    for expected, verdict in ((good, case.verdicts(bad=False)), (bad, case.verdicts(bad=True))):
        assert verdict[case.guarantee].detail == {"mean risk": expected}
        assert verdict[case.guarantee].note.startswith(words)


def test_both_columns_of_a_place_are_parted_with_it() -> None:
    case = only("a subject with several masked places that differ in the longitude alone")
    assert case.verdicts(bad=False)["k_anonymity"].note == ""
    assert case.verdicts(bad=True)["k_anonymity"].note.startswith("'lat', 'lon' are the same in all records")


@pytest.mark.parametrize(
    ("attributes", "keys", "said"),
    [
        ({}, {}, False),
        ({"pay": SECRET_NUMBER}, {}, True),
        ({"pay": SECRET_NUMBER}, {"diversity": {"distinct": 1}}, False),
    ],
)
def test_that_confidential_values_stay_is_said_where_nothing_protects_them(
    attributes: dict[str, Any], keys: dict[str, Any], said: bool
) -> None:
    columns = {"age": AGES, "pay": [1, 2, 3, 4, 5, 6]}
    case = Doctored(
        "k_anonymity", "", plan(attributes=attributes, **keys), columns, {**columns, "age": TWO_OF_THREE}, {}
    )
    note = case.verdicts(bad=False)["k_anonymity"].note
    assert note.startswith("Confidential values are not changed") if said else note == ""


def test_where_k_is_given_up_subjects_and_parted_values_are_still_counted() -> None:
    keys = {"subject": "who", "blocks": [["age"], ["pay"]], "guarantee": False}
    original = {"age": [9, 9, 11, 89, 90, 91], "pay": [1, 1, 2, 3, 4, 5], "who": ["p", "p", "q", "r", "s", "t"]}
    released = {"age": TWO_OF_THREE, "pay": [1, 1, 3, 3, 4, 4]}
    asked = plan(k=2, attributes={"pay": NUMBER, "who": NAME}, **keys)
    verdicts = Doctored("k_anonymity", "", asked, original, released, {"age": [10, 20, 10, 90, 90, 90]})
    good, bad = (verdicts.verdicts(bad=bad)["k_anonymity"] for bad in (False, True))
    assert (good.asked, good.achieved, good.holds) == (2, 1, False)
    assert good.detail == {"k_prime": 1.25, "k_prime of 1 of them": (2.5 + 5 / 3) / 2}
    assert "'age' is the same in all records of a subject, but" not in good.note
    assert "'age' is the same in all records of a subject, but" in bad.note


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        ("a class of fewer than k records", "shared by at least 3 records"),
        ("k records of fewer than k subjects", "shared by the records of at least 3 different subjects (who)"),
        ("a group of fewer than k records", "likely to belong to any of at least 3 records"),
        ("a subject by its own name", "each pseudonym (who), all taken together, have the same combinations"),
        ("a subject by its own name", "as those of at least 1 other pseudonyms"),
        ("a record that weighs more than its share", "no record makes more than 0.5 of a weighted mean"),
        (
            "a subject that makes more than its share by several records",
            "no subject (who) makes more than 0.5 of a mean",
        ),
        ("a class of fewer subjects than one in the threshold", "is at most 0.25 for everybody"),
        ("a class far from its neighbourhood, which is far from the table", "of its 8 or more nearest records"),
        ("the commonest value just c times the rest", "as all but the 1 commonest"),
        ("nothing left behind the l commonest", "as all but the 2 commonest"),
    ],
)
def test_a_definition_names_what_was_asked(clause: str, words: str) -> None:
    case = only(clause)
    assert words in case.verdicts(bad=False)[case.guarantee].definition


def verdict(name: str, *, holds: bool) -> Judgement:
    return Judgement(name, 3, 3 if holds else 2, holds, "what it says")


def test_a_verdict_is_plain_values_in_a_manifest() -> None:
    detail = MappingProxyType({"mean risk": 0.5})
    content = Judgement("dominance", 0.5, 0.25, True, "what it says", "and what not", detail).to_dict()
    assert content == {
        "name": "dominance",
        "asked": 0.5,
        "achieved": 0.25,
        "holds": True,
        "definition": "what it says",
        "note": "and what not",
        "detail": {"mean risk": 0.5},
    }
    assert type(content["detail"]) is dict


def test_what_a_plan_gives_up_is_let_through_and_nothing_else() -> None:
    number = {"role": "quasi_identifier", "kind": "numeric"}
    plan = shoal.Plan(k=3, method="individual", guarantee=False, attributes={"a": number, "b": number})
    given_up = plan.given_up()
    assert given_up == "k_anonymity"
    refuse_broken(Guarantees((verdict(given_up, holds=False), verdict("dominance", holds=True))), plan)
    for order in (1, -1):
        both = (verdict(given_up, holds=False), verdict("dominance", holds=False))[::order]
        with pytest.raises(GuaranteeError, match="does not satisfy dominance "):
            refuse_broken(Guarantees(both), plan)


def test_a_later_guarantee_is_refused_after_one_that_holds() -> None:
    plan = shoal.Plan(k=3, attributes={"a": {"role": "quasi_identifier", "kind": "numeric"}})
    with pytest.raises(GuaranteeError, match="does not satisfy dominance "):
        refuse_broken(Guarantees((verdict("k_anonymity", holds=True), verdict("dominance", holds=False))), plan)


def test_groups_must_keep_every_rule_whichever_stands_last() -> None:
    from shoal.protect import Confidential, DistinctDiversity

    labels = np.array([0, 0, 1, 1])
    kept = DistinctDiversity(Confidential.nominal(["x", "y", "x", "y"], name="kept"), 2)
    missed = DistinctDiversity(Confidential.nominal(["x", "x", "x", "y"], name="missed"), 2)
    for rules in ([kept, missed], [missed, kept]):
        assert met(rules, labels, 2).tolist() == [False, True]


@pytest.mark.parametrize("fraction", [0.01, 0.3, 0.49, 0.5, 0.51, 0.7, 0.89, 0.91, 0.999, 1.0])
def test_the_expected_risk_is_the_integral_that_defines_it(fraction: float) -> None:
    sizes = np.array([1, 2, 3, 5, 10, 30, 49, 50, 51, 200])
    nodes, weights = np.polynomial.legendre.leggauss(400)
    u = ((nodes + 1) / 2)[:, None]
    # u = v³ takes the peak near zero of small fractions apart, where the nodes would miss it.
    v, steps = u**3, 3 * u**2 * weights[:, None] / 2
    integral = (v ** (sizes - 1) * fraction / (fraction + (1 - fraction) * v) * steps).sum(axis=0)
    assert expected_risk(sizes, fraction) == pytest.approx(integral, rel=1e-9)


def test_what_an_earlier_plan_calls_known_is_known_beside_the_new_release() -> None:
    """The first release masks x and y; the second masks y and lets x out as it is, so that x tells everybody apart."""
    frame = pl.DataFrame({"x": [1, 2, 3, 4, 5, 6], "y": [1, 1, 1, 9, 9, 9]})
    masked, left = {"role": "quasi_identifier", "kind": "numeric"}, {"role": "other"}
    first = shoal.Plan(k=3, order="keep", attributes={"x": masked, "y": masked})
    second = shoal.Plan(k=3, order="keep", attributes={"x": left, "y": masked})
    earlier = shoal.anonymize(frame, first)
    with pytest.raises(GuaranteeError, match="leaves fewer than k = 3"):
        shoal.anonymize(frame, second, after=[earlier])
    same = shoal.anonymize(frame, first.replace(seed=1), after=[earlier])
    assert all(one.holds for one in same.guarantees.values())
