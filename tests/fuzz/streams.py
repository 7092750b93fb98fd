"""Random streams through the command line, judged by what left and by the trace of it.

Every record carries a number of its own, so that the judge finds the original of each; it uses nothing of shoal.
Producers differ in the types by which they write the same value, and classes are counted as they are written.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.judging import Found, equal_distance, ordered_distance, through_command_line
from fuzz.persons import person_of, spelled

LEVELS = ["low", "mid", "high"]
DECLARED = {
    "numeric": 'kind = "numeric"',
    "rounded": 'kind = "numeric", round = true',
    "ordinal": 'kind = "ordinal", order = ["low", "mid", "high"]',
    "level": 'kind = "ordinal", order = ["1", "2", "3"]',
    "nominal": 'kind = "nominal"',
    "code": 'kind = "nominal"',
    "date": 'kind = "date"',
    "hour": 'kind = "cyclic", period = 24',
}
"""What a plan says of a column, by what is in it."""


@dataclass(frozen=True)
class Case:
    """Records and a plan, and what of it the judge needs to know."""

    records: list[dict[str, Any]]
    plan: str
    quasi: list[str]
    k: int
    max_delay: int
    who: bool
    t: float | None
    merges: bool


def make(seed: int) -> Case:
    """Make a random stream and a plan for it."""
    dice = random.Random(seed)
    k = dice.choice([2, 2, 3, 5])
    delay = dice.randint(k, 8 * k)
    rows = dice.choice([dice.randint(0, 3 * k), dice.randint(3 * k, 20 * k)])
    who = dice.random() < 0.5
    kinds = {f"q{j}": dice.choice(list(DECLARED)) for j in range(dice.randint(1, 3))}
    gaps = dice.random() < 0.3
    draws = {name: _column(dice, kind, gaps) for name, kind in kinds.items()}
    persons = dice.randint(1, max(1, rows // dice.choice([1, 2, 5])))
    records = []
    for number in range(rows):
        record = {"who": spelled(dice, dice.randrange(persons) if who else number), "number": number}
        record |= {name: draw() for name, draw in draws.items()}
        record |= {"cost": dice.randint(0, 8), "ill": dice.choice("abc")}
        names = list(record)
        dice.shuffle(names)
        records.append({name: record[name] for name in names})
    lines = [f"k = {k}", f"seed = {seed}", 'subject = "who"' if who else 'subject = "record"']
    lines += ['missing = "impute"'] if gaps else []
    merges = dice.random() < 0.5
    t = dice.choice([0.25, 0.5]) if dice.random() < 0.4 else None
    lines += ["[stream]", f"max_delay = {delay}", f"sweeps = {dice.randint(0, 2)}"]
    lines += [f"position_weight = {dice.choice([0.001, 0.3, 10])}"] if dice.random() < 0.5 else []
    lines += ['on_unclose = "merge"'] if merges and t is not None else []
    lines += ["[closeness]", f"t = {t}"] if t is not None else []
    lines += ["[attributes]", 'who = { role = "identifier" }', 'number = { role = "other" }']
    lines += [f'{name} = {{ role = "quasi_identifier", {DECLARED[kind]} }}' for name, kind in kinds.items()]
    lines += ['cost = { role = "confidential", kind = "numeric" }', 'ill = { role = "confidential", kind = "nominal" }']
    return Case(records, "\n".join(lines) + "\n", list(kinds), k, delay, who, t, merges and t is not None)


def _column(dice: random.Random, kind: str, gaps: bool):
    draw = {
        "numeric": lambda: dice.choice([dice.randint(0, 9), round(dice.gauss(0, 1e6), 3)]),
        "rounded": lambda: _spelled(dice, dice.randint(0, 9), [int, float, lambda number: number + 0.5]),
        "ordinal": lambda: dice.choice(LEVELS),
        "level": lambda: _spelled(dice, dice.randint(1, 3), [int, float, str]),
        "nominal": lambda: dice.choice(["a", "b", "é", "c d"]),
        "code": lambda: _spelled(dice, dice.randint(1, 4), [int, float, str]),
        "hour": lambda: _spelled(dice, dice.randrange(24), [int, float]),
        "date": lambda: f"{dice.randint(1990, 2024)}-{dice.randint(1, 12):02d}-{dice.randint(1, 28):02d}",
    }[kind]
    return lambda: None if gaps and dice.random() < 0.1 else draw()


def _spelled(dice: random.Random, value: int, types: Sequence[Callable[[int], Any]]) -> Any:
    """Return a value as one of several producers writes it."""
    return dice.choice(types)(value)


def judge(case: Case, folder: Path) -> list[str]:
    """Say what is wrong with what left."""
    lines = (folder / "out.ndjson").read_text().splitlines()
    released = [json.loads(line) for line in lines]
    written = [json.loads(line, parse_int=_digits, parse_float=_digits) for line in lines]
    trace = [json.loads(line) for line in (folder / "trace.ndjson").read_text().splitlines()]
    numbers = [record["number"] for record in released]
    wrong = []
    if len(set(numbers)) != len(numbers):
        wrong.append("a record left twice")
    dropped = [line["dropped"] for line in trace if "dropped" in line]
    if sorted([*numbers, *dropped]) != list(range(len(case.records))):
        wrong.append("records neither left nor were dropped, or both")
    for record in released:
        first = case.records[record["number"]]
        if "who" in record:
            wrong.append("an identifier left")
        if [record[name] for name in ("cost", "ill")] != [first[name] for name in ("cost", "ill")]:
            wrong.append("a confidential value changed")
        if set(record) != set(first) - {"who"}:
            wrong.append("columns changed")
    alike: dict[str, set[str]] = {}
    for number, record in zip(numbers, written, strict=True):
        key = json.dumps([record[name] for name in case.quasi])
        alike.setdefault(key, set()).add(person_of(case.records[number]["who"]))
    wrong += [f"a class has {len(persons)} persons" for persons in alike.values() if len(persons) < case.k]
    for line in trace:
        if "group" in line:
            late = [at for at in line["positions"] if line["at"] - at > case.max_delay]
            wrong += [f"left {line['at'] - at} records after it came" for at in late]
    return [*wrong, *_judge_closeness(case, trace)]


def _digits(number: str) -> list[str]:
    """Return a number as it is written: 1 and 1.0 are told apart, and neither is a text."""
    return [number]


def _judge_closeness(case: Case, trace: list[dict[str, Any]]) -> list[str]:
    """Every class, as it stood when its last record left, is within t of all that had come."""
    wrong = []
    members: dict[int, list[int]] = {}
    for line in trace:
        if case.t is None or "group" not in line:
            continue
        members.setdefault(line["group"], []).extend(line["positions"])
        for name, distance in (("cost", ordered_distance), ("ill", equal_distance)):
            so_far = [str(record[name]) for record in case.records[: line["at"] + 1]]
            far = distance([str(case.records[place][name]) for place in members[line["group"]]], so_far)
            if far > case.t + 1e-9:
                wrong.append(f"{name} of a class is {far} from the stream so far, above t = {case.t}")
    return wrong


def command_of(case: Case) -> tuple[tuple[str, ...], dict[str, bytes]]:
    """Return the command that anonymizes a case, and its files."""
    lines = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in case.records)
    arguments = ("stream", "-i", "in.ndjson", "-o", "out.ndjson", "--trace", "trace.ndjson", "--plan", "plan.toml")
    return arguments, {"in.ndjson": lines.encode(), "plan.toml": case.plan.encode()}


def trouble(seed: int) -> Found:
    """Run and judge one case."""
    case = make(seed)
    arguments, inputs = command_of(case)
    return through_command_line(seed, inputs, arguments, lambda folder: judge(case, folder), about=case.plan)
