"""Every mistake: one clear sentence, the right exit code, nothing written."""

import resource
import shutil
from pathlib import Path

import polars as pl
import pytest

RUN = ("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv")


def assert_refused(folder, done, code, words, before):
    text = done.stderr.decode()
    assert done.returncode == code, text
    assert done.stdout == b""
    for word in words:
        assert word in text, f"{word!r} is not in: {text}"
    assert "Traceback" not in text
    assert text.startswith("error: ")
    assert len(text.strip().splitlines()) == 1
    assert folder.names() == before, "something was written"
    assert "person-" not in text


def edit_csv(folder, edit):
    path = folder.path / "data.csv"
    lines = path.read_text().splitlines()
    path.write_bytes(edit(lines))


def with_cell(row, column, value):
    def edit(lines):
        cells = lines[row].split(",")
        cells[column] = value
        return "\n".join([*lines[:row], ",".join(cells), *lines[row + 1 :]]).encode() + b"\n"

    return edit


DATA_MISTAKES = {
    "undeclared column": (lambda lines: "\n".join(f"{line},x" for line in lines).encode(), ["'x'", "declare"]),
    "absent column": (
        lambda lines: "\n".join(line.rpartition(",")[0] for line in lines).encode(),
        ["'ward'", "does not have"],
    ),
    "missing value": (with_cell(3, 1, ""), ["'age'", "1 missing", "row 3"]),
    "infinity": (with_cell(3, 1, "inf"), ["'age'"]),
    "category outside the order": (with_cell(5, 2, "enormous"), ["'grade'", "order", "row 5"]),
    "text in a numeric column": (with_cell(7, 1, "young"), ["'age'", "numeric", "line 8"]),
    "text in a date column": (with_cell(7, 4, "yesterday"), ["'seen'", "date", "line 8"]),
    "duplicate column names": (
        lambda lines: "\n".join([lines[0].replace("ward", "age"), *lines[1:]]).encode(),
        ["columns 2 and 7", "header"],
    ),
    # The first record stands where names do: nothing of it is shown.
    "no header": (lambda lines: "\n".join(lines[1:]).encode(), ["none of the 7 columns", "header"]),
    "no header, equal cells": (
        lambda lines: "\n".join([f"{line},person-0" for line in lines[1:]]).encode(),
        ["columns 1 and 8", "header"],
    ),
    "empty file": (lambda lines: b"", ["data.csv", "empty"]),
    "header only": (lambda lines: lines[0].encode() + b"\n", ["data.csv"]),
    "ragged line": (lambda lines: "\n".join([*lines[:4], lines[4] + ",more", *lines[5:]]).encode(), ["line 5"]),
    "fewer records than k": (lambda lines: "\n".join(lines[:4]).encode(), ["k is 4", "3 records"]),
    "zero bytes": (lambda lines: "\n".join(lines).encode().replace(b"Osona", b"Os\x00na"), ["line"]),
}


@pytest.mark.parametrize("mistake", DATA_MISTAKES)
def test_wrong_data(folder, mistake):
    edit, words = DATA_MISTAKES[mistake]
    edit_csv(folder, edit)
    before = folder.names()
    done = folder.shoal(*RUN)
    assert_refused(folder, done, 2, words, before)
    assert not any(value in done.stderr for value in (b"enormous", b"young", b"yesterday"))


PLAN_MISTAKES = {
    "k below two": ("k = 4", "k = 1", ["k", "2", "1"]),
    "unknown key": ("k = 4", "k = 4\nmetod = 'mdav'", ["metod", "did you mean 'method'"]),
    "unknown key of a column": (
        '{ role = "other" }',
        '{ rol = "other" }',
        ["attributes.ward.rol", "did you mean 'role'"],
    ),
    "unknown role": ('role = "other"', 'role = "public"', ["attributes.ward.role", "identifier"]),
    "undecided role": ('role = "other"', 'role = "?"', ["attributes.ward.role", "undecided"]),
    "no quasi-identifier": ("quasi_identifier", "confidential", ["at least one quasi_identifier"]),
    "not TOML": ("k = 4", "k = ", ["TOML", "line 2"]),
    "by an unknown column": ("k = 4", "k = 4\nby = 'wardd'", ["by", "did you mean 'ward'"]),
}


@pytest.mark.parametrize("mistake", PLAN_MISTAKES)
def test_wrong_plan(folder, mistake):
    old, new, words = PLAN_MISTAKES[mistake]
    text = (folder.path / "plan.toml").read_text()
    assert old in text
    folder.write_plan(text.replace(old, new))
    before = folder.names()
    assert_refused(folder, folder.shoal(*RUN), 2, words, before)


FILE_MISTAKES = {
    "no such data": (["anonymize", "none.csv", "--plan", "plan.toml", "-o", "out.csv"], ["none.csv", "no such file"]),
    "no such plan": (["anonymize", "data.csv", "--plan", "none.toml", "-o", "out.csv"], ["none.toml", "shoal init"]),
    "a folder": (["anonymize", ".", "--plan", "plan.toml", "--format", "csv", "-o", "out.csv"], ["folder"]),
    "output is the input": (["anonymize", "data.csv", "--plan", "plan.toml", "-o", "data.csv"], ["data.csv", "input"]),
    "output is the plan": (["anonymize", "data.csv", "--plan", "plan.toml", "-o", "plan.toml"], ["plan.toml"]),
    "output is the plan by a data name": (
        ["anonymize", "data.csv", "--plan", "plan.csv", "-o", "plan.csv"],
        ["plan.csv", "input"],
    ),
    "manifest is the data": (
        ["anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--manifest", "data.csv"],
        ["data.csv", "input"],
    ),
    "output in no folder": (
        ["anonymize", "data.csv", "--plan", "plan.toml", "-o", "no/out.csv"],
        ["no/out.csv", "folder"],
    ),
    "unknown extension": (["anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.xyz"], ["xyz"]),
    "k above n": (
        ["anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--k", "61"],
        ["k is 61", "60 records"],
    ),
    "json and data on stdout": (["anonymize", "data.csv", "--plan", "plan.toml", "--json"], ["--json", "--output"]),
    "delimiter of a file that has none": (
        ["anonymize", "data.parquet", "--plan", "plan.toml", "-o", "out.csv", "--delimiter", ";"],
        ["--delimiter", "CSV", "data.parquet"],
    ),
    "bytes for a missing value": (
        ["anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--missing-value", "\udcff"],
        ["--missing-value", "UTF-8"],
    ),
    "bytes for an id": (
        ["stream", "--plan", "plan.toml", "-i", "data.csv", "-o", "out.csv", "--id-field", "\udcff"],
        ["--id-field", "UTF-8"],
    ),
    "the end of a file": (
        ["stream", "--plan", "plan.toml", "-i", "data.csv", "-o", "out.csv", "--from", "latest"],
        ["--from latest", "topics"],
    ),
    "a path of thousands": (
        ["anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--set", f"a{'.a' * 3000}=1"],
        ["a is an unknown key"],
    ),
    "set without a value": (["anonymize", "data.csv", "--plan", "plan.toml", "--set", "k"], ["PATH=VALUE"]),
}


@pytest.mark.parametrize("mistake", FILE_MISTAKES)
def test_wrong_files_and_options(folder, mistake):
    arguments, words = FILE_MISTAKES[mistake]
    shutil.copy(folder.path / "plan.toml", folder.path / "plan.csv")
    pl.read_csv(folder.path / "data.csv").write_parquet(folder.path / "data.parquet")
    before = folder.names()
    content = {name: (folder.path / name).read_bytes() for name in before}
    assert_refused(folder, folder.shoal(*arguments), 2, words, before)
    assert {name: (folder.path / name).read_bytes() for name in before} == content


def test_a_system_that_takes_no_temporary_file(folder):
    """As one whose disks are full: what only reads needs none."""
    limit = (resource.RLIMIT_FSIZE, (0, 0))
    done = folder.process("check", "data.csv", "--plan", "plan.toml", preexec_fn=lambda: resource.setrlimit(*limit))
    assert done.returncode == 0, done.stderr
    assert b"Nothing is wrong" in done.stdout


@pytest.mark.parametrize(("output", "word"), [("no/out.csv", "folder"), ("out.xyz", "xyz"), ("data.csv", "input")])
def test_what_cannot_be_written_is_said_before_the_work(folder, output, word):
    before = folder.names()
    # The guarantee fails too, but only after the records are grouped.
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", output, "--by", "ward", "--k", "9")
    assert_refused(folder, done, 2, [word], before)


def test_a_guarantee_that_cannot_be_met_has_its_own_exit_code(folder):
    before = folder.names()
    done = folder.shoal(*RUN, "--by", "ward", "--k", "9")
    assert_refused(folder, done, 3, ["by = 'ward'", "fewer than k = 9"], before)


def test_a_truncated_parquet(folder):
    pl.read_csv(folder.path / "data.csv", try_parse_dates=True).write_parquet(folder.path / "data.parquet")
    whole = (folder.path / "data.parquet").read_bytes()
    (folder.path / "data.parquet").write_bytes(whole[: len(whole) // 2])
    before = folder.names()
    done = folder.shoal("anonymize", "data.parquet", "--plan", "plan.toml", "-o", "out.parquet")
    assert_refused(folder, done, 2, ["data.parquet", "truncated"], before)


def test_a_byte_order_mark_and_mixed_line_ends_are_no_mistakes(folder):
    plain = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml").stdout
    lines = (folder.path / "data.csv").read_text().splitlines()
    mixed = "".join(line + ("\r\n" if i % 2 else "\n") for i, line in enumerate(lines))
    (folder.path / "data.csv").write_bytes(b"\xef\xbb\xbf" + mixed.encode())
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml")
    assert done.returncode == 0, done.stderr
    assert done.stdout.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n") == plain


def test_a_line_of_megabytes(folder):
    edit_csv(folder, with_cell(3, 6, "w" * 5_000_000))
    assert folder.shoal(*RUN).returncode == 0, "a long cell is no mistake"
    assert b"w" * 5_000_000 in (folder.path / "out.csv").read_bytes()
    edit_csv(folder, with_cell(3, 1, "9" * 5_000_000 + "x"))
    (folder.path / "out.csv").unlink()
    (folder.path / "out.manifest.json").unlink()
    assert_refused(folder, folder.shoal(*RUN), 2, ["'age'", "numeric", "line 4"], folder.names())


def test_a_full_disk(folder):
    before = folder.names()

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    done = folder.process(*RUN, preexec_fn=small_files)
    assert_refused(folder, done, 2, ["out.csv", "cannot be written"], before)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full, a disk that is always full")
def test_a_full_device(folder):
    before = folder.names()
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "/dev/full")
    assert_refused(folder, done, 2, ["/dev/full", "full"], before)


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="needs a folder where even root may not write")
def test_no_permission_to_write(folder):
    before = folder.names()
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "/sys/kernel/out.csv")
    assert_refused(folder, done, 2, ["/sys/kernel/out.csv", "permission"], before)
