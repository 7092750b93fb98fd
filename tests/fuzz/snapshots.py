"""States of streams, changed by somebody who knows how to make their checksum fit again."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.judging import Found, judged
from shoal import Plan, StreamAnonymizer
from shoal.stream.engine.snapshot import read_snapshot, write_snapshot

NUMBERS = (0, 1, -1, 2, 7, 255, 2**31, -(2**31), 2**53, 2**62, 2**63 - 1, -(2**63))
DOUBLES = (0.0, -0.0, 1.0, -1.0, 0.5, 1e300, -1e300, 1e308, float("inf"), -float("inf"), float("nan"), 5e-324)

TREE = {"a": ["a1", "a2"], "b": ["b1"]}

RECORDS = ("rows", "classes")
"""The parts of a state that are lines of records."""


def plan_of(random: np.random.Generator) -> Plan:
    """A plan with every kind of column, and now and then closeness, subjects, missing cells, recodings and merging."""
    close = bool(random.integers(2))
    missing = {"missing": "impute"} if random.integers(2) else {}
    recoded = {"clip": {"low": 25, "high": 80}, "round_to": 5} if random.integers(2) else {}
    tree = {"hierarchy": TREE, "aggregate": str(random.choice(["mode", "medoid", "ancestor"]))}
    return Plan(
        k=int(random.integers(2, 5)),
        subject=[None, "who", "record"][random.integers(3)],
        attributes={
            "who": {"role": "identifier"},
            "age": {"role": "quasi_identifier", "kind": "numeric", "round": bool(random.integers(2)), **missing}
            | recoded,
            "level": {"role": "quasi_identifier", "kind": "ordinal", "order": ["1", "2", "3"], **missing},
            "area": {"role": "quasi_identifier", "kind": "nominal", **missing},
            "seen": {"role": "quasi_identifier", "kind": "date", **missing},
            "code": {"role": "quasi_identifier", "kind": "nominal", **tree, **missing},
            "lat": {"role": "quasi_identifier", "kind": "place", "longitude": "lon", **missing},
            "hour": {"role": "quasi_identifier", "kind": "cyclic", "period": 24, **missing},
            "cost": {"role": "confidential", "kind": "numeric"},
            "ill": {"role": "confidential", "kind": "nominal"},
        },
        stream={"max_delay": int(random.integers(6, 20)), **({"on_unclose": "merge"} if close else {})},
        **({"closeness": {"t": 0.4, "attributes": ["cost", "ill"]}} if close else {}),
    )


def records(plan: Plan, random: np.random.Generator, many: int) -> list[dict[str, Any]]:
    def some(value: Any) -> Any:
        return None if plan.attributes["age"].missing is not None and random.random() < 0.1 else value

    return [
        {
            "who": f"p{random.integers(30)}" if plan.subject == "who" else f"p{random.integers(60)}-{i}",
            "age": some(int(random.integers(18, 90))),
            "level": some([str, int, float][random.integers(3)](random.integers(1, 4))),
            "area": some(str(random.choice(["n", "s", "w"]))),
            "seen": some(f"2024-0{random.integers(1, 10)}-1{random.integers(10)}"),
            "code": some(str(random.choice(["a1", "a2", "b1"]))),
            "lat": some(float(random.integers(40, 50))),
            "lon": some(float(random.integers(0, 9))),
            "hour": some(int(random.integers(24))),
            "cost": float(random.integers(0, 50)),
            "ill": str(random.choice(["a", "b", "c"])),
        }
        for i in range(many)
    ]


def changed_bytes(content: bytes, random: np.random.Generator) -> bytes:
    """Change a few places: a byte, a number or a double where one may stand, a cut, a stretch moved elsewhere."""
    changed = bytearray(content)
    for _ in range(int(random.integers(1, 4))):
        if not changed:
            break
        at = int(random.integers(len(changed)))
        match int(random.integers(5)):
            case 0:
                changed[at] ^= int(random.integers(1, 256))
            case 1:
                changed[at - at % 8 : at - at % 8 + 8] = struct.pack("<q", int(random.choice(NUMBERS)))
            case 2:
                changed[at - at % 8 : at - at % 8 + 8] = struct.pack("<d", float(random.choice(DOUBLES)))
            case 3:
                del changed[at : at + int(random.integers(1, 17))]
            case _:
                end = at + int(random.integers(1, 64))
                changed[at:end] = changed[: end - at]
    return bytes(changed)


def changed_value(value: Any, random: np.random.Generator) -> Any:
    """Change one thing somewhere in plain values."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        name = str(random.choice(list(value)))
        if random.random() < 0.1:
            return {key: inner for key, inner in value.items() if key != name}
        return {**value, name: changed_value(value[name], random)}
    if isinstance(value, list) and value and random.random() < 0.9:
        at = int(random.integers(len(value)))
        return [*value[:at], changed_value(value[at], random), *value[at + 1 :]]
    others = [None, True, "", "x", [], {}, [[]], -1, 0, 1, 2**31, 2**63, 1.5, float("1e300"), {"a": 1}, ["a", 1]]
    return others[int(random.integers(len(others)))]


def moved(content: bytes, random: np.random.Generator) -> bytes:
    """Change one number of the engine a little, or let two change places: what bounds alone do not find."""
    at, other = (8 * int(place) for place in random.integers(len(content) // 8, size=2))
    cell = content[at : at + 8]
    match int(random.integers(3)):
        case 0:
            (number,) = struct.unpack("<q", cell)
            new = struct.pack("<q", min(number, 2**63 - 2) + 1)
        case 1:
            (double,) = struct.unpack("<d", cell)
            new = struct.pack("<d", double * 1.01)
        case _:
            new = content[other : other + 8]
    return content[:at] + new + content[at + 8 :]


def another_record(content: bytes, random: np.random.Generator) -> bytes:
    """Let a record that waits have a cell of another one."""
    lines = [json.loads(line) for line in content.decode().splitlines()]
    (_, one), (_, other) = (lines[int(place)] for place in random.integers(len(lines), size=2))
    name = str(random.choice(list(one)))
    one[name] = other[name]
    return "\n".join(map(json.dumps, lines)).encode()


def changed(
    header: dict[str, Any], parts: dict[str, bytes], random: np.random.Generator
) -> tuple[Any, dict[str, bytes]]:
    what = str(random.choice(["header", *parts]))
    if random.random() < 0.75:  # so little that much of it goes on
        if what.endswith("engine") and len(parts[what]) >= 8:
            return header, {**parts, what: moved(parts[what], random)}
        if what.endswith(RECORDS) and parts[what]:
            return header, {**parts, what: another_record(parts[what], random)}
    if what == "header":
        value = changed_value(header, random)
        return value if isinstance(value, dict) else {}, parts
    if what.endswith(RECORDS) and random.random() < 0.7 and parts[what]:
        lines = parts[what].decode().splitlines()
        at = int(random.integers(len(lines)))
        lines[at] = json.dumps(changed_value(json.loads(lines[at]), random))
        return header, {**parts, what: "\n".join(lines).encode()}
    return header, {**parts, what: changed_bytes(parts[what], random)}


def trouble(seed: int, folder: Path) -> Found:
    """Save a stream, change its state, go on with it; return what went wrong, and whether it could go on.

    What is refused must be refused in one sentence (a `ShoalError`); what is taken must go on to the end.
    """
    random = np.random.default_rng(seed)
    plan = plan_of(random)
    stream = StreamAnonymizer(plan, text=False, max_bytes=10_000 if random.integers(2) else None)
    came = records(plan, random, 80)
    for record in came[: int(random.integers(1, 50))]:
        stream.push(record, size=100)
    path = folder / f"state-{seed}"
    stream.save(path)
    header, parts = read_snapshot(path)
    write_snapshot(path, *changed(header, parts, random))

    def go_on() -> None:
        again, _ = StreamAnonymizer.restore(path)
        for record in came[50:]:
            again.push(record, size=100)
        again.flush()
        _ = again.stats, again.manifest

    return judged(seed, go_on)


def broken_frame(seed: int, folder: Path) -> Found:
    """The same for the frame of a snapshot: bytes anywhere, with a checksum that fits."""
    random = np.random.default_rng(seed)
    path = folder / f"frame-{seed}"
    write_snapshot(path, {"plan": {"k": 5}, "extra": {}}, {"engine": b"abc" * 30, "rows": b""})
    body = changed_bytes(path.read_bytes()[:-32], random)
    path.write_bytes(body + hashlib.sha256(body).digest())
    return judged(seed, lambda: StreamAnonymizer.restore(path))
