"""Files that were read are known by what they are: nothing is read twice or left out, whatever they are called."""

from __future__ import annotations

import os
import sys

import pytest

from shoal.errors import DataError, OutputError, PlanError
from shoal.stream.connect.known_files import KnownFiles
from shoal.stream.connect.line_source import LinesSource
from stream.connect.messages import expected_records, make_messages, make_runner, read_lines

MESSAGES = make_messages(120)
PARTS = [MESSAGES[:40], MESSAGES[40:80], MESSAGES[80:]]


def write(path, messages, mode="wb"):
    with path.open(mode) as file:
        file.write(b"".join(message + b"\n" for message in messages))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a", PARTS[0])
    write(tmp_path / "b", PARTS[1])
    return tmp_path


def run(folder, *names, on_end="save", **options):
    source = LinesSource(names, csv=False, limit=10_000, waits=on_end == "save")
    make_runner(folder, source=source, on_end=on_end, **{"state": folder / "state", "id_field": None, **options}).run()


def stop_in(folder, *names, after):
    """Run until so many messages of the last file came, and save."""
    source = LinesSource(names, csv=False, limit=10_000, waits=True)
    runner = make_runner(folder, source=source, on_stop="save", state=folder / "state", id_field=None)
    read = source.read

    def reading(timeout):
        runner._stopping = runner._lanes[""].anonymizer.arrived >= after
        return read(timeout)

    source.read = reading
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.stream.connect.line_source._CHUNK", 60)
        runner.run()


def released(folder):
    return sorted(record["row"] for record in read_lines(folder / "out.ndjson"))


@pytest.fixture(autouse=True)
def state(folder):
    (folder / "state").mkdir()


@pytest.mark.parametrize("name", ["./a", "sub/../a", "hard", "soft", "moved"])
def test_a_file_is_gone_on_with_whatever_it_is_called(folder, name):
    """As after a rotation of logs: by its name alone all its records would leave twice."""
    run(folder, "a")
    (folder / "sub").mkdir()
    os.link("a", "hard")
    (folder / "soft").symlink_to("a")
    if name == "moved":
        (folder / "a").rename("moved")
    write(folder / name, PARTS[1], "ab")
    run(folder, name, on_end="flush")
    assert read_lines(folder / "out.ndjson") == expected_records(MESSAGES[:80])


@pytest.mark.parametrize("name", ["a", "./a", "hard", "soft"])
def test_a_file_is_read_once_in_a_run(folder, name):
    os.link("a", "hard")
    (folder / "soft").symlink_to("a")
    with pytest.raises(PlanError, match=r"named twice among the inputs(, before as a)?: name it once"):
        run(folder, "a", "b", name)
    assert not (folder / "out.ndjson").exists()


def test_every_file_is_gone_on_with_wherever_it_stands(folder):
    """What was added to the first of two files was never read, and a file before the known one neither."""
    run(folder, "a", "b")
    write(folder / "a", PARTS[2][:20], "ab")
    run(folder, "a", "b")
    write(folder / "c", PARTS[2][20:])
    run(folder, "c", "b", "a", on_end="flush")
    assert released(folder) == list(range(120))


@pytest.mark.parametrize("names", [("b", "a"), ("a", "b")])
def test_the_file_where_it_stopped_comes_first(folder, names):
    """So that what was released after the last snapshot is released again as it was."""
    stop_in(folder, "a", after=10)
    run(folder, *names, on_end="flush")
    assert read_lines(folder / "out.ndjson") == expected_records(MESSAGES[:80])


def test_a_file_that_ended_may_go_though_a_run_began_with_it(folder, monkeypatch):
    """The state as that run began is what is left of it: what had ended has not been begun anew."""
    monkeypatch.setattr("shoal.stream.connect.line_source._CHUNK", 60)
    run(folder, "a")
    write(folder / "b", [*PARTS[1], b"no record"])
    source = LinesSource(["a", "b"], csv=False, limit=10_000, waits=True)
    late = {"checkpoint_seconds": 60.0}
    strict = make_runner(folder, source=source, on_end="save", state=folder / "state", id_field=None, **late)
    strict._dead = None
    with pytest.raises(DataError, match="not valid JSON"):
        strict.run()
    (folder / "a").unlink()
    write(folder / "b", PARTS[1])
    run(folder, "b", on_end="flush")
    assert read_lines(folder / "out.ndjson") == expected_records(MESSAGES[:80])


def test_half_a_line_after_the_end_is_not_forgotten(folder):
    """A run saw that the file went on: the next one may not go on without it."""
    run(folder, "a")
    with (folder / "a").open("ab") as file:
        file.write(PARTS[2][0][:-5])
    run(folder, "a")
    (folder / "a").rename("a.1")
    with pytest.raises(DataError, match="the state stopped in the middle of"):
        run(folder, "b")


def test_what_others_wrote_into_an_output_is_not_cut_off(folder):
    run(folder, "a")
    before = (folder / "out.ndjson").read_bytes()
    (folder / "out.ndjson").write_bytes(before + b"of somebody else\n")
    write(folder / "a", PARTS[1], "ab")
    with pytest.raises(
        OutputError, match=f"holds more than this stream wrote to it: take that out after byte {len(before)}"
    ):
        run(folder, "a")
    assert (folder / "out.ndjson").read_bytes() == before + b"of somebody else\n"
    (folder / "out.ndjson").write_bytes(before)
    run(folder, "a", on_end="flush")
    assert read_lines(folder / "out.ndjson") == expected_records(MESSAGES[:80])


def test_a_rotated_file_and_its_successor_are_told_apart(folder):
    run(folder, "a")
    write(folder / "a", PARTS[1][:5], "ab")
    (folder / "a").rename("a.1")
    write(folder / "a", PARTS[1][5:])
    with pytest.raises(DataError, match="name it, too, as it is called now"):
        run(folder, "a")
    run(folder, "a.1", "a", on_end="flush")
    assert read_lines(folder / "out.ndjson") == expected_records(MESSAGES[:80])


@pytest.mark.parametrize("how", ["another", "filled again"])
def test_a_first_file_that_was_replaced_is_seen(folder, how):
    run(folder, "a", "b")
    before = (folder / "out.ndjson").read_bytes()
    if how == "another":
        write(folder / "new", PARTS[2])
        (folder / "new").replace("a")
    else:
        write(folder / "a", PARTS[2])
    with pytest.raises(DataError, match="a is another file than the one that was read, or does not begin with what"):
        run(folder, "a", "b")
    assert (folder / "out.ndjson").read_bytes() == before


@pytest.mark.parametrize("gone", ["renamed", "deleted", "replaced"])
def test_a_file_that_was_left_in_the_middle_is_not_left_out(folder, gone):
    """That it is gone does not mean that nothing is left in it."""
    stop_in(folder, "a", after=10)
    if gone == "deleted":
        (folder / "a").unlink()
    else:
        (folder / "a").rename("elsewhere")
    if gone == "replaced":
        write(folder / "a", PARTS[2])
    before = (folder / "out.ndjson").read_bytes()
    with pytest.raises(DataError, match=r"the state stopped in the middle of .*/a, which is not among the inputs"):
        run(folder, "b")
    assert (folder / "out.ndjson").read_bytes() == before
    if gone == "renamed":
        run(folder, "b", "elsewhere", on_end="flush")
        assert released(folder) == list(range(80))


def test_a_file_that_grew_is_not_left_out_and_one_that_is_finished_may_go(folder):
    run(folder, "a")
    write(folder / "c", [b"", b" "])
    with (folder / "a").open("ab") as file:
        file.write(b"\n \n")
    run(folder, "c")
    write(folder / "a", PARTS[2], "ab")
    with pytest.raises(DataError, match="/a has more than what was read of it, and is not among the inputs"):
        run(folder, "b")
    run(folder, "b", "a")
    (folder / "a").unlink()
    (folder / "b").rename("archived")
    write(folder / "d", make_messages(130)[120:])
    run(folder, "d", on_end="flush")
    assert released(folder) == list(range(130))


def test_a_file_that_has_the_inode_of_one_that_is_gone_is_another(folder):
    """File systems give the number of a deleted file to the next one."""
    run(folder, "a")
    with (folder / "a").open("r+b") as file:  # the same inode for certain
        file.truncate()
        file.write(b"".join(message + b"\n" for message in PARTS[1]))
    (folder / "a").rename("monday")
    run(folder, "monday", on_end="flush")
    assert released(folder) == list(range(80))


def test_a_copy_is_not_released_a_second_time(folder):
    """Also one that went on: an export that begins with all of the last one."""
    run(folder, "a")
    before = (folder / "out.ndjson").read_bytes()
    for more in ([], PARTS[1]):
        write(folder / "copy", PARTS[0] + more)
        with pytest.raises(DataError, match=r"copy begins with everything that was read of .*/a, and is another file"):
            run(folder, "a", "copy")
    assert (folder / "out.ndjson").read_bytes() == before
    write(folder / "other", PARTS[0][:-1] + PARTS[1])
    run(folder, "other")


def test_what_came_by_standard_input_is_gone_on_with_by_its_name(folder, monkeypatch):
    with (folder / "a").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        run(folder, "-")
        with pytest.raises(PlanError, match="a is named twice among the inputs, before as standard input"):
            run(folder, "-", "a")
    write(folder / "a", PARTS[1], "ab")
    (folder / "a").rename("moved")
    run(folder, "moved", on_end="flush")
    assert read_lines(folder / "out.ndjson") == expected_records(MESSAGES[:80])


def test_all_inputs_are_looked_at_before_anything_is_done(folder):
    (folder / "sub").mkdir()
    for name in ("missing", "sub", "a/b"):
        with pytest.raises(DataError, match=f"{name} cannot be read"):
            run(folder, "a", name)
    assert {path.name for path in folder.iterdir()} == {"a", "b", "sub", "state"}


def test_a_file_that_is_replaced_while_others_are_read_is_refused(folder):
    source = LinesSource(["a", "b"], csv=False, limit=10_000)
    source.open({})
    assert len(source.read(0.1)) == 40
    write(folder / "new", PARTS[2])
    (folder / "new").replace("b")
    with pytest.raises(DataError, match="b was replaced by another file after the run began"):
        source.read(0.1)
    source.close()


def test_a_state_of_before_is_refused(folder):
    run(folder, "a")
    source = LinesSource(["a"], csv=False, limit=10_000)
    known = {"what": "lines", "files": {"a": [1, 2, "3"]}}
    with pytest.raises(DataError, match="of another version of shoal: finish the stream with that one"):
        source.open({"": ["a", 2, 0]}, known)


KNOWN = ["a", 1, 2, "3", True]


@pytest.mark.parametrize(
    ("files", "place"),
    [
        (None, None),
        ([1], None),
        ([[*KNOWN, 1]], None),
        ([[*KNOWN[:4], 1]], None),
        ([["a", 1, -2, "3", True]], None),
        ([KNOWN], 3),
        ([KNOWN], ["a", 1]),
        ([KNOWN], ["a", -1, 0]),
        ([KNOWN], ["a", 1, 1]),
        ([KNOWN], ["a", 1, -1]),
        ([KNOWN], ["a", 1.0, 0]),
        ([], ["a", 1, 0]),
    ],
)
def test_what_is_no_state_of_files_is_refused(files, place):
    with pytest.raises(DataError, match="start anew without the state"):
        KnownFiles.load(files, place)
