"""The runner of the fuzzers finds what kills or hangs a process, and the judges find what is wrong."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command import shoal
from fuzz import moved_originals, overwrites, runner, stream_runs, streams, tables
from fuzz.judging import Found, through_command_line
from fuzz.targets import TARGETS
from shoal.files.outputs import Outputs
from shoal.stream.connect.known_files import KnownFiles
from shoal.stream.connect.line_source import LinesSource


def crashing(seed: int) -> Found:
    """A target whose third seed kills the process, and whose fifth is wrong."""
    if seed == 3:
        os.abort()
    return Found("wrong" if seed == 5 else "", taken=seed % 2 == 0)


def test_a_crash_is_found_and_the_other_seeds_are_tried():
    batch = runner.in_a_process("fuzz.test_runner:crashing", 1, 6)
    assert (batch.done, batch.taken) == (6, 3)
    assert batch.troubles == {3: "the process ended here, exit code -6", 5: "wrong"}


def test_a_case_without_end_is_found(monkeypatch):
    monkeypatch.setattr(runner, "LONGEST", 3.0)
    batch = runner.in_a_process("fuzz.test_runner:endless", 0, 1)
    assert batch.troubles == {0: "the process ended here, exit code none within 3 seconds"}


def endless(seed: int) -> Found:
    """A target that never comes back."""
    while True:
        pass


def test_the_command_says_what_it_did():
    words = [sys.executable, "-m", "fuzz", "streams", "--count", "3", "--seed", "5"]
    done = subprocess.run(words, cwd=runner.TESTS, capture_output=True, text=True, check=True)
    assert "streams: 3 tried, 3 taken, 0 refused" in done.stdout
    assert "0 in trouble" in done.stdout


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"k": 300}, "a class of"),
        ({"t": 0.0}, "from the table"),
        ({"diversity": ("distinct", 9)}, "a class has distinct"),
    ],
)
def test_the_judge_of_tables_sees_what_is_missed(change, words, tmp_path):
    case = next(case for case in map(tables.make, range(100)) if case.t and len(case.table) > 30)
    release(tmp_path, {"data.csv": case.csv, "plan.toml": case.plan.encode()}, TABLE)
    assert tables.judge(case, tmp_path) == []
    assert words in str(tables.judge(dataclasses.replace(case, **change), tmp_path))


def test_the_judge_of_tables_sees_a_changed_cell(tmp_path):
    case = next(case for case in map(tables.make, range(100)) if not case.permuted and len(case.table) > 30)
    release(tmp_path, {"data.csv": case.csv, "plan.toml": case.plan.encode()}, TABLE)
    written = (tmp_path / "out.csv").read_text().splitlines()
    cells = written[1].split(",")
    cells[-2 if case.by else -1] = "changed"
    (tmp_path / "out.csv").write_text("\n".join([written[0], ",".join(cells), *written[2:]]))
    assert "ill changed" in tables.judge(case, tmp_path)


@pytest.mark.parametrize("change", [{"k": 40}, {"max_delay": 0}, {"t": 0.0}])
def test_the_judge_of_streams_sees_what_is_missed(change, tmp_path):
    case = next(case for case in map(streams.make, range(100)) if case.t and len(case.records) > 30)
    arguments, inputs = streams.command_of(case)
    release(tmp_path, inputs, arguments)
    assert streams.judge(case, tmp_path) == []
    assert streams.judge(dataclasses.replace(case, **change), tmp_path) != []


@pytest.mark.parametrize(
    ("owner", "name", "words"),
    [
        (KnownFiles, "assign", "left twice"),
        (KnownFiles, "_refuse_unread", "would lose or repeat records was not refused"),
        (LinesSource, "_must_wait", "refused for no reason"),
    ],
)
def test_the_judge_of_runs_sees_what_leaves_twice_or_never(monkeypatch, owner, name, words):
    monkeypatch.setattr(owner, name, lambda self, given: given if name == "assign" else None)
    assert any(words in stream_runs.trouble(seed).wrong for seed in range(40))


TABLE = ("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--row-map", "rows.csv")


def release(folder: Path, inputs, arguments):
    for name, content in inputs.items():
        (folder / name).write_bytes(content)
    assert shoal(*arguments, cwd=folder).returncode == 0


def test_a_refusal_in_other_words_is_trouble():
    found = through_command_line(9, {}, ("check", "nothing.csv"), lambda folder: [], allowed=("never said",))
    assert found.wrong.startswith("seed 9: refused in other words")
    assert not found.taken


def test_the_judge_of_originals_sees_an_edition_that_tells_them_apart():
    found = [moved_originals.trouble(seed, edition="internal") for seed in range(10)]
    assert all("differs" in wrong for wrong, taken in found if taken)
    assert any(taken for _, taken in found)


def test_the_judge_of_overwrites_sees_what_is_written_over(monkeypatch):
    monkeypatch.setattr(Outputs, "_refuse", lambda self, place, target: None)
    found = [overwrites.trouble(seed).wrong for seed in range(30)]
    assert any("was changed" in wrong for wrong in found)
    assert any("was read or written already" in wrong for wrong in found)


def test_every_target_can_be_found():
    assert all(callable(runner.target(place)) for place in TARGETS.values())
