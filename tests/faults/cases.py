"""One doctored release for every clause of every guarantee: one that just keeps it, and a change that breaks it."""

from __future__ import annotations

from typing import Any

from faults.doctored import NAME, NUMBER, OTHER, SECRET_NUMBER, SECRET_WORD, WORD, Doctored

AGES = [9, 10, 11, 89, 90, 91]
TWO_OF_THREE = [10, 10, 10, 90, 90, 90]
EIGHT = [8, 9, 11, 12, 88, 89, 91, 92]
TWO_OF_FOUR = [10] * 4 + [90] * 4
WHO = ["p", "q", "r", "s", "t", "u", "v", "w"]


def plan(k: int = 3, attributes: dict[str, Any] | None = None, **keys: Any) -> dict[str, Any]:
    """A plan over an age, with whatever else is asked."""
    return {"k": k, "attributes": {"age": NUMBER, **(attributes or {})}, **keys}


K_ANONYMITY = (
    Doctored(
        "k_anonymity",
        "a class of fewer than k records",
        plan(),
        {"age": AGES},
        {"age": TWO_OF_THREE},
        {"age": [10, 10, 10, 10, 90, 90]},
    ),
    Doctored(
        "k_anonymity",
        "records that differ in the last quasi-identifier alone",
        plan(attributes={"town": WORD}),
        {"age": AGES, "town": ["a", "a", "b", "b", "b", "b"]},
        {"age": TWO_OF_THREE, "town": ["a", "a", "a", "b", "b", "b"]},
        {"town": ["a", "a", "b", "b", "b", "b"]},
    ),
    Doctored(
        "k_anonymity",
        "k records of fewer than k subjects",
        plan(attributes={"who": NAME}, subject="who"),
        {"age": EIGHT, "who": ["p", "q", "r", "p", "s", "t", "u", "u"]},
        {"age": TWO_OF_FOUR},
        {"age": [10, 10, 90, 10, 90, 90, 90, 90]},
    ),
    Doctored(
        "k_anonymity",
        "k records that the released value of by parts",
        plan(attributes={"region": OTHER}, by="region"),
        {"age": AGES, "region": ["n", "n", "n", "s", "s", "s"]},
        {"age": TWO_OF_THREE, "region": ["n", "n", "n", "s", "s", "s"]},
        {"age": [10] * 6, "region": ["n", "n", "s", "s", "s", "s"]},
    ),
    Doctored(
        "k_anonymity",
        "a subject with several masked values of what is constant of it",
        plan(k=2, attributes={"who": NAME}, subject="who"),
        {"age": [20, 20, 30, 30, 70, 70, 80, 80], "who": ["p", "p", "q", "q", "r", "r", "s", "s"]},
        {"age": [25, 25, 25, 25, 75, 75, 75, 75]},
        {"age": [25, 26, 25, 26, 75, 75, 75, 75]},
    ),
    Doctored(
        "k_anonymity",
        "a subject with several masked places that differ in the longitude alone",
        {
            "k": 2,
            "subject": "who",
            "attributes": {
                "lat": {"role": "quasi_identifier", "kind": "place", "longitude": "lon"},
                "who": NAME,
            },
        },
        {"lat": [50.0, 50.0, 51.0, 51.0], "lon": [8.0, 8.0, 9.0, 9.0], "who": ["p", "p", "q", "q"]},
        {"lat": [50.5] * 4, "lon": [8.5] * 4},
        {"lon": [8.5, 8.6, 8.5, 8.6]},
    ),
)

PERMUTED = plan(release="permute", attributes={"pay": SECRET_NUMBER, "ill": SECRET_WORD})
PAY = [1, 2, 3, 4, 5, 6]
ILL = ["x", "y", "x", "y", "x", "y"]
GROUPS = [0, 0, 0, 1, 1, 1]
PERMUTATION = {"age": AGES, "pay": [2, 3, 1, 5, 6, 4], "ill": ["y", "x", "x", "x", "y", "y"]}

PROBABILISTIC = (
    Doctored(
        "probabilistic_k_anonymity",
        "a group of fewer than k records",
        PERMUTED,
        {"age": AGES, "pay": PAY, "ill": ILL},
        PERMUTATION,
        {"pay": PAY, "ill": ILL},
        groups=GROUPS,
        bad_groups=[0, 0, 1, 1, 1, 1],
    ),
    Doctored(
        "probabilistic_k_anonymity",
        "a group of k records of fewer than k subjects",
        {**PERMUTED, "subject": "who", "attributes": {**PERMUTED["attributes"], "who": NAME}},
        {
            "age": EIGHT,
            "pay": [1, 2, 3, 4, 5, 6, 7, 8],
            "ill": ["x"] * 8,
            "who": ["p", "q", "r", "r", "s", "t", "u", "u"],
        },
        {"age": EIGHT, "pay": [2, 1, 4, 3, 6, 5, 8, 7], "ill": ["x"] * 8},
        {},
        groups=[0, 0, 0, 0, 1, 1, 1, 1],
        bad_groups=[0, 0, 2, 2, 1, 1, 2, 2],
    ),
    Doctored(
        "probabilistic_k_anonymity",
        "a quasi-identifier that is not the original one",
        PERMUTED,
        {"age": AGES, "pay": PAY, "ill": ILL},
        PERMUTATION,
        {"age": [9, 10, 12, 89, 90, 91]},
        groups=GROUPS,
    ),
    Doctored(
        "probabilistic_k_anonymity",
        "a confidential value that was changed",
        PERMUTED,
        {"age": AGES, "pay": PAY, "ill": ILL},
        PERMUTATION,
        {"pay": [2, 3, 7, 5, 6, 4]},
        groups=GROUPS,
    ),
    Doctored(
        "probabilistic_k_anonymity",
        "a confidential record in another group",
        PERMUTED,
        {"age": AGES, "pay": PAY, "ill": ILL},
        PERMUTATION,
        {"pay": [2, 5, 1, 3, 6, 4]},
        groups=GROUPS,
    ),
    Doctored(
        "probabilistic_k_anonymity",
        "confidential values of two records in one",
        PERMUTED,
        {"age": AGES, "pay": PAY, "ill": ILL},
        PERMUTATION,
        {"ill": ["x", "y", "x", "x", "y", "y"]},
        groups=GROUPS,
    ),
)

FOLLOWED = plan(k=2, attributes={"who": NAME}, subject="who", keep_subject="pseudonym")
HISTORIES = (
    Doctored(
        "history_k_anonymity",
        "fewer than k pseudonyms with rows in the same classes",
        FOLLOWED,
        {"age": [20, 70, 22, 72, 20, 70, 22, 72], "who": ["p", "p", "q", "q", "r", "r", "s", "s"]},
        {"age": [21, 71] * 4, "who": ["1", "1", "2", "2", "3", "3", "4", "4"]},
        {"age": [21, 71, 21, 71, 21, 71, 21, 21]},
    ),
    Doctored(
        "history_k_anonymity",
        "a pseudonym of several subjects",
        FOLLOWED,
        {"age": AGES, "who": WHO[:6]},
        {"age": TWO_OF_THREE, "who": ["1", "2", "3", "4", "5", "6"]},
        {"who": ["1", "1", "3", "4", "5", "6"]},
    ),
    Doctored(
        "history_k_anonymity",
        "a subject of several pseudonyms",
        FOLLOWED,
        {"age": [9, 9, 11, 89, 90, 91], "who": ["p", "p", "r", "s", "t", "u"]},
        {"age": TWO_OF_THREE, "who": ["1", "1", "3", "4", "5", "6"]},
        {"who": ["1", "2", "3", "4", "5", "6"]},
    ),
    Doctored(
        "history_k_anonymity",
        "a subject by its own name",
        FOLLOWED,
        {"age": AGES, "who": WHO[:6]},
        {"age": TWO_OF_THREE, "who": ["1", "2", "3", "4", "5", "6"]},
        {"who": ["1", "2", "3", "4", "5", "u"]},
    ),
)

DOMINANCE = (
    Doctored(
        "dominance",
        "a record that weighs more than its share",
        plan(k=2, attributes={"w": OTHER}, weights="w", dominance=0.5),
        {"age": AGES, "w": [2.0, 1.0, 1.0, 2.0, 1.0, 1.0]},
        {"age": TWO_OF_THREE, "w": [2.0, 1.0, 1.0, 2.0, 1.0, 1.0]},
        {"age": [10, 10, 90, 90, 90, 90]},
    ),
    Doctored(
        "dominance",
        "a subject that makes more than its share by several records",
        plan(k=2, attributes={"who": NAME}, subject="who", dominance=0.5),
        {"age": EIGHT, "who": ["p", "p", "q", "r", "s", "s", "t", "u"]},
        {"age": TWO_OF_FOUR},
        {"age": [10, 10, 10, 90, 90, 90, 90, 90]},
    ),
    Doctored(
        "dominance",
        "a mean over the few records that have a value",
        plan(k=2, attributes={"pay": NUMBER}, dominance=0.5, missing="impute"),
        {"age": EIGHT, "pay": [1, 2, None, None, 5, 6, None, None]},
        {"age": TWO_OF_FOUR, "pay": [1.5] * 4 + [5.5] * 4},
        {"age": [10, 90, 10, 10, 90, 90, 90, 90], "pay": [1.5, 5.5, 1.5, 1.5, 5.5, 5.5, 5.5, 5.5]},
    ),
    Doctored(
        "dominance",
        "a mean over all records, after one over those without the heaviest",
        plan(k=2, attributes={"pay": NUMBER, "w": OTHER}, weights="w", dominance=0.5, missing="impute"),
        {"age": [None, 9, 11, 12, 88, 89, 91, 92], "pay": EIGHT, "w": [3.0] + [1.0] * 7},
        {"age": TWO_OF_FOUR, "pay": TWO_OF_FOUR, "w": [3.0] + [1.0] * 7},
        {"age": [10] * 3 + [90] * 5, "pay": [10] * 3 + [90] * 5},
    ),
    Doctored(
        "dominance",
        "a mean of another block than the first",
        plan(
            k=2,
            attributes={"pay": NUMBER, "w": OTHER},
            weights="w",
            dominance=0.5,
            blocks=[["age"], ["pay"]],
            guarantee=False,
        ),
        {"age": AGES, "pay": [1, 2, 3, 4, 5, 6], "w": [2.0, 1.0, 1.0, 2.0, 1.0, 1.0]},
        {"age": TWO_OF_THREE, "pay": [2.0] * 3 + [5.0] * 3, "w": [2.0, 1.0, 1.0, 2.0, 1.0, 1.0]},
        {"pay": [1.5, 1.5, 4.5, 4.5, 4.5, 4.5]},
        blocks=(("age",), ("pay",)),
    ),
)

RISKS = (
    Doctored(
        "prosecutor_risk",
        "a class of fewer subjects than one in the threshold",
        plan(k=2, risk={"prosecutor": 0.25}),
        {"age": EIGHT},
        {"age": TWO_OF_FOUR},
        {"age": [10] * 3 + [90] * 5},
    ),
    Doctored(
        "prosecutor_risk",
        "a class of enough records and too few subjects",
        plan(k=2, attributes={"who": NAME}, subject="who", risk={"prosecutor": 0.25}),
        {"age": [*EIGHT, 93], "who": ["p", "q", "r", "s", "t", "u", "v", "w", "w"]},
        {"age": [*TWO_OF_FOUR, 90]},
        {"age": [10, 10, 90, 90, 90, 90, 90, 10, 10]},
    ),
    Doctored(
        "prosecutor_risk",
        "a class of too few, however small a part of the population they are",
        plan(k=2, risk={"prosecutor": 0.25, "journalist": 1, "fraction": 0.5}),
        {"age": EIGHT},
        {"age": TWO_OF_FOUR},
        {"age": [10] * 3 + [90] * 5},
    ),
    Doctored(
        "journalist_risk",
        "a class of fewer than the fraction asks for",
        plan(k=2, risk={"journalist": 0.15, "fraction": 0.5}),
        {"age": EIGHT},
        {"age": TWO_OF_FOUR},
        {"age": [10] * 3 + [90] * 5},
    ),
    Doctored(
        "journalist_risk",
        "a class whose weights stand for fewer people",
        plan(k=2, attributes={"w": OTHER}, weights="w", dominance=1, risk={"journalist": 0.15}),
        {"age": EIGHT, "w": [1.0, 1.0, 3.0, 3.0, 1.0, 1.0, 3.0, 3.0]},
        {"age": TWO_OF_FOUR},
        {"age": [10, 10, 90, 90, 10, 10, 90, 90]},
    ),
    Doctored(
        "journalist_risk",
        "a class that reaches the people only by two weights of one subject",
        plan(
            k=2,
            attributes={"w": OTHER, "who": NAME},
            subject="who",
            weights="w",
            dominance=1,
            risk={"journalist": 0.15},
        ),
        {"age": [*EIGHT, 93], "w": [1.0, 1.0, 3.0, 3.0, 1.0, 1.0, 3.0, 3.0, 3.0], "who": list("pqrstuvwt")},
        {"age": [*TWO_OF_FOUR, 90]},
        {"age": [90, 10, 10, 10, 90, 90, 10, 90, 90]},
    ),
    Doctored(
        "marketer_risk",
        "a mean over persons above the threshold, whatever the largest is",
        plan(k=2, risk={"marketer": 0.25}),
        {"age": EIGHT},
        {"age": [10] * 2 + [90] * 6},
        {"age": [10] * 2 + [20] * 2 + [90] * 4},
    ),
)

SECRETS = {"pay": SECRET_NUMBER, "ill": SECRET_WORD}
FAIR, UNFAIR = [0, 0, 0, 1, 1, 1, 1, 0], [0, 0, 0, 0, 1, 1, 1, 1]
FAIR_WORDS, UNFAIR_WORDS = ["x", "x", "x", "y", "y", "y", "y", "x"], ["x"] * 4 + ["y"] * 4


def secrets(pay: list[int], ill: list[str]) -> dict[str, Any]:
    """A released table of two classes of four."""
    return {"age": TWO_OF_FOUR, "pay": pay, "ill": ill}


def confidential(
    guarantee: str, keys: dict[str, Any], good: dict[str, Any], **changes: dict[str, Any]
) -> list[Doctored]:
    """One case for each change."""
    return [
        Doctored(
            guarantee,
            clause.replace("_", " "),
            plan(k=4, attributes=SECRETS, **keys),
            {**good, "age": EIGHT},
            good,
            change,
        )
        for clause, change in changes.items()
    ]


BOTH = secrets(FAIR, FAIR_WORDS)
CLOSENESS = (
    *confidential(
        "t_closeness",
        {"closeness": {"t": 0.25, "method": "merge"}},
        BOTH,
        the_first_attribute_too_far={"pay": UNFAIR},
        the_last_attribute_too_far={"ill": UNFAIR_WORDS},
    ),
    *confidential(
        "t_closeness",
        {"closeness": {"t": {"pay": 0.25, "ill": 0.5}, "method": "merge"}},
        secrets(FAIR, UNFAIR_WORDS),
        an_attribute_beyond_its_own_t={"pay": UNFAIR},
    ),
    *confidential(
        "n_t_closeness",
        {"closeness": {"t": 0.25, "n": 8, "method": "merge"}},
        BOTH,
        the_first_attribute_too_far={"pay": UNFAIR},
        the_last_attribute_too_far={"ill": UNFAIR_WORDS},
    ),
    *(
        Doctored(
            "n_t_closeness",
            f"a class too far from its neighbourhood in the {which} value of by",
            plan(
                k=4,
                attributes={**SECRETS, "region": OTHER},
                by="region",
                closeness={"t": 0.25, "n": 8, "method": "merge"},
            ),
            {"age": EIGHT * 2, "pay": FAIR * 2, "ill": FAIR_WORDS * 2, "region": ["n"] * 8 + ["s"] * 8},
            {"age": TWO_OF_FOUR * 2, "pay": FAIR * 2, "ill": FAIR_WORDS * 2, "region": ["n"] * 8 + ["s"] * 8},
            {"pay": pay},
        )
        for which, pay in (("first", UNFAIR + FAIR), ("last", FAIR + UNFAIR))
    ),
    Doctored(
        "n_t_closeness",
        "a class far from its neighbourhood, which is far from the table",
        plan(k=4, attributes=SECRETS, closeness={"t": 0.25, "n": 8, "method": "merge"}),
        {"age": EIGHT * 2, "pay": [0] * 8 + [1] * 8, "ill": ["x", "y"] * 8},
        {"age": [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4, "pay": [0] * 8 + [1] * 8, "ill": ["x", "y"] * 8},
        {"pay": [0] * 4 + [1] * 4 + [0] * 4 + [1] * 4},
        points=[*range(8), *range(100, 108)],
    ),
)

DIVERSITY = (
    *confidential(
        "distinct_l_diversity",
        {"diversity": {"distinct": 2}},
        BOTH,
        one_value_of_the_first_attribute={"pay": UNFAIR},
        one_value_of_the_last_attribute={"ill": UNFAIR_WORDS},
    ),
    *confidential(
        "entropy_l_diversity",
        {"diversity": {"entropy": 2}},
        secrets([0, 0, 1, 1] * 2, ["x", "x", "y", "y"] * 2),
        less_than_log_l_in_the_first_attribute={"pay": [0, 0, 0, 1, 0, 0, 1, 1]},
        less_than_log_l_in_the_last_attribute={"ill": ["x", "x", "x", "y", "x", "x", "y", "y"]},
    ),
    *confidential(
        "recursive_c_l_diversity",
        {"diversity": {"recursive": {"c": 3, "l": 2}}},
        secrets([0, 0, 1, 1] * 2, ["x", "x", "y", "y"] * 2),
        the_commonest_value_just_c_times_the_rest={"pay": [0, 0, 0, 1, 0, 0, 1, 1]},
        the_commonest_of_the_last_attribute={"ill": ["x", "x", "x", "y", "x", "x", "y", "y"]},
    ),
    *confidential(
        "recursive_c_l_diversity",
        {"diversity": {"recursive": {"c": 2.1, "l": 3}, "attributes": ["pay"]}},
        secrets([0, 0, 1, 2] * 2, ["x"] * 8),
        nothing_left_behind_the_l_commonest={"pay": [0, 0, 1, 1, 0, 0, 1, 2]},
    ),
)

CASES = (*K_ANONYMITY, *PROBABILISTIC, *HISTORIES, *DOMINANCE, *RISKS, *CLOSENESS, *DIVERSITY)

REACHED = {
    "k_anonymity: a class of fewer than k records": (3, 3, 2),
    "k_anonymity: records that differ in the last quasi-identifier alone": (3, 3, 1),
    "k_anonymity: k records of fewer than k subjects": (3, 3, 2),
    "k_anonymity: k records that the released value of by parts": (3, 3, 2),
    "k_anonymity: a subject with several masked values of what is constant of it": (2, 2, 2),
    "k_anonymity: a subject with several masked places that differ in the longitude alone": (2, 2, 2),
    "probabilistic_k_anonymity: a group of fewer than k records": (3, 3, 2),
    "probabilistic_k_anonymity: a group of k records of fewer than k subjects": (3, 3, 2),
    "probabilistic_k_anonymity: a quasi-identifier that is not the original one": (3, 3, 3),
    "probabilistic_k_anonymity: a confidential value that was changed": (3, 3, 3),
    "probabilistic_k_anonymity: a confidential record in another group": (3, 3, 3),
    "probabilistic_k_anonymity: confidential values of two records in one": (3, 3, 3),
    "history_k_anonymity: fewer than k pseudonyms with rows in the same classes": (2, 4, 1),
    "history_k_anonymity: a pseudonym of several subjects": (2, 3, 2),
    "history_k_anonymity: a subject of several pseudonyms": (2, 2, 3),
    "history_k_anonymity: a subject by its own name": (2, 3, 3),
    "dominance: a record that weighs more than its share": (0.5, 0.5, 0.666667),
    "dominance: a subject that makes more than its share by several records": (0.5, 0.5, 0.666667),
    "dominance: a mean over the few records that have a value": (0.5, 0.5, 1.0),
    "dominance: a mean over all records, after one over those without the heaviest": (0.5, 0.5, 0.6),
    "dominance: a mean of another block than the first": (0.5, 0.5, 0.666667),
    "prosecutor_risk: a class of fewer subjects than one in the threshold": (0.25, 0.25, 0.333333),
    "prosecutor_risk: a class of enough records and too few subjects": (0.25, 0.25, 0.333333),
    "prosecutor_risk: a class of too few, however small a part of the population they are": (0.25, 0.25, 0.333333),
    "journalist_risk: a class of fewer than the fraction asks for": (0.15, 0.140186, 0.193147),
    "journalist_risk: a class whose weights stand for fewer people": (0.15, 0.140186, 0.25),
    "journalist_risk: a class that reaches the people only by two weights of one subject": (0.15, 0.140186, 0.179225),
    "marketer_risk: a mean over persons above the threshold, whatever the largest is": (0.25, 0.25, 0.375),
    "t_closeness: the first attribute too far": (0.25, 0.25, 0.5),
    "t_closeness: the last attribute too far": (0.25, 0.25, 0.5),
    "t_closeness: an attribute beyond its own t": (0.25, 0.25, 0.5),
    "n_t_closeness: the first attribute too far": (0.25, 0.25, 0.5),
    "n_t_closeness: the last attribute too far": (0.25, 0.25, 0.5),
    "n_t_closeness: a class too far from its neighbourhood in the first value of by": (0.25, 0.25, 0.5),
    "n_t_closeness: a class too far from its neighbourhood in the last value of by": (0.25, 0.25, 0.5),
    "n_t_closeness: a class far from its neighbourhood, which is far from the table": (0.25, 0.0, 0.5),
    "distinct_l_diversity: one value of the first attribute": (2, 2, 1),
    "distinct_l_diversity: one value of the last attribute": (2, 2, 1),
    "entropy_l_diversity: less than log l in the first attribute": (2.0, 2.0, 1.75477),
    "entropy_l_diversity: less than log l in the last attribute": (2.0, 2.0, 1.75477),
    "recursive_c_l_diversity: the commonest value just c times the rest": (3.0, 1.0, 3.0),
    "recursive_c_l_diversity: the commonest of the last attribute": (3.0, 1.0, 3.0),
    "recursive_c_l_diversity: nothing left behind the l commonest": (2.1, 2.0, float("inf")),
}
"""What each case asks, and what its good and its bad release reach."""
