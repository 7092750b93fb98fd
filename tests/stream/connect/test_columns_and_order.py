"""Where a value stands, in a record and in a group, tells nothing: columns by name, groups in random order."""

from __future__ import annotations

import csv
import itertools
import json

import numpy as np
import polars as pl
import pytest

from reference.leaving_order import SlowOrder
from shoal import Plan, StreamAnonymizer
from shoal.stream.engine import ContinuousSetting, StreamEngine, StreamSettings
from stream.connect.messages import PLAN, make_records

NAMES = ["age", "area", "row"]


def shuffled(record, random):
    names = list(record)
    random.shuffle(names)
    return {name: record[name] for name in names}


@pytest.fixture
def folder(tmp_path):
    PLAN.save(tmp_path / "plan.toml")
    return tmp_path


@pytest.mark.parametrize("ending", ["csv", "ndjson"])
def test_a_diagnosis_does_not_stand_under_age(folder, ending):
    """Producers write their keys in different orders."""
    import command

    random = np.random.default_rng(0)
    records = [shuffled(record, random) for record in make_records(300)]
    (folder / "in.ndjson").write_text("".join(json.dumps(record) + "\n" for record in records))
    done = command.shoal(
        "stream", "--plan", "plan.toml", "-i", "in.ndjson", "-o", f"out.{ending}", "-q", "--id-field", "id", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    with (folder / f"out.{ending}").open(newline="") as file:
        out = list(csv.DictReader(file)) if ending == "csv" else [json.loads(line) for line in file]
    assert len(out) > 250
    assert all(list(record) == ["id", *NAMES] for record in out)
    assert all(record["area"] in ("n", "s", "w") and 20 <= float(record["age"]) < 80 for record in out)
    assert sorted(int(record["row"]) for record in out) == sorted({int(record["row"]) for record in out})


@pytest.mark.parametrize("ending", ["csv", "ndjson"])
def test_the_order_of_keys_inside_a_value_does_not_tell_who_sent_it(tmp_path, ending):
    import command

    attributes = {"age": {"role": "quasi_identifier", "kind": "numeric"}, "place": {"role": "other"}}
    Plan(k=2, attributes=attributes, stream={"max_delay": 10}).save(tmp_path / "plan.toml")
    (tmp_path / "in.ndjson").write_text(
        '{"age": 30, "place": {"ward": [{"y": 1, "x": 2}], "bed": "é"}}\n'
        '{"place": {"bed": "é", "ward": [{"x": 2, "y": 1}]}, "age": 30}\n'
    )
    done = command.shoal("stream", "--plan", "plan.toml", "-i", "in.ndjson", "-o", f"out.{ending}", "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with (tmp_path / f"out.{ending}").open(newline="", encoding="utf-8") as file:
        out = list(csv.DictReader(file)) if ending == "csv" else [json.loads(line) for line in file]
    assert len(out) == 2
    *_, one, other = (tmp_path / f"out.{ending}").read_bytes().splitlines()
    assert one == other
    places = [json.loads(record["place"]) if ending == "csv" else record["place"] for record in out]
    assert places[0] == {"bed": "é", "ward": [{"x": 2, "y": 1}]}


def test_records_and_frames_leave_in_the_order_of_the_plan():
    random = np.random.default_rng(1)
    records = make_records(120)
    stream = StreamAnonymizer(PLAN)
    one_by_one = [out for record in records for out in stream.push(shuffled(record, random))] + stream.flush()
    assert all(list(record) == NAMES for record in one_by_one)
    stream = StreamAnonymizer(PLAN)
    frame = pl.DataFrame(records).select("row", "area", "who", "age")
    later = frame[50:].select("age", "row", "area", "who")
    together = pl.concat([stream.push_many(frame[:50]), stream.push_many(later), stream.flush()])
    assert together.columns == NAMES
    assert together.rows(named=True) == one_by_one


def first_is_oldest(plan, records):
    """Whether the first record of each group is the oldest of it, by the row that the records carry."""
    stream = StreamAnonymizer(plan)
    groups = []
    stream.observer = lambda released: groups.extend(released.sizes.tolist())
    rows = [out["row"] for record in records for out in stream.push(record)] + [out["row"] for out in stream.flush()]
    starts = np.cumsum([0, *groups])
    return [rows[a] == min(rows[a:b]) for a, b in itertools.pairwise(starts)]


def test_the_order_inside_a_group_tells_nothing_of_the_order_of_arrival():
    found = first_is_oldest(PLAN.replace(k=2), make_records(2000))
    assert len(found) > 600
    assert 0.44 < np.mean(found) < 0.56  # one half, within three deviations


def test_the_seed_changes_the_order_and_the_same_seed_gives_the_same():
    records = make_records(300)

    def released(plan):
        stream = StreamAnonymizer(plan)
        return [out for record in records for out in stream.push(record)] + stream.flush()

    first, again, other = released(PLAN), released(PLAN), released(PLAN.replace(seed=1))
    assert first == again
    assert first != other
    key = json.dumps
    assert sorted(map(key, first)) == sorted(map(key, other)), "the same groups, in another order"


def test_who_knows_the_plan_and_the_release_cannot_sort_a_group():
    """The plan's seed may be published. Without the records that came before it orders nothing."""
    settings = StreamSettings(k=2, max_delay=3, coords=(ContinuousSetting(),), seed=7)
    cells = np.random.default_rng(5).normal(size=(2000, 1))
    out = StreamEngine(settings).push_many(cells)
    pairs = out.positions.reshape(-1, 2)
    blind = SlowOrder(7)
    guessed = [blind.key(int(a)) < blind.key(int(b)) for a, b in pairs]
    assert 0.44 < np.mean(guessed) < 0.56
    informed, right, at = SlowOrder(7), 0, 0
    for (a, b), now in zip(pairs.tolist(), out.at.tolist(), strict=True):
        informed.arrive(cells[at : now + 1, 0].tolist())
        at = now + 1
        right += informed.key(a) < informed.key(b)
    assert right == len(pairs), "who has the stream itself can tell, as a restart must"


def test_a_restart_goes_on_in_the_same_order(tmp_path):
    records = make_records(300)
    stream = StreamAnonymizer(PLAN)
    whole = [out for record in records for out in stream.push(record)] + stream.flush()
    stream, cut = StreamAnonymizer(PLAN), []
    for place, record in enumerate(records):
        if place % 41 == 0:
            stream.save(tmp_path / "state")
            stream, _ = StreamAnonymizer.restore(tmp_path / "state", plan=PLAN)
        cut += stream.push(record)
    assert cut + stream.flush() == whole


def test_the_seed_of_a_plan_is_used(tmp_path):
    plan = Plan.parse(PLAN.to_toml())
    assert StreamAnonymizer(plan.replace(seed=3)).manifest["plan"]["seed"] == 3
