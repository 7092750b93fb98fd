"""A state goes on in the file that it was saved with: not in one that only begins as it did."""

from __future__ import annotations

import shutil

import pytest

from shoal.errors import DataError, OutputError
from shoal.stream.connect.input_files import Prefix
from shoal.stream.connect.line_sink import LinesSink
from shoal.stream.connect.line_source import LinesSource
from shoal.stream.connect.message_formats import CsvMessages, Incoming, Outgoing
from shoal.stream.connect.runner import Runner, RunOptions
from shoal.stream.engine.stream_encoder import leaving_columns
from stream.connect.messages import PLAN, make_messages, make_records, make_runner, read_lines, run_until_killed


def run(folder, **options):
    source = LinesSource([str(folder / "in.csv")], csv=True, limit=10_000)
    Runner(
        PLAN_OF_MANY,
        Incoming(source, CsvMessages(lambda: source.names)),
        Outgoing(LinesSink(str(folder / "out.csv")), CsvMessages(lambda: leaving_columns(PLAN_OF_MANY))),
        options=RunOptions(state=folder, checkpoint_seconds=0.0, log_seconds=None, **options),
    ).run()


MANY = [f"a column with a rather long name, number {i}" for i in range(60)]
PLAN_OF_MANY = PLAN.replace(attributes={**PLAN.to_dict()["attributes"], **{name: {"role": "other"} for name in MANY}})


def write_csv(path, records):
    names = ["who", "age", "area", "row", *MANY]
    lines = [",".join(f'"{name}"' for name in names)]
    lines += [",".join(str(record.get(name, "-")) for name in names) for record in records]
    path.write_text("\n".join(lines) + "\n")


def test_a_rotated_file_with_the_same_long_header_loses_no_record(tmp_path):
    """The first kilobytes of both files are the same: names of columns."""
    monday, tuesday = make_records(60, seed=1), make_records(90, seed=2)
    write_csv(tmp_path / "in.csv", monday)
    assert len((tmp_path / "in.csv").read_text().partition("\n")[0]) > 2000
    run(tmp_path, on_end="save")
    (tmp_path / "in.csv").rename(tmp_path / "in.csv.1")
    write_csv(tmp_path / "in.csv", tuesday)
    released = (tmp_path / "out.csv").read_bytes()
    with pytest.raises(DataError, match="is another file than the one that was read, or does not begin with what was"):
        run(tmp_path)
    assert (tmp_path / "out.csv").read_bytes() == released


def test_a_file_that_was_cut_and_filled_again_is_refused(tmp_path):
    """As by the way of rotating logs that copies a file and empties it: the inode is the same."""
    write_csv(tmp_path / "in.csv", make_records(60, seed=1))
    run(tmp_path, on_end="save")
    write_csv(tmp_path / "in.csv", make_records(90, seed=2))
    with pytest.raises(DataError, match="does not begin with what was read of it"):
        run(tmp_path)


def test_a_change_in_what_was_read_is_seen_wherever_it_is(tmp_path):
    messages = make_messages(100)
    (tmp_path / "in.ndjson").write_bytes(b"\n".join(messages) + b"\n")
    make_runner(tmp_path, on_end="save").run()
    content = bytearray((tmp_path / "in.ndjson").read_bytes())
    content[-10] ^= 1
    (tmp_path / "in.ndjson").write_bytes(content + b"\n".join(messages) + b"\n")
    with pytest.raises(DataError, match="does not begin with what was read of it"):
        make_runner(tmp_path).run()


def test_a_copy_is_another_file(tmp_path):
    (tmp_path / "in.ndjson").write_bytes(b"\n".join(make_messages(100)) + b"\n")
    make_runner(tmp_path, on_end="save").run()
    shutil.copy(tmp_path / "in.ndjson", tmp_path / "copy")
    (tmp_path / "copy").replace(tmp_path / "in.ndjson")
    with pytest.raises(DataError, match="is another file"):
        make_runner(tmp_path).run()


def test_a_file_that_grew_and_one_that_was_moved_away_and_back_are_gone_on_with(tmp_path):
    messages = make_messages(200)
    (tmp_path / "in.ndjson").write_bytes(b"\n".join(messages[:80]) + b"\n")
    make_runner(tmp_path, on_end="save").run()
    (tmp_path / "in.ndjson").rename(tmp_path / "away")
    (tmp_path / "away").rename(tmp_path / "in.ndjson")
    with (tmp_path / "in.ndjson").open("ab") as file:
        file.write(b"\n".join(messages[80:]) + b"\n")
    make_runner(tmp_path).run()
    assert len(read_lines(tmp_path / "out.ndjson")) == 200


@pytest.mark.parametrize("how", ["rewritten", "changed", "replaced"])
def test_an_output_that_holds_something_else_is_not_appended_to(tmp_path, how):
    messages = make_messages(200)
    (tmp_path / "in.ndjson").write_bytes(b"\n".join(messages[:120]) + b"\n")
    make_runner(tmp_path, on_end="save").run()
    out = tmp_path / "out.ndjson"
    before = out.read_bytes()
    other = {"rewritten": b"x" * 2 * len(before), "changed": before.replace(b"1", b"2", 1), "replaced": before}[how]
    if how == "replaced":  # both are there at once, so that they are two files for certain
        (tmp_path / "another").write_bytes(other)
        (tmp_path / "another").replace(out)
    else:
        out.write_bytes(other)
    with (tmp_path / "in.ndjson").open("ab") as file:
        file.write(b"\n".join(messages[120:]) + b"\n")
    with pytest.raises(OutputError, match="is another file than the one the state goes on with, or holds"):
        make_runner(tmp_path).run()
    assert out.read_bytes() == other


def test_a_crash_after_the_last_snapshot_is_cut_back(tmp_path):
    messages = make_messages(200)
    (tmp_path / "in.ndjson").write_bytes(b"\n".join(messages[:120]) + b"\n")
    make_runner(tmp_path, on_end="save").run()
    before = (tmp_path / "out.ndjson").read_bytes()
    with (tmp_path / "in.ndjson").open("ab") as file:
        file.write(b"\n".join(messages[120:]) + b"\n")
    run_until_killed(make_runner(tmp_path, checkpoint_seconds=60.0))
    assert len((tmp_path / "out.ndjson").read_bytes()) > len(before)
    make_runner(tmp_path).run()
    released = read_lines(tmp_path / "out.ndjson")
    assert [record["id"] for record in released] == [str(i) for i in range(200)]


def test_a_prefix_is_known_by_all_of_it(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abc" * 1000)
    with path.open("rb") as file:
        one, two = Prefix(7), Prefix(7)
        two.add(b"abc" * 500)
        assert one.grown_to(file.fileno(), 3000) == two.grown_to(file.fileno(), 3000)
        assert one.grown_to(file.fileno(), 10)[1] == 3000
        assert Prefix(7).grown_to(file.fileno(), 5000)[1] == 3000
        assert Prefix(8).grown_to(file.fileno(), 3000) != one.grown_to(file.fileno(), 3000)
