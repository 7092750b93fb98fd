"""What guarantees say before the work: the rules of groups, what cannot be kept, and the groups it comes to."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.encode import Subjects, read_subjects
from shoal.errors import GuaranteeError, PlanError
from shoal.frames import Table
from shoal.protect import GUARANTEES

AGE = {"role": "quasi_identifier", "kind": "numeric"}
PAY = {"role": "confidential", "kind": "numeric"}
ATTRIBUTES = {
    "age": AGE,
    "pay": PAY,
    "ill": {"role": "confidential", "kind": "nominal"},
    "who": {"role": "identifier"},
    "w": {"role": "other"},
    "region": {"role": "other"},
}
COLUMNS = {
    "age": [30.0, 31.0, None, 60.0, 61.0, 62.0],
    "pay": [1, 2, 3, 4, 5, 6],
    "ill": ["x", "y", "x", "y", "x", "y"],
    "who": ["p", "p", "q", "r", "s", "t"],
    "w": [3.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    "region": ["n", "n", "n", "s", "s", "s"],
}
DOMAINS = np.array([0, 0, 0, 1, 1, 1])


def table() -> Table:
    return Table.of(pl.DataFrame(COLUMNS))


def subjects_if(named: bool) -> Subjects | None:
    return read_subjects(table(), "who") if named else None


def demand(**keys: Any) -> Any:
    return shoal.Plan(**{"k": 2, "missing": "impute", "attributes": ATTRIBUTES, **keys}).demand()


@pytest.mark.parametrize(
    ("keys", "domains", "subjects", "fewest"),
    [
        ({"k": 3}, DOMAINS, False, None),
        ({"k": 4}, None, False, None),
        ({"k": 4}, DOMAINS, False, 3),
        ({"k": 2, "subject": "who"}, DOMAINS, True, None),
        ({"k": 3, "subject": "who"}, DOMAINS, True, 2),
    ],
)
def test_every_value_of_by_needs_k(keys: Any, domains: Any, subjects: Any, fewest: int | None) -> None:
    asked = demand(by="region", **keys)
    if fewest is None:
        GUARANTEES["k_anonymity"].require_feasible(asked, (), domains, subjects_if(subjects))
        return
    things = r"different subjects \(who\)" if subjects else "records"
    few = r"by = 'region' has \d of 2 values with fewer than k ="
    with pytest.raises(GuaranteeError, match=rf"{few} \d {things}, the fewest {fewest}: lower k") as refused:
        GUARANTEES["k_anonymity"].require_feasible(asked, (), domains, subjects_if(subjects))
    assert refused.value.reached == fewest


def test_a_method_that_masks_values_counts_them_and_not_records() -> None:
    values = shoal.Plan(k=4, method="mic1d", guarantee=False, attributes={"age": AGE}, missing="impute").demand()
    GUARANTEES["k_anonymity"].require_feasible(values, (), DOMAINS, None)
    with pytest.raises(GuaranteeError):
        GUARANTEES["k_anonymity"].require_feasible(values, (), DOMAINS, subjects_if(True))


@pytest.mark.parametrize(
    ("key", "keys", "fewest"),
    [
        ("prosecutor", {"risk": {"prosecutor": 1}}, 1),
        ("prosecutor", {"risk": {"prosecutor": 0.5}}, 2),
        ("prosecutor", {"risk": {"prosecutor": 0.4}}, 3),
        ("prosecutor", {"risk": {"prosecutor": "restricted"}}, 5),
        ("prosecutor", {"risk": {"prosecutor": 0.25, "journalist": 1, "fraction": 0.1}}, 4),
        ("journalist", {"risk": {"journalist": 0.2, "fraction": 1}}, 5),
        ("journalist", {"risk": {"journalist": 0.15, "fraction": 0.5}}, 4),
        ("marketer", {"risk": {"marketer": 0.15, "fraction": 0.5}}, 4),
        ("marketer", {"risk": {"marketer": 0.15}, "weights": "w", "dominance": 1}, None),
        ("prosecutor", {"risk": {"prosecutor": 0.25}, "weights": "w", "dominance": 1}, 4),
    ],
)
def test_a_risk_asks_for_so_many_subjects(key: str, keys: Any, fewest: int | None) -> None:
    guarantee, asked = GUARANTEES[f"{key}_risk"], demand(**keys)
    assert guarantee.fewest(asked) == fewest
    rules, forecast = guarantee.rules(asked, table()), guarantee.forecast(asked, ())
    if fewest is None:
        assert rules == ()
        assert forecast.group_size == 2
        assert "judged by the weights of every class" in forecast.sentences[0]
    elif fewest <= 2:
        assert rules == ()
        assert (forecast.group_size, forecast.sentences) == (2, ())
    else:
        (rule,) = rules
        assert rule.share == 1 / fewest
        assert rule.attribute.name == f"a group, for risk.{key}"
        assert rule.weights.tolist() == [1.0] * 6
        assert forecast.group_size == fewest
        assert f"classes of at least {fewest}: " in forecast.sentences[0]


def test_the_records_of_a_subject_count_once_for_a_risk() -> None:
    asked = demand(subject="who", risk={"prosecutor": 0.25})
    (rule,) = GUARANTEES["prosecutor_risk"].rules(asked, table())
    assert rule.contributors.tolist() == [0, 0, 1, 2, 3, 4]
    (rule,) = GUARANTEES["prosecutor_risk"].rules(demand(risk={"prosecutor": 0.25}), table())
    assert rule.contributors.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("threshold", "domains", "subjects", "there"),
    [
        (1 / 3, DOMAINS, False, None),
        (0.32, DOMAINS, False, 3),
        (0.32, None, False, None),
        (1 / 6, None, False, None),
        (0.16, None, False, 6),
        (0.2, None, True, None),
        (0.19, None, True, 5),
        (0.49, DOMAINS, True, 2),
    ],
)
def test_a_risk_needs_so_many_in_the_table_or_in_each_value_of_by(
    threshold: float, domains: Any, subjects: Any, there: int | None
) -> None:
    guarantee, asked = GUARANTEES["prosecutor_risk"], demand(risk={"prosecutor": threshold})
    rules = guarantee.rules(asked, table())
    assert rules
    if there is None:
        guarantee.require_feasible(asked, rules, domains, subjects_if(subjects))
        return
    with pytest.raises(GuaranteeError, match=f"and there are {there}: allow a larger risk") as refused:
        guarantee.require_feasible(asked, rules, domains, subjects_if(subjects))
    assert refused.value.reached == 1 / there


@pytest.mark.parametrize(
    ("keys", "weights", "contributors"),
    [
        ({"weights": "w"}, [3, 1, 0, 1, 1, 1], range(6)),
        ({"dominance": 0.5}, [1, 1, 0, 1, 1, 1], range(6)),
        ({"dominance": 0.5, "subject": "who"}, [1, 1, 0, 1, 1, 1], [0, 0, 1, 2, 3, 4]),
    ],
)
def test_a_mean_is_made_by_the_records_that_have_a_value(keys: Any, weights: Any, contributors: Any) -> None:
    (rule,) = GUARANTEES["dominance"].rules(demand(**keys), table())
    assert rule.attribute.name == "the mean of 'age'"
    assert rule.weights.tolist() == weights
    assert rule.contributors.tolist() == list(contributors)
    assert rule.share == 0.5


def test_means_over_all_records_have_one_rule_and_each_of_some_its_own() -> None:
    names = ("a", "b", "c", "d")
    frame = pl.DataFrame({"a": [1.0, 2.0], "b": [None, 2.0], "c": [3.0, 4.0], "d": [5.0, None]})
    asked = shoal.Plan(k=2, missing="impute", dominance=0.5, attributes=dict.fromkeys(names, AGE)).demand()
    rules = GUARANTEES["dominance"].rules(asked, Table.of(frame))
    assert [rule.attribute.name[-2] for rule in rules] == ["a", "b", "d"]
    assert [rule.weights.tolist() for rule in rules] == [[1, 1], [0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("keys", "domains", "breach"),
    [
        ({"weights": "w", "dominance": 0.43}, None, None),
        ({"weights": "w", "dominance": 0.42}, None, (3 / 7, "one record makes 0.4286 of the mean of 'age'; allow a")),
        ({"weights": "w", "dominance": 0.75}, DOMAINS, None),
        ({"weights": "w", "dominance": 0.7}, DOMAINS, (0.75, "larger share, or lower its weight in 'w'$")),
        ({"dominance": 0.3, "subject": "who"}, None, (0.4, r"one subject \(who\) makes 0.4 of .* larger share$")),
    ],
)
def test_not_even_all_records_together_may_be_dominated(keys: Any, domains: Any, breach: Any) -> None:
    guarantee, asked = GUARANTEES["dominance"], demand(**keys)
    rules = guarantee.rules(asked, table())
    if breach is None:
        guarantee.require_feasible(asked, rules, domains)
        return
    with pytest.raises(GuaranteeError, match=breach[1]) as refused:
        guarantee.require_feasible(asked, rules, domains)
    assert refused.value.reached == pytest.approx(breach[0])


def test_a_later_mean_is_looked_at_too() -> None:
    frame = pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": [None, None, 2.0]})
    asked = shoal.Plan(k=2, missing="impute", dominance=0.5, attributes={"a": AGE, "b": AGE}).demand()
    with pytest.raises(GuaranteeError, match="makes 1 of the mean of 'b'"):
        GUARANTEES["dominance"].require_feasible(asked, GUARANTEES["dominance"].rules(asked, Table.of(frame)), None)


@pytest.mark.parametrize(
    ("keys", "size", "said"),
    [
        ({"dominance": 1}, 2, ()),
        ({"dominance": 0.5}, 2, ("no record may make more than 0.5 of",)),
        ({"dominance": 0.3}, 4, ("no record may make more than 0.3 of",)),
        ({"dominance": 0.2, "subject": "who"}, 5, ("no subject (who) may make more than 0.2 of",)),
        ({"dominance": 0.2, "k": 6}, 6, ("no record may make more than 0.2 of",)),
    ],
)
def test_a_share_of_dominance_asks_for_groups_of_equal_ones(keys: Any, size: int, said: tuple[str, ...]) -> None:
    forecast = GUARANTEES["dominance"].forecast(demand(**keys), ())
    assert forecast.group_size == size
    assert len(forecast.sentences) == len(said)
    assert all(sentence.startswith(part) for sentence, part in zip(forecast.sentences, said, strict=True))


def closeness(n: int = 100, **keys: Any) -> Any:
    frame = pl.DataFrame({"age": range(n), "pay": range(n), "ill": ["x", "y"] * (n // 2), "region": ["n"] * n})
    section = {"t": 0.1, **keys.pop("closeness", {})}
    attributes = {name: ATTRIBUTES[name] for name in frame.columns}
    asked = shoal.Plan(**{"k": 2, "attributes": attributes, "closeness": section, **keys}).demand()
    guarantee = GUARANTEES["n_t_closeness" if "n" in section else "t_closeness"]
    return guarantee.forecast(asked, guarantee.rules(asked, Table.of(frame)))


@pytest.mark.parametrize(
    ("keys", "size", "sentences"),
    [
        (
            {"closeness": {"attributes": ["pay"]}},
            5,
            ["groups of 5 or more records keep pay within t = 0.1, though k = 2 was asked"],
        ),
        ({"closeness": {"attributes": ["pay"]}, "k": 5}, 5, ["groups of 5 or more records keep pay within t = 0.1"]),
        (
            {"closeness": {"attributes": ["pay", "ill"]}, "k": 5},
            5,
            [
                "groups of 5 or more records keep pay within t = 0.1; for 1 more attribute groups are merged until "
                "they are close"
            ],
        ),
        (
            {"closeness": {"attributes": ["pay"]}, "by": "region"},
            5,
            [
                "inside each value of by = 'region' groups of about 5 records, though k = 2 was asked, spread pay, and "
                "are merged until they are within t = 0.1 of the whole table"
            ],
        ),
        (
            {"closeness": {"attributes": ["pay"], "method": "steered", "weight": 1.0}, "guarantee": False},
            5,
            ["groups of 5 or more records are steered to spread pay; t is not guaranteed"],
        ),
        (
            {"closeness": {"attributes": ["pay", "ill"], "method": "merge"}},
            2,
            [
                "no group of 2 records without equal values is closer than 0.1262 to the whole table in pay, so groups "
                'grow to keep t = 0.1: k = 5 with closeness.method = "t_first" is enough, or t = 0.1262 is the '
                "smallest for k = 2"
            ],
        ),
        (
            {"closeness": {"attributes": ["pay", "ill"], "strata": "all", "t": 0.2}},
            12,
            ["groups of 12 or more records keep pay, ill within t = 0.2, though k = 2 was asked"],
        ),
        ({"n": 4, "closeness": {"attributes": ["pay"], "t": 0.125, "method": "merge"}}, 2, []),
        ({"closeness": {"t": 0.2, "method": "merge"}}, 2, []),
        ({"closeness": {"n": 10, "method": "merge"}}, 2, []),
    ],
)
def test_closeness_says_which_groups_it_comes_to(keys: Any, size: int, sentences: list[str]) -> None:
    forecast = closeness(**keys)
    assert forecast.group_size == size
    assert list(forecast.sentences) == sentences


def test_further_attributes_are_counted() -> None:
    frame = pl.DataFrame({name: range(100) for name in "abcd"})
    attributes = {"a": AGE, "b": PAY, "c": PAY, "d": PAY}
    asked = shoal.Plan(k=5, attributes=attributes, closeness={"t": 0.1}).demand()
    guarantee = GUARANTEES["t_closeness"]
    (sentence,) = guarantee.forecast(asked, guarantee.rules(asked, Table.of(frame))).sentences
    assert sentence.endswith("keep b within t = 0.1; for 2 more attributes groups are merged until they are close")


@pytest.mark.parametrize("section", ["closeness", "diversity"])
@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "must list at least one confidential attribute, each once"),
        (["pay", "pay"], "must list at least one confidential attribute, each once"),
        (["age"], "names 'age', which is not declared as confidential: choose among 'pay', 'ill'"),
        (["pay", "age"], "names 'age', which is not declared as confidential"),
    ],
)
def test_only_confidential_attributes_are_protected_each_once(section: str, names: list[str], words: str) -> None:
    keys = {"closeness": {"t": 0.1}, "diversity": {"distinct": 2}}[section]
    with pytest.raises(PlanError, match=rf"{section}\.attributes {words}"):
        demand(**{section: {**keys, "attributes": names}})


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"t": {"pay": 0.1}}, "closeness.t must also name 'ill', or be one number for all"),
        ({"t": {"pay": 0.1, "ill": 0.2, "age": 0.3}}, "closeness.t names 'age', which is not protected here"),
        ({"t": 0.1, "hierarchy": {"pay": {"a": ["1"]}}}, "closeness.hierarchy names 'pay', which is not a nominal"),
        (
            {"t": 0.1, "attributes": ["pay"], "hierarchy": {"ill": {"a": ["x"]}}},
            "names 'ill', which is not a nominal attribute protected here$",
        ),
    ],
)
def test_thresholds_and_trees_are_of_attributes_that_are_protected(section: Any, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        demand(closeness=section)


def test_each_protected_attribute_has_a_rule_the_leading_one_first() -> None:
    asked = demand(closeness={"t": {"ill": 0.2, "pay": 0.1}, "attributes": ["ill", "pay"]})
    rules = GUARANTEES["t_closeness"].rules(asked, table())
    assert [(rule.attribute.name, rule.t) for rule in rules] == [("ill", 0.2), ("pay", 0.1)]
    asked = demand(diversity={"p_sensitive": 3, "distinct": 2})
    assert [rule.l for rule in GUARANTEES["distinct_l_diversity"].rules(asked, table())] == [3, 3]
    asked = demand(diversity={"distinct": 2})
    assert [rule.l for rule in GUARANTEES["distinct_l_diversity"].rules(asked, table())] == [2, 2]


def test_what_a_guarantee_by_its_own_merging_leaves_to_others_is_refused() -> None:
    with pytest.raises(TypeError, match="t_closeness leaves its rules to the merging of all"):
        GUARANTEES["t_closeness"].merged(demand(closeness={"t": 0.1}), None, None, ())
