"""The order inside a group tells nothing of that of arrival, and columns stand in the plan's order."""

import random

import polars as pl

from shoal import Plan, StreamAnonymizer

PLAN = Plan(
    k=3,
    subject="record",
    stream={"max_delay": 20},
    attributes={
        "who": {"role": "identifier"},
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "ill": {"role": "confidential", "kind": "nominal"},
        "place": {"role": "other"},
    },
)


def records(n=600):
    dice = random.Random(1)
    return [{"who": i, "age": dice.randint(18, 90), "ill": dice.choice("abc"), "place": i} for i in range(n)]


def left(plan, rows):
    stream = StreamAnonymizer(plan)
    return [record for row in rows for record in stream.push(row)] + stream.flush()


def test_every_record_leaves_in_the_order_of_the_plan_whatever_its_producer():
    dice = random.Random(2)
    mixed = [dict(dice.sample(sorted(row.items()), len(row))) for row in records()]
    assert left(PLAN, mixed) == left(PLAN, records())
    assert {tuple(record) for record in left(PLAN, mixed)} == {("age", "ill", "place")}
    frame = pl.DataFrame(records()).select("place", "who", "ill", "age")
    stream = StreamAnonymizer(PLAN)
    assert stream.push_many(frame).columns == ["age", "ill", "place"]


def test_who_came_first_leaves_first_no_more_often_than_others():
    released = left(PLAN, records())
    pairs = [(one["place"], other["place"]) for one, other in zip(released[::3], released[1::3], strict=False)]
    rising = sum(one < other for one, other in pairs) / len(pairs)
    assert 0.4 < rising < 0.6


def test_the_seed_and_what_came_before_decide_it():
    def places(plan, rows):
        return [record["place"] for record in left(plan, rows)]

    rows = records()
    assert places(PLAN, rows) == places(PLAN, rows)
    assert places(PLAN.replace(seed=1), rows) != places(PLAN, rows)
    groups = [sorted(places(PLAN, rows)[i : i + 3]) for i in range(0, 300, 3)]
    assert groups == [sorted(places(PLAN.replace(seed=1), rows)[i : i + 3]) for i in range(0, 300, 3)]
