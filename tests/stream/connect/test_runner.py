"""A running stream: nothing lost, nothing twice, whatever stops it; garbage apart, with counts that add up."""

from __future__ import annotations

import json

import numpy as np
import pytest

from shoal.errors import DataError, PlanError
from shoal.stream.connect.line_sink import LinesSink
from shoal.stream.connect.line_source import LinesSource
from shoal.stream.connect.message_formats import CsvMessages, Incoming, JsonMessages, Outgoing
from shoal.stream.connect.runner import Runner, RunOptions
from shoal.stream.engine.stream_encoder import leaving_columns
from stream.connect.messages import PLAN, expected_records, make_messages, make_records, make_runner, read_lines

MESSAGES = make_messages(400)
EXPECTED = expected_records(MESSAGES)


class Killed(BaseException):
    """Stands for the process being gone."""


class FragileSource(LinesSource):
    """Gives a few lines at a time, and dies after some."""

    def __init__(self, path, *, dies_after=None, size=7):
        super().__init__([str(path)], csv=False, limit=10_000)
        self._left = dies_after
        self._size = size
        self._ready = []
        self.committed = []

    def read(self, timeout):
        while not self._ready:
            batch = super().read(timeout)
            if batch is None:
                return None
            self._ready = batch
        if self._left is not None:
            if self._left <= 0:
                raise Killed
            self._left -= self._size
        batch, self._ready = self._ready[: self._size], self._ready[self._size :]
        return batch

    def commit(self, places):
        self.committed.append(places.get(""))


class FragileSink(LinesSink):
    """Dies after some writes, in the middle of what it should have written."""

    def __init__(self, path, *, dies_after=None):
        super().__init__(str(path))
        self._left = dies_after

    def write(self, outputs):
        if self._left is not None and outputs:
            self._left -= 1
            if self._left < 0:
                super().write(outputs[: len(outputs) // 2])
                raise Killed
        super().write(outputs)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in.ndjson").write_bytes(b"\n".join(MESSAGES) + b"\n")
    return tmp_path


def test_a_run_releases_what_the_anonymizer_does_with_ids_that_count(folder):
    make_runner(folder).run()
    released = read_lines(folder / "out.ndjson")
    assert [record.pop("id") for record in released] == [str(i) for i in range(len(released))]
    assert released == EXPECTED


@pytest.mark.parametrize("seed", range(8))
def test_dying_anywhere_repeats_exactly(folder, seed):
    """Each start gets a little further; the file ends as if nobody had died."""
    random = np.random.default_rng(seed)
    for _ in range(60):
        source = FragileSource(folder / "in.ndjson", dies_after=int(random.integers(7, 120)))
        sink = FragileSink(folder / "out.ndjson", dies_after=int(random.integers(1, 40)))
        # Snapshots now and then: most deaths come long after the last one.
        runner = make_runner(folder, source=source, sink=sink, checkpoint_seconds=float(random.choice([0.0, 0.003])))
        try:
            runner.run()
            break
        except Killed:
            continue
    else:
        pytest.fail("never got through")
    assert [{k: v for k, v in record.items() if k != "id"} for record in read_lines(folder / "out.ndjson")] == EXPECTED


def test_a_reader_of_a_pipe_gets_each_record_once_by_its_id(folder):
    """What cannot be cut back is written again, with the same ids and the same content."""

    class Pipe(LinesSink):
        def __init__(self):
            super().__init__(str(folder / "pipe"))

        def open(self, place):
            self._file = (folder / "pipe").open("ab")

        def place(self):
            return None

    for dies_after in (50, 90, 150, 200, 300, None):
        source = FragileSource(folder / "in.ndjson", dies_after=dies_after)
        try:
            make_runner(folder, source=source, sink=Pipe(), checkpoint_seconds=0.002).run()
        except Killed:
            continue
    seen = {}
    lines = read_lines(folder / "pipe")
    for record in lines:
        assert seen.setdefault(record["id"], record) == record
    assert [{k: v for k, v in seen[str(i)].items() if k != "id"} for i in range(len(seen))] == EXPECTED


def test_the_committed_place_never_passes_the_oldest_record_in_the_buffer(folder):
    source = FragileSource(folder / "in.ndjson")
    runner = make_runner(folder, source=source)
    lane_place = []
    commit = source.commit

    def watch(places):
        commit(places)
        lane = runner._lanes[""]
        lane_place.append((places.get(""), lane.anonymizer.oldest, lane.anonymizer.arrived))

    source.commit = watch
    runner.run()
    starts = np.cumsum([0, *(len(message) + 1 for message in MESSAGES)])
    assert len(lane_place) > 20
    for place, oldest, arrived in lane_place:
        assert place is None or place[1] <= starts[oldest]
        if oldest == arrived > 0:
            assert place[1] == starts[arrived], "an empty buffer holds nothing back"


@pytest.mark.parametrize("finish", ["flush", "save"])
def test_stopping_flushes_or_saves(folder, finish):
    source = FragileSource(folder / "in.ndjson")
    runner = make_runner(folder, source=source, on_stop=finish)
    read = source.read
    source.read = lambda timeout: (
        runner.stop() if runner._lanes[""].anonymizer.arrived > 100 else None,
        read(timeout),
    )[1]
    runner.run()
    stats = runner._lanes[""].anonymizer.stats
    assert stats.arrived < 400
    assert (stats.buffered == 0) == (finish == "flush")
    assert len(read_lines(folder / "out.ndjson")) == stats.released
    make_runner(folder).run()
    released = read_lines(folder / "out.ndjson")
    assert sorted(record["row"] for record in released) == list(range(400))


def test_a_flush_that_was_asked_for_is_carried_out_after_a_death(folder):
    """Dying while flushing must not lead to other groups: part of the flush has left already."""
    runner = make_runner(folder, source=FragileSource(folder / "in.ndjson"), sink=FragileSink(folder / "out.ndjson"))
    read, sink, end = runner._source.read, runner._sink, runner._end
    runner._source.read = lambda timeout: (
        runner.stop() if runner._lanes[""].anonymizer.arrived > 200 else None,
        read(timeout),
    )[1]

    def dying(how):
        sink._left = 0
        end(how)

    runner._end = dying
    with pytest.raises(Killed):
        runner.run()
    partial = read_lines(folder / "out.ndjson")
    make_runner(folder).run()
    released = read_lines(folder / "out.ndjson")
    assert released[: len(partial)] == partial
    assert sorted(record["row"] for record in released) == list(range(400))


def test_saving_at_the_end_goes_on_with_the_next_file(folder):
    (folder / "in.ndjson").write_bytes(b"\n".join(MESSAGES[:250]) + b"\n")
    make_runner(folder, on_end="save").run()
    (folder / "in.ndjson").write_bytes(b"\n".join(MESSAGES) + b"\n")
    make_runner(folder).run()
    assert [{k: v for k, v in r.items() if k != "id"} for r in read_lines(folder / "out.ndjson")] == EXPECTED


GARBAGE = [
    (b"not json", "not valid JSON"),
    (b"\xff\xfe\x00", "not valid UTF-8"),
    (b'{"who": "x"}', "does not have 'age', 'area', 'row'"),
    (b'{"who":"a","age":"old","area":"n","row":1}', "'age' must be a number"),
    (b'{"who":"a","age":true,"area":"n","row":1}', "'age' must be a number"),
    (b'{"who":"a","age":1e301,"area":"n","row":1}', "'age' must be finite"),
    (b'{"who":"a","age":1e999,"area":"n","row":1}', "beyond what a double can hold"),
    (b'{"who":"a","age":1,"area":"n","row":1e999}', "beyond what a double can hold"),
    (b'{"who":"a","age":1,"area":"n","row":NaN}', "NaN or Infinity"),
    (b'{"who":"a","age":1,"age":2,"area":"n","row":1}', "names a key twice"),
    (b'{"who":{"name":"a"},"age":1,"area":"n","row":1}', "'who' must be one value"),
    (b'{"who":"a","age":1,"area":"n","row":"\\ud800"}', "not valid Unicode"),
    (b'{"who":"a","age":1,"area":"\x00","row":1}', "not valid JSON"),
    (b'{"who":null,"age":1,"area":"n","row":1}', "'who' has a missing"),
    (b'{"who":"a","age":1,"area":{"x":1},"row":1}', "'area' must be one value"),
    (b'{"who":"a","age":1,"area":"n","row":1,"more":2}', "does not declare: 1"),
    (b"[1,2,3]", "not an object"),
    (b'"' + b"x" * 20_000 + b'"', "longer than 10000 bytes"),
    (b'{"who":"a","age":1,"area":"\\ud800","row":1}', "not valid Unicode"),
]


def test_garbage_goes_to_the_dead_letters_and_counts_add_up(folder):
    random = np.random.default_rng(3)
    mixed = [(message, None) for message in MESSAGES] + [GARBAGE[i % len(GARBAGE)] for i in range(120)]
    order = random.permutation(len(mixed))
    # Good messages keep their order, so that the same groups come out.
    good = iter(MESSAGES)
    mixed = [(next(good), None) if mixed[i][1] is None else mixed[i] for i in order]
    (folder / "in.ndjson").write_bytes(b"\n".join(message for message, _ in mixed) + b"\n")
    runner = make_runner(folder)
    runner.run()
    letters = read_lines(folder / "dead.ndjson")
    reasons = [reason for _, reason in mixed if reason is not None]
    assert len(letters) == 120
    assert all(reason in letter["reason"] for letter, reason in zip(letters, reasons, strict=True))
    assert [{k: v for k, v in r.items() if k != "id"} for r in read_lines(folder / "out.ndjson")] == EXPECTED
    values = runner.metrics.update(now=True)
    assert (
        values["messages_total"]
        == 520
        == values["refused_total"]
        + values["released_total"]
        + sum(values["dropped_total"].values())
        + values["buffered"]
    )
    assert (folder / "dead.ndjson").stat().st_mode & 0o077 == 0


def test_without_dead_letters_the_first_bad_message_ends_the_run(folder):
    (folder / "in.ndjson").write_bytes(MESSAGES[0] + b"\nnonsense\n")
    runner = make_runner(folder)
    runner._dead = None
    with pytest.raises(DataError, match="name a dead-letter output"):
        runner.run()


def test_csv_in_and_out_keeps_untouched_text_and_one_header(folder):
    rows = [{**record, "row": f"{record['row']:05d}"} for record in make_records(200)]
    lines = ["who,age,area,row", *(",".join(map(str, row.values())) for row in rows)]
    (folder / "in.csv").write_text("\n".join(lines) + "\n")

    def run(**options):
        source = LinesSource([str(folder / "in.csv")], csv=True, limit=1000)
        options = RunOptions(state=folder, checkpoint_seconds=0.0, log_seconds=None, **options)
        sink = LinesSink(str(folder / "out.csv"))
        Runner(
            PLAN,
            Incoming(source, CsvMessages(lambda: source.names)),
            Outgoing(sink, CsvMessages(lambda: leaving_columns(PLAN))),
            options=options,
        ).run()

    run(on_end="save")
    run()
    released = (folder / "out.csv").read_text().splitlines()
    assert released[0] == "age,area,row"
    assert sorted(line.split(",")[2] for line in released[1:]) == [row["row"] for row in rows]


def test_ids_can_be_left_out(folder):
    make_runner(folder, id_field=None).run()
    assert "id" not in read_lines(folder / "out.ndjson")[0]
    assert json.loads(JsonMessages().encode(EXPECTED[0])) == read_lines(folder / "out.ndjson")[0]


def test_ids_do_not_vanish_behind_a_column(folder):
    with pytest.raises(PlanError, match="'age' is a column of the plan"):
        make_runner(folder, id_field="age")
