"""Without a broker: one line, then growing pauses, and nothing that librdkafka prints by itself."""

import itertools
import logging
import math
import re
import time

import pytest

from shoal.errors import DataError
from shoal.stream.connect.kafka import Complaints, KafkaSource, make_client

NOBODY = "127.0.0.1:1"


def at_most(seconds):
    """Lines in so many seconds: pauses are of 2, 4, 8, … of them."""
    return 2 + math.log2(1 + seconds / 2)


@pytest.mark.parametrize("partitions", [None, [0]])
def test_who_waits_for_a_broker_is_told_once(monkeypatch, capfd, caplog, partitions):
    monkeypatch.setattr("shoal.stream.connect.kafka._METADATA_SECONDS", 2.5)
    monkeypatch.setattr("shoal.stream.connect.kafka._ANSWER_SECONDS", 0.25)
    begun = time.monotonic()
    with (
        caplog.at_level(logging.INFO, logger="shoal.stream"),
        pytest.raises(DataError, match=r"topic 'visits' cannot be read: no broker answers"),
    ):
        KafkaSource("visits", brokers=NOBODY, partitions=partitions).open({})
    said = [record.getMessage() for record in caplog.records if record.name == "shoal.stream"]
    assert 1 <= len(said) <= at_most(time.monotonic() - begun)
    assert said[0] == "kafka: no broker answers; it is tried again"
    assert all(re.fullmatch(r"kafka: no broker answers(, \d+ times more)?; it is tried again", line) for line in said)
    assert capfd.readouterr() == ("", "")


def test_a_producer_without_a_broker_prints_nothing_by_itself(capfd, caplog):
    config = {"bootstrap.servers": NOBODY, "enable.idempotence": True}
    producer = make_client("Producer", config, complaints=Complaints())
    producer.produce("visits", value=b"x")
    begun = time.monotonic()
    with caplog.at_level(logging.INFO, logger="shoal.stream"):
        producer.flush(3)
    assert [record.name for record in caplog.records].count("shoal.stream") <= at_most(time.monotonic() - begun)
    assert capfd.readouterr() == ("", "")
    producer.purge()


def test_pauses_double_up_to_a_bound_and_begin_anew_after_silence():
    moment, said = [0.0], []
    complaints = Complaints(lambda words: said.append((moment[0], words)), clock=lambda: moment[0])
    for _ in range(20 * 3600):  # twenty times a second for an hour
        complaints.say("no broker answers")
        moment[0] += 0.05
    times = [at for at, _ in said]
    assert len(times) < 22
    gaps = [later - before for before, later in itertools.pairwise(times)]
    assert gaps[:4] == pytest.approx([2, 4, 8, 16], abs=0.2)
    assert max(gaps) == pytest.approx(300, abs=0.2)
    complaints.say("another thing")
    assert said[-1][1] == "kafka: another thing; it is tried again"
    moment[0] += 1000
    complaints.say("no broker answers")
    moment[0] += 2.1
    complaints.say("no broker answers")
    assert [words.startswith("kafka: no broker") for _, words in said[-2:]] == [True, True]
