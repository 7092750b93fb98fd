"""Confidential columns of a table, as the sections of a plan compare them, and what verdicts say by attribute."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import DataError
from shoal.frames import Table
from shoal.kinds import Kind
from shoal.kinds.column import Spec
from shoal.points import Points
from shoal.protect import GUARANTEES, Closeness, Confidential, Evidence
from shoal.protect.confidential_guarantee import by_attribute, read_confidential
from shoal.protect.diversity import DistinctDiversity
from shoal.protect.guarantee import Distribution
from shoal.protect.n_t_closeness import judge_near, merge_near, whole_number
from shoal.protect.t_closeness import closeness_note

ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "pay": {"role": "confidential", "kind": "numeric"},
    "ill": {"role": "confidential", "kind": "nominal"},
    "grade": {"role": "confidential", "kind": "ordinal", "order": ["low", "mid", "high"]},
    "code": {"role": "confidential", "kind": "nominal"},
}
COLUMNS = {
    "age": [1, 2, 3, 4, 5, 6],
    "pay": [30, 10, None, 20, None, 10],
    "ill": ["flu", "gout", None, "flu", "ulcer", "gout"],
    "grade": ["high", "low", None, "mid", "low", "low"],
    "code": [1, 2, 3, 1, 2, 2],
}
TREE = {"lungs": ["flu"], "others": ["gout", "ulcer"]}


def demand(**section: Any) -> Any:
    given = {"t": 0.1, "missing": "category", **section}
    return shoal.Plan(k=2, attributes=ATTRIBUTES, closeness=given).demand()


def read(name: str, columns: Any = COLUMNS, distributions: Any = None, **section: Any) -> Confidential:
    asked = replace(demand(attributes=[name], **section), distributions=distributions or {})
    (rule,) = GUARANTEES["t_closeness"].rules(
        asked, Table.of(pl.DataFrame(columns, schema_overrides={"code": pl.Int64}))
    )
    return rule.attribute


@pytest.mark.parametrize(
    ("name", "section", "codes", "distance", "levels"),
    [
        ("pay", {}, [2, 0, 3, 1, 3, 0], "ordered", 4),
        ("ill", {}, [0, 1, 3, 0, 2, 1], "equal", 4),
        ("grade", {}, [2, 0, 3, 1, 0, 0], "ordered", 4),
        ("code", {}, [0, 1, 2, 0, 1, 1], "equal", 3),
        ("ill", {"hierarchy": {"ill": TREE}}, [0, 1, 3, 0, 2, 1], "hierarchical", 4),
        ("ill", {"hierarchy": {"ill": TREE}, "marginality": ["ill"]}, [1, 0, 3, 1, 2, 0], "ordered", 4),
        ("code", {"hierarchy": {"code": {"a": [1, 2], "b": [3]}}}, [0, 1, 2, 0, 1, 1], "hierarchical", 3),
        ("code", {"hierarchy": {"code": {"a": ["3", "2"], "b": ["1"]}}}, [2, 1, 0, 2, 1, 1], "hierarchical", 3),
        ("ill", {"hierarchy": {"ill": {"prefix": [1]}}}, [0, 1, 3, 0, 2, 1], "hierarchical", 4),
    ],
)
def test_values_are_compared_as_their_kind_or_their_tree_says(
    name: str, section: Any, codes: list[int], distance: str, levels: int
) -> None:
    attribute = read(name, **section)
    assert attribute.codes.tolist() == codes
    assert (attribute.distance, attribute.levels, attribute.name) == (distance, levels, name)


def test_a_missing_date_is_a_value_after_the_last() -> None:
    days = pl.DataFrame({"day": [date(2020, 1, 2), None, date(1960, 1, 1), None, date(2020, 1, 2)]})
    section = demand().sections["closeness"]
    attribute = read_confidential(Table.of(days), Spec(name="day", kind=Kind.DATE), section, "closeness")
    assert attribute.codes.tolist() == [1, 2, 0, 2, 1]


@pytest.mark.parametrize(
    ("name", "gaps", "words"),
    [
        ("pay", [2, 4], "has 2 missing values, the first in row 3: fill them, or set closeness.missing = .category.$"),
        ("ill", [2], "confidential column 'ill' has 1 missing value, the first in row 3: fill it, or set"),
    ],
)
def test_a_missing_value_is_refused_unless_it_is_a_category(name: str, gaps: list[int], words: str) -> None:
    with pytest.raises(DataError, match=words):
        read(name, missing="error")
    filled = {
        **COLUMNS,
        name: [value if row not in gaps else COLUMNS[name][0] for row, value in enumerate(COLUMNS[name])],
    }
    assert read(name, filled, missing="error").codes.tolist() == read(name, filled).codes.tolist()


@pytest.mark.parametrize(
    ("name", "section", "values", "records", "codes", "counts"),
    [
        ("pay", {}, [10, 20, 30, 40], [5, 6, 7, 8], [2, 0, 1, 0], [5, 6, 7, 8]),
        ("ill", {}, ["gout", "flu", "rash"], [5, 6, 7], [0, 1, 0, 1], [6, 5, 7]),
        ("pay", {}, [None, 10, 20, 30], [5, 6, 7, 8], [2, 0, 1, 0], [6, 7, 8, 5]),
        ("ill", {"hierarchy": {"ill": TREE}}, ["gout", "flu"], [5, 6], [0, 1, 0, 1], [6, 5, 0]),
    ],
)
def test_a_part_is_compared_with_the_whole_table(
    name: str, section: Any, values: Any, records: list[int], codes: list[int], counts: list[int]
) -> None:
    part = {column: [COLUMNS[column][row] for row in (0, 1, 3, 5)] for column in COLUMNS}
    whole = Distribution(Table.of(pl.DataFrame({name: values})), np.array(records))
    attribute = read(name, part, {name: whole}, **section)
    assert attribute.codes.tolist() == codes
    assert attribute.counts.tolist() == counts
    assert attribute.name == name


def test_a_missing_value_of_a_part_is_refused_in_the_words_of_its_section() -> None:
    whole = Distribution(Table.of(pl.DataFrame({"pay": [10, 20, 30]})), np.array([5, 6, 7]))
    with pytest.raises(DataError, match=r"fill them, or set closeness\.missing = .category.$"):
        read("pay", COLUMNS, {"pay": whole}, missing="error")


@pytest.mark.parametrize("names", [["pay", "ill"], ["ill", "pay"]])
def test_the_verdict_on_diversity_is_that_of_the_attribute_that_misses_it_most(names: list[str]) -> None:
    table = Table.of(pl.DataFrame({**COLUMNS, "pay": [1, 2, 3, 4, 5, 6], "ill": list("xyyxyx")}))
    evidence = Evidence(table, table, np.array([0, 0, 0, 1, 1, 1]), lambda: Points.of(np.arange(6.0)))
    section = {"recursive": {"c": 3.0, "l": 2}, "attributes": names}
    asked = shoal.Plan(k=2, attributes=ATTRIBUTES, diversity=section).demand()
    verdict = GUARANTEES["recursive_c_l_diversity"].judge(asked, evidence)
    assert (verdict.asked, verdict.achieved, verdict.holds) == (3.0, 2.0, True)
    assert verdict.name == "recursive_c_l_diversity"
    assert verdict.definition.endswith("as often as all but the 1 commonest together")
    reached = {"pay": "pay 0.5", "ill": "ill 2"}
    assert verdict.note == f"By attribute: {', '.join(reached[name] for name in names)}."


def test_the_verdict_is_in_the_words_of_the_rule_that_is_missed_most(monkeypatch: pytest.MonkeyPatch) -> None:
    guarantee, table = GUARANTEES["distinct_l_diversity"], Table.of(pl.DataFrame(COLUMNS))
    evidence = Evidence(table, table, np.array([0, 0, 0, 1, 1, 1]), lambda: Points.of(np.arange(6.0)))
    values = Confidential.nominal(list("xyxyxy"))
    rules = (DistinctDiversity(values, 2), DistinctDiversity(values, 4))
    monkeypatch.setattr(type(guarantee), "rules", lambda *_: rules)
    verdict = guarantee.judge(demand(), evidence)
    assert (verdict.asked, verdict.achieved, verdict.holds) == (4, 2, False)


def test_what_each_attribute_reaches_is_said_where_there_are_several() -> None:
    pay, ill = (Closeness(Confidential.ordered([1, 2], name=name), 0.5) for name in ("pay", "ill"))
    assert by_attribute([(pay, 0.25)]) == ""
    assert by_attribute([(pay, 0.25), (ill, 0.33333)]) == "By attribute: pay 0.25, ill 0.3333."
    assert closeness_note([(pay, 0.25)], demand()) == "Not protected: ill, grade, code."
    both = closeness_note([(pay, 0.25), (ill, 0.5)], demand())
    assert both == "By attribute: pay 0.25, ill 0.5. Not protected: grade, code."
    alone = replace(demand(), confidential={"pay": demand().confidential["pay"]})
    assert closeness_note([(pay, 0.25)], alone) == ""


def judged(guarantee: str, *, given_up: bool = False, **section: Any) -> Any:
    columns = {**COLUMNS, "pay": [1, 2, 3, 4, 5, 6], "age": [1, 1, 1, 2, 2, 2], "ill": list("xyxyxy")}
    table = Table.of(pl.DataFrame(columns))
    asked = demand(attributes=["pay", "ill"], **section)
    asked = replace(asked, given_up=guarantee if given_up else None)
    evidence = Evidence(table, table, np.array([0, 0, 0, 1, 1, 1]), lambda: Points.of(np.arange(6.0)))
    return GUARANTEES[guarantee].judge(asked, evidence)


def test_the_verdict_on_closeness_is_that_of_the_attribute_furthest_from_its_t() -> None:
    verdict = judged("t_closeness", t={"pay": 0.3, "ill": 0.01}, method="merge")
    assert (verdict.name, verdict.asked, verdict.holds) == ("t_closeness", 0.01, False)
    assert verdict.achieved == pytest.approx(1 / 6)
    assert verdict.note == "By attribute: pay 0.3, ill 0.1667. Not protected: grade, code."
    assert verdict.definition.startswith("the confidential values of every class of the released table")
    verdict = judged("t_closeness", t={"pay": 0.29, "ill": 0.2}, method="merge", given_up=True)
    assert (verdict.asked, verdict.achieved, verdict.holds) == (0.29, pytest.approx(0.3), False)
    assert verdict.definition.startswith("t not guaranteed, the groups stay as they were steered: the confidential")
    assert judged("t_closeness", t={"pay": 0.3, "ill": 0.17}, method="merge").holds


def test_so_is_the_verdict_on_closeness_to_neighbourhoods() -> None:
    verdict = judged("n_t_closeness", t={"pay": 0.3, "ill": 0.01}, method="merge", n=6)
    assert (verdict.name, verdict.asked, verdict.holds) == ("n_t_closeness", 0.01, False)
    assert verdict.achieved == pytest.approx(1 / 6)
    assert verdict.note == "By attribute: pay 0.3, ill 0.1667. Not protected: grade, code."
    verdict = judged("n_t_closeness", t={"pay": 0.29, "ill": 0.2}, method="merge", n=6)
    assert (verdict.asked, verdict.achieved, verdict.holds) == (0.29, pytest.approx(0.3), False)


POINTS = [0.0, 1.0, 2.0, 3.0, 14.0, 15.0, 16.0, 17.0]
PAIRS = [0, 0, 1, 1, 2, 2, 3, 3]


def test_groups_are_compared_with_their_neighbourhood() -> None:
    near = Closeness(Confidential.ordered([1.0, 2.0, 1.0, 2.0, 8.0, 9.0, 8.0, 9.0]), 0.1)
    verdicts = judge_near(POINTS, PAIRS, [near], 4)
    assert verdicts.met.tolist() == [True] * 4
    assert verdicts.shortfall.tolist() == [0.0] * 4
    assert judge_near(POINTS, PAIRS, [near], 5).met.tolist() == [False] * 4
    far = Closeness(Confidential.ordered([1.0, 1.0, 2.0, 2.0, 8.0, 9.0, 8.0, 9.0]), 0.1)
    assert judge_near(POINTS, PAIRS, [near, far], 4).met.tolist() == [False, False, True, True]
    assert judge_near(POINTS, PAIRS, [far, near], 4).met.tolist() == [False, False, True, True]


@pytest.mark.parametrize("n", [0, -1, 2.5])
def test_a_neighbourhood_has_a_whole_number_of_records(n: Any) -> None:
    with pytest.raises(shoal.PlanError, match="n must be a whole number of records from 1, not"):
        whole_number(n)
    assert [whole_number(1), whole_number(7.0)] == [1, 7]  # type: ignore[arg-type]


def test_every_record_has_a_group_to_be_judged_or_merged() -> None:
    rule = Closeness(Confidential.ordered(POINTS), 0.5)
    with pytest.raises(DataError, match="8 records"):
        judge_near(POINTS, PAIRS[:7], [rule], 4)
    with pytest.raises(DataError, match="8 records"):
        merge_near(Points.of(POINTS), np.array(PAIRS[:7]), [rule], 4)


def test_a_part_that_is_its_own_neighbourhood_keeps_any_t_and_a_smaller_one_that_of_the_table() -> None:
    points, labels = Points.of(POINTS[:4]), np.array([0, 0, 1, 1])
    part = Closeness(Confidential.ordered(POINTS).take(np.arange(4)), 0.1)
    assert merge_near(points, labels, [part], 4).tolist() == [0] * 4
    with pytest.raises(shoal.GuaranteeError, match=r"cannot have t-closeness with t = 0\.1: even all 4 records"):
        merge_near(points, labels, [part], 5)
    near = Closeness(part.attribute, 0.5)
    assert merge_near(points, labels, [near], 5).tolist() == [0, 0, 1, 1]


def test_merging_says_how_far_it_is() -> None:
    calls: list[tuple[int, int]] = []
    far = Closeness(Confidential.ordered([1.0, 1.0, 2.0, 2.0, 8.0, 9.0, 8.0, 9.0]), 0.1)
    merge_near(Points.of(POINTS), np.array(PAIRS), [far], 4, progress=lambda *call: calls.append(call))
    once = len(calls)
    asked = demand(method="merge", n=4, t=0.1, attributes=["pay"])
    told = {"progress": lambda *call: calls.append(call)}
    GUARANTEES["n_t_closeness"].merged(asked, Points.of(POINTS), np.array(PAIRS), [far], **told)
    assert 0 < once < len(calls)


def test_groups_far_from_their_neighbourhood_are_merged() -> None:
    points = Points.of(POINTS)
    far = Closeness(Confidential.ordered([1.0, 1.0, 2.0, 2.0, 8.0, 9.0, 8.0, 9.0]), 0.1)
    merged = merge_near(points, np.array(PAIRS), [far], 4)
    assert merged.tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert judge_near(points, merged, [far], 4).met.all()
    asked = demand(method="merge", n=4, t=0.1, attributes=["pay"])
    assert GUARANTEES["n_t_closeness"].merged(asked, points, np.array(PAIRS), [far]).tolist() == merged.tolist()
    lax = Closeness(far.attribute, 1)
    assert merge_near(points, np.array(PAIRS), [lax], 4).tolist() == PAIRS
