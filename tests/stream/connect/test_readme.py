"""The commands that the README gives for streams, run as they stand against real servers."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from shoal import Plan, StreamAnonymizer
from stream.connect.brokers import KafkaHost, ValkeyHost, once_each

ROOT = Path(__file__).parents[3]
SECTION = re.search(r"^## Streams\n(.*?)^## ", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"```sh\n(.*?)```", SECTION[1], re.DOTALL)
PLAN = Plan.load(ROOT / "examples/discharges.toml")
MASKED = ("age", "sex", "postcode", "admitted", "stay", "severity")
with (ROOT / "examples/discharges.csv").open() as file:
    ROWS = list(csv.DictReader(file))
GARBAGE = [b"garbage", b"\xff\xfe", b'{"patient_id": 1}']


def run(command, folder, **addresses):
    (folder / "examples").symlink_to(ROOT / "examples")
    command = command.strip().replace("shoal stream", f"{sys.executable} -m shoal stream")
    for known, real in addresses.items():
        command = command.replace(f"localhost:{known.removeprefix('port_')}", real)
    if addresses:
        command += " --until-idle 0.5"  # topics and streams have no end
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stderr.decode()


def messages():
    """A thousand discharges as JSON, and garbage among them."""
    records = [
        {**row, "age": int(row["age"]), "stay": int(row["stay"]), "charge": float(row["charge"])} for row in ROWS[:1000]
    ]
    good = [json.dumps(record).encode() for record in records]
    stream = StreamAnonymizer(PLAN)
    expected = [left for record in records for left in stream.push(record)] + stream.flush()
    return [*good[:300], *GARBAGE, *good[300:]], json.loads(json.dumps(expected, default=str))


def test_there_is_a_command_for_each_kind():
    assert len(COMMANDS) == 3
    assert ["valkey://" in command for command in COMMANDS] == [False, True, False]
    assert ["kafka://" in command for command in COMMANDS] == [False, False, True]


def test_a_pipe(tmp_path):
    log = run(COMMANDS[0], tmp_path)
    with (tmp_path / "anonymous.csv").open() as file:
        released = list(csv.DictReader(file))
    assert f"messages={len(ROWS)} refused=0 released={len(released)}" in log
    assert not {"patient_id", "name"} & set(released[0])
    classes = Counter(tuple(row[name] for name in MASKED) for row in released)
    assert min(classes.values()) >= PLAN.k
    left = Counter((row["charge"], row["diagnosis"], row["ward"]) for row in released)
    came = Counter((row["charge"], row["diagnosis"], row["ward"]) for row in ROWS)
    assert left <= came
    assert f"dropped={len(ROWS) - len(released)} " in log


def test_a_valkey_stream(tmp_path):
    host = ValkeyHost(tmp_path / "server")
    try:
        sent, expected = messages()
        host.fill("discharges", sent)
        log = run(COMMANDS[1], tmp_path, port_6379=host.url("").removeprefix("valkey://").rstrip("/"))
        assert once_each(host.entries("anonymous")) == expected
    finally:
        host.close()
    letters = [json.loads(line) for line in (tmp_path / "refused.ndjson").read_text().splitlines()]
    assert len(letters) == len(GARBAGE)
    assert f"messages={len(sent)} refused={len(GARBAGE)} released={len(expected)}" in log


def test_a_kafka_topic(tmp_path):
    pytest.importorskip("confluent_kafka")
    host = KafkaHost()
    sent, expected = messages()
    host.fill("discharges", sent)
    log = run(COMMANDS[2], tmp_path, port_9092=host.address)
    entries = sorted(host.entries("anonymous"), key=lambda entry: int(entry[0].split("-")[1]))  # as they left
    assert once_each(entries) == expected
    assert len(host.entries("refused")) == len(GARBAGE)
    assert f"messages={len(sent)} refused={len(GARBAGE)} released={len(expected)}" in log
