"""Topics of the Kafka cluster that librdkafka brings for tests."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import pytest

from shoal.errors import DataError
from shoal.stream.connect.kafka import KafkaSink, KafkaSource
from stream.connect.brokers import QUICK, KafkaHost, kill_at, once_each, start_stream
from stream.connect.messages import PLAN, expected_records, make_messages, make_runner

MESSAGES = make_messages(1200)
PARTITIONS = 2
EXPECTED = {lane: expected_records(MESSAGES[lane::PARTITIONS]) for lane in range(PARTITIONS)}


@pytest.fixture(scope="module")
def host():
    return KafkaHost()


def by_lane(entries):
    """Records per partition of the source, in the order of their ids, each id once."""
    lanes = defaultdict(dict)
    for identity, record in entries:
        lane, number = identity.split("-")
        assert lanes[int(lane)].setdefault(int(number), record) == record
    return {lane: [records[i] for i in range(len(records))] for lane, records in lanes.items()}


def runner_for(host, folder, topic, **options):
    folder.mkdir(exist_ok=True)
    source = KafkaSource(topic, brokers=host.address, group=f"{topic}-group", config=QUICK)
    sink = KafkaSink(f"{topic}-out", brokers=host.address, config={"log_level": 2}, stopped=lambda: False)
    return make_runner(folder, source=source, sink=sink, **{"idle_seconds": 0.3, "id_field": None, **options})


def test_every_partition_is_a_stream_of_its_own(host, tmp_path):
    host.fill("through", MESSAGES, partitions=PARTITIONS)
    runner_for(host, tmp_path / "run", "through").run()
    assert by_lane(host.entries("through-out")) == EXPECTED


def test_committed_offsets_stay_behind_the_buffers(host, tmp_path):
    host.fill("commits", MESSAGES, partitions=PARTITIONS)
    runner = runner_for(host, tmp_path / "run", "commits", on_end="save")
    runner.run()
    committed = host.committed("commits", "commits-group", PARTITIONS)
    for lane in range(PARTITIONS):
        oldest = runner._lanes[str(lane)].anonymizer.oldest
        assert 0 <= committed[lane] <= oldest < 600
        assert committed[lane] > oldest - PLAN.stream.max_delay


def test_a_run_goes_on_from_its_state(host, tmp_path):
    host.fill("goes-on", MESSAGES[:500], partitions=PARTITIONS)
    runner_for(host, tmp_path / "run", "goes-on", on_end="save").run()
    host.fill("goes-on", MESSAGES[500:], partitions=PARTITIONS)
    runner_for(host, tmp_path / "run", "goes-on").run()
    assert by_lane(host.entries("goes-on-out")) == EXPECTED


def test_offsets_that_are_gone_are_a_clear_sentence(host):
    host.fill("gone", MESSAGES[:4])
    source = KafkaSource("gone", brokers=host.address, group="gone-group", partitions=[0], config=QUICK)
    source.open({"0": 999})
    try:
        with pytest.raises(DataError, match="no longer has the offset"):
            [source.read(0.2) for _ in range(50)]
    finally:
        source.close()


@pytest.mark.parametrize(("latest", "expected"), [(False, MESSAGES[:4]), (True, [])])
def test_without_state_a_topic_begins_where_it_is_told(host, latest, expected):
    topic = f"begin-{latest}"
    host.fill(topic, MESSAGES[:4])
    source = KafkaSource(topic, brokers=host.address, group=topic, partitions=[0], latest=latest, config=QUICK)
    source.open({})
    try:
        found = []
        while not source.caught_up():
            found += [message.value for message in source.read(0.1)]
        assert found == expected
    finally:
        source.close()


def test_a_process_killed_at_random_loses_and_repeats_nothing(host, tmp_path):
    host.fill("killed", MESSAGES, partitions=PARTITIONS)
    total = sum(map(len, EXPECTED.values()))
    arguments = ["-i", host.url("killed", group="killed-group"), "-o", host.url("killed-out")]
    arguments += ["--state", str(tmp_path / "state"), "--checkpoint", "0", "-q"]
    for share in np.sort(np.random.default_rng(6).uniform(0.05, 0.8, size=3)):
        process = start_stream(tmp_path, PLAN, *arguments)
        kill_at(process, lambda share=share: host.length("killed-out") >= share * total)
    last = start_stream(tmp_path, PLAN, *arguments, "--until-idle", "0.5")
    _, errors = last.communicate(timeout=120)
    assert last.returncode == 0, errors
    entries = host.entries("killed-out")
    assert by_lane(entries) == EXPECTED
    assert len(once_each(entries)) == total


def quiet_source(host, topic, **options):
    return KafkaSource(topic, brokers=host.address, group=topic, partitions=[0], config=QUICK, **options)


def read_until(source, reached):
    found = 0
    for _ in range(100):
        found += len(source.read(0.1))
        if reached(found):
            break
    return found


def test_a_topic_is_caught_up_only_when_the_broker_says_so(host):
    host.fill("ends", MESSAGES[:50])
    source = quiet_source(host, "ends")
    source.open({})
    try:
        assert not source.caught_up()
        assert read_until(source, lambda found: found == 50 and source.caught_up()) == 50
        assert source.caught_up()
        host.fill("ends", MESSAGES[50:60])
        assert not source.caught_up()
        assert read_until(source, lambda found: found == 10 and source.caught_up()) == 10
        assert source.caught_up()
    finally:
        source.close()


@pytest.mark.parametrize(("place", "latest"), [({"0": 50}, False), ({}, True)])
def test_a_topic_without_news_is_caught_up(host, place, latest):
    topic = f"no-news-{latest}"
    host.fill(topic, MESSAGES[:50])
    source = quiet_source(host, topic, latest=latest)
    source.open(place)
    try:
        assert read_until(source, lambda _: source.caught_up()) == 0
        assert source.caught_up()
    finally:
        source.close()


def test_brokers_that_are_away_are_not_silent():
    kafka = pytest.importorskip("confluent_kafka")
    source = KafkaSource("t", brokers="127.0.0.1:1", partitions=[0], config={"log_level": 0})
    source._consumer.assign([kafka.TopicPartition("t", 0, 0)])
    try:
        assert source.read(0.1) == []
        assert not source.caught_up()
    finally:
        source.close()


def test_dead_letters_may_be_a_topic(host, tmp_path):
    host.fill("dirty", [b"nonsense", *MESSAGES[:30]])
    arguments = ["-i", host.url("dirty", group="dirty", partitions="0"), "-o", str(tmp_path / "out.ndjson")]
    arguments += ["--dead-letter", host.url("dirty-dead"), "--state", str(tmp_path / "state"), "--until-idle", "0.3"]
    process = start_stream(tmp_path, PLAN, *arguments)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    ((place, letter),) = host.entries("dirty-dead")
    assert json.loads(place) == ["0", 0]
    assert letter["message"] == "nonsense"
    assert b"messages=31 refused=1" in errors
