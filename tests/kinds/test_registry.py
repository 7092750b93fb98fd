"""Kinds from outside: what registers one, what a plan says of it, and what treats it as the kind it is like."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator

import polars as pl
import pytest

import shoal
from shoal.kinds import Kind
from shoal.kinds.cyclic import CyclicKind
from shoal.kinds.ordinal import OrdinalKind
from shoal.kinds.registry import KINDS, kind_of
from shoal.plan.json_schema import json_schema
from shoal.report.html import report_page

SIZES = ("S", "M", "L", "XL")


class Weekday(CyclicKind):
    name = Kind.like("weekday", Kind.CYCLIC, period=7.0)


class Size(OrdinalKind):
    name = Kind.like("size", Kind.ORDINAL, order=SIZES)


@pytest.fixture
def registered() -> Iterator[None]:
    with KINDS.temporarily(Weekday()), KINDS.temporarily(Size()):
        yield


@pytest.fixture
def plan(registered: None) -> shoal.Plan:
    known = {"day": "weekday", "size": "size", "age": "numeric"}
    said = {name: {"role": "quasi_identifier", "kind": kind} for name, kind in known.items()}
    return shoal.Plan(k=3, attributes={**said, "pay": {"role": "confidential", "kind": "numeric"}})


FRAME = pl.DataFrame(
    {
        "day": [7.0, 1.0, 7.0, 3.0, 3.0, 4.0, 6.0, 1.0, 2.0, 5.0, 5.0, 5.0],
        "size": ["S", "S", "M", "L", "L", "L", "XL", "XL", "S", "M", "M", "M"],
        "age": [20.0, 21.0, 22.0, 40.0, 41.0, 42.0, 30.0, 31.0, 35.0, 60.0, 61.0, 63.0],
        "pay": [float(row) for row in range(12)],
    }
)


def test_the_package_has_the_kinds_of_the_vocabulary_and_the_tree() -> None:
    assert list(KINDS) == [*Kind, "tree"]


def test_a_kind_from_outside_is_there_while_it_is_registered(registered: None) -> None:
    assert Kind("weekday") is KINDS["weekday"].name
    assert pickle.loads(pickle.dumps(Kind("weekday"))) is Kind("weekday")
    assert "weekday" not in list(Kind)
    assert json.loads(json_schema())["$defs"]["Kind"]["enum"] == [*Kind, "weekday", "size"]


def test_a_kind_that_is_not_registered_is_refused(plan: shoal.Plan) -> None:
    KINDS.unregister("weekday")
    with pytest.raises(shoal.PlanError, match=r"day.kind must be 'numeric', .* or 'cyclic', not 'weekday'"):
        shoal.Plan(**plan.to_dict())
    with pytest.raises(shoal.PlanError, match="not 'tree'"):  # it is no name for plans
        shoal.Plan(k=3, attributes={"x": {"role": "quasi_identifier", "kind": "tree"}})


def test_its_columns_say_what_is_fixed_and_a_plan_does_not(plan: shoal.Plan) -> None:
    assert plan.spec("day").period == 7.0
    assert plan.spec("size").order == SIZES
    assert kind_of(plan.spec("size")) is KINDS["size"]
    with pytest.raises(shoal.PlanError, match='period only applies to kind = "cyclic", and the kind here is weekday'):
        plan.replace(attributes={"day": {"role": "quasi_identifier", "kind": "weekday", "period": 5}})


def test_it_is_for_quasi_identifiers(registered: None) -> None:
    with pytest.raises(shoal.PlanError, match=r'kind = "size" is for quasi-identifiers, .*: say ordinal'):
        shoal.Plan(k=3, attributes={"size": {"role": "confidential", "kind": "size"}})


def test_a_kind_is_not_like_a_place() -> None:
    with pytest.raises(ValueError, match="second column"):
        Kind.like("station", Kind.PLACE)


def test_everything_after_a_release_takes_it_for_the_kind_that_it_is_like(plan: shoal.Plan) -> None:
    release = shoal.anonymize(FRAME, plan)
    usual = plan.to_dict()
    usual["attributes"]["day"] |= {"kind": "cyclic", "period": 7.0}
    usual["attributes"]["size"] |= {"kind": "ordinal", "order": list(SIZES)}
    like = shoal.Plan(**usual)
    expected = shoal.anonymize(FRAME, like)
    assert release.data.equals(expected.data)
    released = release.in_original_order().data
    own, other = (shoal.measure(FRAME, released, each) for each in (plan, like))
    assert {key: own[key].value for key in own} == {key: other[key].value for key in other}
    assert "weekday" in report_page(shoal.report.collect(FRAME, release, plan))
    assert shoal.utility(FRAME, released, plan) is not None
    assert shoal.attack(FRAME, released, plan) is not None
