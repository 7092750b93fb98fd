"""Streams of a real Valkey server, which is killed and comes back; and a reader that is killed and comes back."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from shoal.errors import DataError, OutputError
from shoal.stream.connect.protocols import Output, Stopped
from shoal.stream.connect.valkey import ValkeyServer, ValkeySink, ValkeySource
from stream.connect.brokers import ValkeyHost, kill_at, once_each, start_stream
from stream.connect.messages import PLAN, expected_records, make_messages, make_runner, read_lines

MESSAGES = make_messages(2000)
EXPECTED = expected_records(MESSAGES)


@pytest.fixture
def host(tmp_path):
    host = ValkeyHost(tmp_path / "valkey")
    yield host
    host.close()


def never():
    return False


def runner_for(host, folder, **options):
    folder.mkdir(exist_ok=True)
    source = ValkeySource("in", server=host.address, stopped=never)
    sink = ValkeySink("out", server=host.address, stopped=never)
    return make_runner(folder, source=source, sink=sink, **{"idle_seconds": 0.3, "id_field": None, **options})


def test_a_stream_goes_through(host, tmp_path):
    host.fill("in", MESSAGES)
    runner_for(host, tmp_path / "run").run()
    entries = host.entries("out")
    assert [identity for identity, _ in entries] == [str(i) for i in range(len(EXPECTED))]
    assert [record for _, record in entries] == EXPECTED


def test_the_bookmark_stays_behind_the_buffer_and_serves_without_state(host, tmp_path):
    host.fill("in", MESSAGES[:500])
    runner = runner_for(host, tmp_path / "run", on_end="save")
    runner.run()
    with host.client() as client:
        bookmark = client.xinfo_groups("in")[0]["last-delivered-id"]
        behind = [fields[b"data"] for _, fields in client.xrange("in", min=b"(" + bookmark)]
    lane = runner._lanes[""]
    assert lane.anonymizer.stats.buffered > 0
    assert len(behind) >= 500 - lane.anonymizer.oldest
    source = ValkeySource("in", server=host.address, stopped=never)
    source.open({})
    assert [message.value for message in source.read(1.0)] == behind
    source.close()


def test_latest_begins_with_what_comes_next(host):
    host.fill("in", MESSAGES[:5])
    source = ValkeySource("in", server=host.address, latest=True, stopped=never)
    source.open({})
    assert source.read(0.01) == []
    host.fill("in", MESSAGES[5:7])
    assert [message.value for message in source.read(1.0)] == MESSAGES[5:7]
    source.close()


def test_entries_without_data_are_refused(host, tmp_path):
    with host.client() as client:
        client.xadd("in", {"other": b"x"})
    runner_for(host, tmp_path / "run").run()
    (letter,) = read_lines(tmp_path / "run" / "dead.ndjson")
    assert letter["reason"] == "the entry has no field 'data'"


def test_a_key_that_is_no_stream_is_a_clear_sentence(host):
    with host.client() as client:
        client.set("in", "x")
    with pytest.raises(DataError, match="'in' refuses opening"):
        ValkeySource("in", server=host.address, stopped=never).open({})


def test_a_wrong_password_is_a_clear_sentence_not_a_wait(host):
    source = ValkeySource("in", server=host.address.replace("//", "//nobody:wrong@"), stopped=never)
    with pytest.raises(DataError, match="refuses the user or the password"):
        source.open({})
    source.close()


def test_an_output_that_is_no_stream_is_a_clear_sentence(host):
    with host.client() as client:
        client.set("text", "not a stream")
    sink = ValkeySink("text", server=host.address, stopped=never)
    with pytest.raises(OutputError, match="'text' refuses writing: ResponseError"):
        sink.write([Output("0", b"{}")])
    sink.close()


def test_the_output_can_be_trimmed(host):
    sink = ValkeySink("out", server=host.address, most=100, stopped=never)
    sink.write([Output(str(i), b"{}") for i in range(2000)])
    sink.close()
    assert host.length("out") < 1000


def test_the_server_may_die_and_come_back(host, tmp_path):
    host.fill("in", MESSAGES[:1200])
    runner = runner_for(host, tmp_path / "run", idle_seconds=1.5, checkpoint_seconds=0.05)
    failures = []

    def run():
        try:
            runner.run()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    for fraction in (0.4, 0.6):
        while host.length("out") < fraction * len(EXPECTED) * 0.9:
            assert not failures
            time.sleep(0.005)
            if host.length("in") == 1200 and host.length("out") >= 1100:
                break
        host.kill()
        time.sleep(0.2)
        host.start()
    host.fill("in", MESSAGES[1200:])
    thread.join(timeout=120)
    assert not thread.is_alive()
    assert failures == []
    assert once_each(host.entries("out")) == EXPECTED


def test_a_server_that_is_away_is_not_silent(host, tmp_path):
    """An outage longer than the idle time must not end the stream: more may come when the server is back."""
    host.fill("in", MESSAGES[:1000])
    runner = runner_for(host, tmp_path / "run", idle_seconds=1.0, checkpoint_seconds=0.05)
    thread = threading.Thread(target=runner.run)
    thread.start()
    while host.length("out") < 900:
        time.sleep(0.005)
    host.kill()
    time.sleep(2.0)
    assert thread.is_alive()
    host.start()
    host.fill("in", MESSAGES[1000:])
    thread.join(timeout=120)
    assert not thread.is_alive()
    assert once_each(host.entries("out")) == EXPECTED


def test_a_process_killed_at_random_loses_and_repeats_nothing(host, tmp_path):
    host.fill("in", MESSAGES)
    arguments = ["-i", host.url("in"), "-o", host.url("out"), "--state", str(tmp_path / "state")]
    arguments += ["--checkpoint", "0", "-q"]
    random = np.random.default_rng(5)
    for share in np.sort(random.uniform(0.05, 0.9, size=4)):
        process = start_stream(tmp_path, PLAN, *arguments)
        kill_at(process, lambda share=share: host.length("out") >= share * len(EXPECTED))
    last = start_stream(tmp_path, PLAN, *arguments, "--until-idle", "0.5")
    _, errors = last.communicate(timeout=120)
    assert last.returncode == 0, errors
    assert once_each(host.entries("out")) == EXPECTED


def test_waiting_ends_when_the_run_is_stopped(monkeypatch):
    monkeypatch.setattr("shoal.stream.connect.valkey._FIRST_WAIT", 0.01)
    monkeypatch.setattr("shoal.stream.connect.valkey._LONGEST_WAIT", 0.02)
    calls = []
    server = ValkeyServer("valkey://127.0.0.1:1/0", "in", stopped=lambda: len(calls) >= 3, error=DataError)

    def fail():
        calls.append(1)
        raise server.errors.ConnectionError

    with pytest.raises(Stopped):
        server.call("trying", fail)
    assert len(calls) == 3
