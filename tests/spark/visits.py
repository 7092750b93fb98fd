"""A stream of visits for tests, what the engine by itself makes of it, and a judge that knows nothing of either."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

from fuzz.judging import ordered_distance
from shoal import Plan, StreamAnonymizer

Record = dict[str, Any]

K = 3
T = 0.4
QUASI = ("age", "level", "city", "seen")
PLAN = Plan.from_mapping(
    {
        "k": K,
        "subject": "who",
        "missing": "impute",
        "closeness": {"t": T, "attributes": ["cost"]},
        "stream": {"max_delay": 12, "on_unclose": "merge"},
        "attributes": {
            "who": {"role": "identifier"},
            "number": {"role": "other"},
            "ward": {"role": "other"},
            "age": {"role": "quasi_identifier", "kind": "numeric", "clip": {"low": 0, "high": 90}},
            "level": {"role": "quasi_identifier", "kind": "ordinal", "order": ["low", "mid", "high"]},
            "city": {"role": "quasi_identifier", "kind": "nominal"},
            "seen": {"role": "quasi_identifier", "kind": "date"},
            "cost": {"role": "confidential", "kind": "numeric"},
        },
    }
)
SCHEMA = "who string, number long, ward string, age double, level string, city string, seen date, cost long"
LEAVES = tuple(name for name in PLAN.attributes if name != "who")


def visits(count: int, *, seed: int = 0, first: int = 0, wards: Sequence[str] = ("north", "south")) -> list[Record]:
    """Make records in their order, with gaps, persons who come back and values beyond the bounds."""
    dice = random.Random(seed)
    return [
        {
            "who": f"p{dice.randrange(count)}",
            "number": first + number,
            "ward": dice.choice(wards),
            "age": None if dice.random() < 0.1 else float(dice.randint(1, 99)),
            "level": dice.choice(["low", "mid", "high"]),
            "city": None if dice.random() < 0.1 else dice.choice(["Vic", "Reus", "Olot"]),
            "seen": date(2024, 1, 1) + timedelta(days=dice.randrange(300)),
            "cost": dice.randint(0, 5),
        }
        for number in range(count)
    ]


def lines(records: Iterable[Record]) -> str:
    """Write records as lines of JSON."""
    return "".join(json.dumps(record, default=str) + "\n" for record in records)


def by_engine(records: Iterable[Record], *, plan: Plan = PLAN, lane: str | None = "ward") -> dict[str, Record]:
    """Return what an engine for each lane releases of all records without a break, by the ids that it has on Spark."""
    lanes: dict[Any, list[Record]] = defaultdict(list)
    for record in records:
        lanes[record[lane] if lane else None].append(record)
    found: dict[str, Record] = {}
    for name, own in lanes.items():
        stream = StreamAnonymizer(plan)
        left = [record for one in own for record in stream.push(one)]
        found |= {f"{name}-{number}" if lane else str(number): record for number, record in enumerate(left)}
    return found


def judge(released: Sequence[Record], records: Sequence[Record]) -> list[str]:
    """Say what is wrong with what left: by numbers that records carry, not by how groups were formed."""
    came = {record["number"]: record for record in records}
    numbers = [record["number"] for record in released]
    wrong = [] if len(set(numbers)) == len(numbers) else ["a record left twice"]
    alike: dict[str, list[int]] = defaultdict(list)
    for record in released:
        first = came[record["number"]]
        if any(record[name] != first[name] for name in ("ward", "cost")):
            wrong.append("a value changed that nobody asks to change")
        if "who" in record:
            wrong.append("an identifier left")
        alike[json.dumps([record[name] for name in ("ward", *QUASI)], default=str)].append(record["number"])
    for members in alike.values():
        persons = {came[number]["who"] for number in members}
        if len(persons) < K:
            wrong.append(f"a class has {len(persons)} persons")
    return wrong


def judge_closeness(released: Sequence[Record], records: Sequence[Record], t: float = T) -> list[str]:
    """Say which classes of a stream whose distribution stands still are farther from it than t, and a tenth beside."""
    whole = [str(record["cost"]) for record in records]
    classes: dict[str, list[str]] = defaultdict(list)
    for record in released:
        key = json.dumps([record[name] for name in ("ward", *QUASI)], default=str)
        classes[key].append(str(record["cost"]))
    far = [ordered_distance(costs, whole) for costs in classes.values()]
    return [f"a class is {distance:.3f} from the stream" for distance in far if distance > t + 0.1]
