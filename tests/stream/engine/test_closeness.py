"""t-Closeness in a stream, through the plan: what leaves is close to the stream, and the rest is counted."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

from shoal import DataError, Plan, PlanError, StreamAnonymizer

ATTRIBUTES = {
    "row": {"role": "other"},
    "age": {"role": "quasi_identifier", "kind": "numeric", "round": True},
    "area": {"role": "quasi_identifier", "kind": "nominal"},
    "day": {"role": "quasi_identifier", "kind": "date"},
    "illness": {"role": "confidential", "kind": "nominal"},
    "cost": {"role": "confidential", "kind": "numeric"},
}


def make_plan(t=0.3, delay=12, on_unclose="drop", **closeness):
    return Plan(
        k=3,
        closeness={"t": t, **closeness},
        attributes=ATTRIBUTES,
        stream={"max_delay": delay, "on_unclose": on_unclose},
    )


def make_frame(n=400, seed=1):
    """Illness and cost go with age, so that near tuples are not diverse."""
    random = np.random.default_rng(seed)
    age = random.integers(20, 80, n)
    return pl.DataFrame(
        {
            "row": np.arange(n),
            "age": age + random.integers(0, 2, n) / 2,
            "area": random.choice(["n", "s"], n).tolist(),
            "day": [dt.date(2024, 1, 1) + dt.timedelta(days=int(d)) for d in random.integers(0, 60, n)],
            "illness": np.where(age < 40, "flu", np.where(age < 60, "gout", "heart")).tolist(),
            "cost": age * 10 + random.integers(0, 50, n),
        }
    )


FRAME = make_frame()


def run(plan, frame=FRAME):
    stream = StreamAnonymizer(plan)
    left = [record for row in frame.iter_rows(named=True) for record in stream.push(row)] + stream.flush()
    return left, stream.stats


def distance(values, all_values, *, nominal):
    shares = np.array([[np.mean(part == v) for v in np.unique(all_values)] for part in (values, all_values)])
    gaps = shares[0] - shares[1]
    return np.abs(gaps).sum() / 2 if nominal else np.abs(gaps.cumsum()).sum() / max(1, len(gaps) - 1)


@pytest.mark.parametrize("on_unclose", ["drop", "merge"])
def test_what_leaves_is_close_and_the_rest_is_counted(on_unclose):
    left, stats = run(make_plan(on_unclose=on_unclose))
    plain, _ = run(Plan(**{**make_plan().to_dict(), "closeness": None}))
    assert stats.released == len(left)
    assert stats.released + sum(stats.dropped.values()) == 400
    assert stats.dropped["not_close"] + stats.merged > 0, "or nothing was at stake"

    def worst(records):
        classes = defaultdict(list)
        for record in records:
            classes[record["age"], record["area"], record["day"]].append(record["row"])
        whole = FRAME["illness"].to_numpy()
        return max(distance(whole[rows], whole, nominal=True) for rows in classes.values())

    # Each group was compared with the stream up to then; over the whole stream the distances differ a little.
    assert worst(left) < 0.3 + 0.15 < worst(plain)


def test_merging_saves_tuples_that_dropping_loses():
    dropped, merged = (run(make_plan(on_unclose=how))[1] for how in ("drop", "merge"))
    assert merged.merged > 0
    assert sum(merged.dropped.values()) < sum(dropped.dropped.values())


def test_merged_tuples_get_the_very_values_of_their_class():
    """Also rounded numbers, dates and names, whether they leave as records or in frames."""
    plan = make_plan(on_unclose="merge")
    records, stats = run(plan)
    stream = StreamAnonymizer(plan)
    parts = [stream.push_many(FRAME[i : i + 37]) for i in range(0, 400, 37)] + [stream.flush()]
    assert pl.concat(parts).rows(named=True) == records
    sizes = pl.DataFrame(records).group_by("age", "area", "day").len()
    assert sizes["len"].min() >= 3
    assert stats.merged > 0


def test_merging_survives_a_restart(tmp_path):
    plan = make_plan(on_unclose="merge")
    records, _ = run(plan)
    stream = StreamAnonymizer(plan)
    left = []
    for i in range(0, 400, 29):
        left += stream.push_many(FRAME[i : i + 29]).rows(named=True)
        stream.save(tmp_path / "state")
        stream, _ = StreamAnonymizer.restore(tmp_path / "state")
    assert left + stream.flush() == records


SPELLINGS = {"age": [int, float], "level": [int, float, str, Decimal], "area": [int, float, str]}
"""How different producers write the same value."""


def of_producers(n=400, seed=1):
    """Records of which each has its own types of the same levels, numbers and codes."""
    random = np.random.default_rng(seed)
    for place in range(n):
        own = {name: ways[random.integers(len(ways))] for name, ways in SPELLINGS.items()}
        drawn = {"age": int(random.integers(20, 80)), "level": int(random.integers(1, 4)), "area": int(place % 2)}
        yield {
            "row": place,
            **{name: own[name](value) for name, value in drawn.items()},
            "at": dt.datetime(2024, 1, 1, 12) + dt.timedelta(minutes=int(random.integers(90)), seconds=place % 2 * 30),
            "hour": own["age"](random.integers(24)),
            "cost": int(random.choice([1, 2, 3, 4, 5])),
        }


def producers_plan():
    return Plan(
        k=2,
        attributes={
            "row": {"role": "other"},
            "age": {"role": "quasi_identifier", "kind": "numeric", "round": True},
            "level": {"role": "quasi_identifier", "kind": "ordinal", "order": ["1", "2", "3"]},
            "area": {"role": "quasi_identifier", "kind": "nominal"},
            "at": {"role": "quasi_identifier", "kind": "date"},
            "hour": {"role": "quasi_identifier", "kind": "cyclic", "period": 24},
            "cost": {"role": "confidential", "kind": "numeric"},
        },
        closeness={"t": 0.1},
        stream={"max_delay": 10, "on_unclose": "merge"},
    )


def written_classes(records):
    """How many records have the same quasi-identifiers as they are written, types and all."""
    names = ("age", "level", "area", "at", "hour")
    return Counter(repr([record[name] for name in names]) for record in records)


def test_merged_tuples_are_written_as_their_class_whatever_types_their_own_values_have(tmp_path):
    stream = StreamAnonymizer(producers_plan())
    left = [out for record in of_producers() for out in stream.push(record)] + stream.flush()
    assert stream.stats.merged > 20
    assert min(written_classes(left).values()) >= 2
    again = StreamAnonymizer(producers_plan())
    restored = []
    for place, record in enumerate(of_producers()):
        restored += again.push(record)
        if place % 23 == 0:
            again.save(tmp_path / "state")
            again, _ = StreamAnonymizer.restore(tmp_path / "state")
    assert list(map(repr, restored + again.flush())) == list(map(repr, left))


@pytest.mark.parametrize("kind", ["polars", "pandas"])
@pytest.mark.parametrize("seed", range(3))
def test_records_that_join_a_class_of_frames_get_its_very_values(seed, kind):
    """Times of day, and numbers that were rounded to whole ones in a column of floats."""
    frame = pl.DataFrame([{**record, "level": str(int(record["level"]))} for record in typed(seed)])
    frame = frame if kind == "polars" else frame.to_pandas()
    stream = StreamAnonymizer(producers_plan())
    rows = stream.push_many(frame)
    left = list(rows.rows(named=True) if kind == "polars" else rows.to_dict("records"))
    before = stream.stats.merged
    for record in typed(seed + 10):
        left += stream.push({**record, "row": 1000 + record["row"], "level": int(record["level"])})
    left += stream.flush()
    assert stream.stats.merged > before
    sizes = Counter(
        tuple(map(str, (record[name] for name in ("age", "level", "area", "at", "hour")))) for record in left
    )
    assert min(sizes.values()) >= 2


def typed(seed):
    """The records of one producer."""
    for record in of_producers(150, seed):
        cells = {"age": float(record["age"]), "area": str(record["area"]), "hour": float(record["hour"])}
        yield {**record, **cells, "level": str(int(record["level"]))}


@pytest.mark.parametrize(
    ("column", "records", "frames"),
    [
        ("age", pl.col("age") + 0.5, pl.col("age").cast(pl.Int64)),
        ("at", pl.col("at"), pl.col("at").dt.date()),
        ("at", pl.col("at") + pl.duration(microseconds=1), pl.col("at").cast(pl.Datetime("ms"))),
    ],
)
def test_frames_without_room_for_the_values_of_a_class_are_refused(column, records, frames):
    """They could not join it: 31.5 would leave as 31, in a class of its own."""
    frame = pl.DataFrame(list(typed(1)))
    stream = StreamAnonymizer(producers_plan())
    for record in frame.with_columns(records).to_dicts():
        stream.push(record)
    stream.flush()
    arrived = stream.stats.arrived
    with pytest.raises(DataError, match=f"column '{column}' of this frame has a type that does not hold"):
        stream.push_many(frame.with_columns(frames))
    assert stream.stats.arrived == arrived
    stream.push_many(frame)


def test_each_attribute_may_have_its_own_t():
    assert run(make_plan({"illness": 0.2, "cost": 0.9}))[0] != run(make_plan({"illness": 0.9, "cost": 0.2}))[0]


def test_only_the_named_attributes_are_protected():
    assert run(make_plan(attributes=["cost"]))[0] != run(make_plan())[0]


@pytest.mark.parametrize("option", [{"method": "merge"}, {"hierarchy": {"illness": {"all": ["flu", "gout", "heart"]}}}])
def test_choices_for_tables_are_refused(option):
    with pytest.raises(PlanError, match="choice for tables"):
        StreamAnonymizer(make_plan(**option))


def test_a_missing_confidential_value_is_refused():
    row = {**FRAME.row(0, named=True), "cost": None}
    with pytest.raises(DataError, match="'cost' has a missing value"):
        StreamAnonymizer(make_plan()).push(row)
