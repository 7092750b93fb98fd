"""The processor of lanes: what it is given when a query starts anew, and what it lets out."""

from __future__ import annotations

import pytest

from shoal import DataError, Plan, PlanError
from spark.visits import PLAN, visits


def test_lanes_by_another_column_do_not_mix() -> None:
    from spark.lanes import Store, shape, take

    store = Store()
    take(store, shape(), "Vic", [{**record, "ward": "Vic"} for record in visits(5)])
    with pytest.raises(PlanError, match="lane is 'city', and the checkpoint was begun with 'ward': groups would mix"):
        take(store, shape(lane="city"), "Vic", [{**record, "city": "Vic"} for record in visits(20, first=5)])


def test_one_lane_of_all_records_is_not_that_of_the_number_0() -> None:
    from spark.lanes import Store, shape, take

    store = Store()
    take(store, shape(lane=None), 0, visits(5))
    with pytest.raises(PlanError, match="lane is 'number', and the checkpoint was begun with None: groups would mix"):
        take(store, shape(lane="number"), 0, visits(20))


@pytest.mark.parametrize(("before", "after", "value"), [("double", "long", 2.75), ("string", "long", "secret")])
def test_waiting_records_of_another_type_are_refused_and_not_shown(before: str, after: str, value: object) -> None:
    from spark.lanes import TYPES, Store, shape, take

    plan = PLAN.replace(
        closeness=None,
        stream={"max_delay": 12},
        attributes={**PLAN.to_dict()["attributes"], "cost": {"role": "other"}},
    )
    store, records = Store(), [{**record, "who": f"p{record['number']}"} for record in visits(20, wards=["north"])]
    take(store, shape(plan, types={**TYPES, "cost": before}), "north", [{**one, "cost": value} for one in records[:5]])
    with pytest.raises(DataError) as caught:
        take(store, shape(plan, types={**TYPES, "cost": after}), "north", records[5:])
    assert str(caught.value).startswith("column 'cost' has the type long, and the checkpoint was begun with")
    assert str(value) not in str(caught.value)


@pytest.mark.parametrize("value", ["secret", 2.75, float("inf"), float("nan"), [1]])
def test_a_value_that_its_type_cannot_hold_is_not_shown(value: object) -> None:
    from spark.lanes import Store, shape, take

    plan = Plan.from_mapping(
        {
            "k": 2,
            "stream": {"max_delay": 2},
            "attributes": {
                "age": {"role": "quasi_identifier", "kind": "numeric"},
                "note": {"role": "other"},
            },
        }
    )
    given = shape(plan, types={"age": "double", "note": "long"}, lane=None)
    with pytest.raises(DataError, match="column 'note' would leave with a value that its type cannot hold: convert"):
        take(Store(), given, 0, [{"age": 1.0, "note": value}] * 5)


@pytest.mark.parametrize("role", ["quasi_identifier", "other"])
def test_a_refused_row_tells_no_lane_that_the_plan_refuses(role: str) -> None:
    from spark.lanes import Store, shape, take

    ward = {"role": role, "kind": "ordinal", "order": ["north", "south"]}
    plan = PLAN.replace(attributes={**PLAN.to_dict()["attributes"], "ward": ward})
    stranger = {**visits(1)[0], "ward": "Ann Smith, 12 High Street"}
    (row,) = take(Store(), shape(plan), stranger["ward"], [stranger])
    assert row == {**dict.fromkeys(row), "why": row["why"]}
    assert row["why"].startswith("refused: column 'ward' ")
    assert stranger["ward"] not in row["why"]
    # Also where the sentence is about another column; a lane that fits is told.
    (row,) = take(Store(), shape(plan), stranger["ward"], [{**stranger, "cost": None}])
    assert row["ward"] is None
    (row,) = take(Store(), shape(plan), "north", [{**stranger, "ward": "north", "cost": None}])
    assert row["ward"] == "north"


def test_a_shorter_wait_is_kept_also_by_lanes_that_wait() -> None:
    from spark.lanes import Store, shape, take

    store, records = Store(), [{**one, "who": f"p{one['number']}"} for one in visits(7, wards=["north"])]
    plan = PLAN.replace(closeness=None, stream={"max_delay": 50})
    long, short = shape(plan, max_delay_ms=600_000), shape(plan, max_delay_ms=3000)
    assert take(store, long, "north", records[:4]) == []
    assert take(store, short, "north", records[4:], now=1000) == []
    left = take(store, short, "north", [], now=3000)
    assert {0, 1, 2, 3} <= {row["number"] for row in left}
    # The longer timer is still there, and does no harm.
    rest = take(store, short, "north", [], now=4000) + take(store, short, "north", [], now=600_000)
    assert len(left) + len(rest) == 7
    assert store.timers == []


def test_a_longer_wait_is_kept_after_the_shorter_timer() -> None:
    from spark.lanes import Store, shape, take

    store, records = Store(), [{**one, "who": f"p{one['number']}"} for one in visits(4, wards=["north"])]
    plan = PLAN.replace(closeness=None, stream={"max_delay": 50})
    take(store, shape(plan, max_delay_ms=3000), "north", records)
    longer = shape(plan, max_delay_ms=600_000)
    assert take(store, longer, "north", [], now=3000) == []
    assert store.timers == [600_000]
    assert len(take(store, longer, "north", [], now=600_000)) == 4


def test_records_of_one_hash_are_taken_in_one_order() -> None:
    from spark.lanes import Store, shape, take

    records = visits(60, wards=["north"])
    left = take(Store(), shape(), "north", records, tied=True)
    assert left
    assert take(Store(), shape(), "north", records[::-1], tied=True) == left
    assert take(Store(), shape(), "north", records[30:] + records[:30], tied=True) == left


def test_a_date_that_python_cannot_hold_is_refused_by_column() -> None:
    from spark.lanes import Store, shape, take

    unheld = {**visits(1)[0], "seen": None}
    (row,) = take(Store(), shape(), "north", [unheld], beyond="seen")
    why = "column 'seen' has a date outside the years 1 to 9999: mend it, or make it missing"
    assert row == {**dict.fromkeys(row), "ward": "north", "why": f"refused: {why}"}
    with pytest.raises(DataError) as caught:
        take(Store(), shape(reason=None), "north", [unheld], beyond="seen")
    assert str(caught.value) == why
