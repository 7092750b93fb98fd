"""What an adversary, or an accident, may hand to a command: one sentence and exit code 2, never a mistake of shoal."""

import decimal
import os
import unicodedata
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.test_errors import RUN, assert_refused
from shoal.plan import Plan

LONG = "x" * 300
"""No file has so long a name."""
PLAN_OF_DATES = """
k = 4
[attributes]
day = {{ role = "{role}"{kind} }}
age = {{ role = "quasi_identifier", kind = "numeric" }}
ill = {{ role = "confidential", kind = "nominal" }}
"""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "."], ["is a folder"]),
        (["-o", ".."], ["is a folder"]),
        (["-o", ""], ["name of an output", "empty"]),
        (["-o", "loop.csv"], ["loop.csv", "symbolic links"]),
        (["-o", "out.csv", "--manifest", "loop.csv"], ["loop.csv", "symbolic links"]),
        (["-o", "out.csv", "--manifest", ""], ["name of an output", "empty"]),
        (["-o", "out.csv", "--encoding", "base64"], ["encoding 'base64'"]),
        (["-o", "out.csv", "--encoding", "rot13"], ["encoding 'rot13'"]),
        (["-o", "out.csv", "--encoding", "undefined"], ["encoding 'undefined'"]),
        (["-o", "out.csv", "--encoding", "idna"], ["encoding 'idna'"]),
        (["-o", "out.csv", "--encoding", "punycode"], ["encoding 'punycode'"]),
    ],
)
def test_names_and_encodings_that_are_none(folder, arguments, words):
    (folder.path / "loop.csv").symlink_to("loop.csv")
    before = folder.names()
    assert_refused(folder, folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", *arguments), 2, words, before)


@pytest.mark.parametrize("option", ["-i", "-o"])
def test_a_stream_through_a_loop_of_links(folder, option):
    (folder.path / "loop.csv").symlink_to("loop.csv")
    before = folder.names()
    places = {"-i": "data.csv", "-o": "out.csv"} | {option: "loop.csv"}
    done = folder.shoal("stream", "--plan", "plan.toml", "-q", *(word for pair in places.items() for word in pair))
    assert_refused(folder, done, 2, ["loop.csv", "symbolic links"], before)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["stream", "--plan", "plan.toml", "-i", "data.csv", "-o", ""], ["name of an input or output is empty"]),
        (["stream", "--plan", "plan.toml", "-i", "", "-o", "out.csv"], ["name of an input or output is empty"]),
        (["init", "data.csv", "-o", ""], ["name of an output is empty"]),
        (["compare", "data.csv", "--plan", "plan.toml", "--try-k", "3", "-o", ""], ["name of the folder is empty"]),
        (["verify", "data.csv", "--plan", "loop"], ["the plan 'loop' cannot be read", "symbolic links"]),
        (["verify", ".", "--plan", "plan.toml"], ["cannot read ."]),
        (["verify", "data.csv", "--plan", "plan.toml", "--signature", "loop"], ["loop", "symbolic links"]),
        (["init", "data.csv", "-o", LONG], [LONG[:100], "cannot be written"]),
        (["compare", "data.csv", "--plan", "plan.toml", "--try-k", "3", "-o", LONG], [LONG[:100], "cannot be made"]),
        (["stream", "--plan", "plan.toml", "-q", "-i", "data.csv", "-o", LONG], [LONG[:100], "cannot be written"]),
        (["app", LONG, "--no-open"], [LONG[:100], "cannot be read"]),
        (["anonymize", "data.csv", "--plan", "plan.toml", "-o", f"{LONG}.csv"], [LONG[:100], "the name is too long"]),
        (["check", f"{LONG}.csv", "--plan", "plan.toml"], [LONG[:100], "cannot be read"]),
        (["verify", LONG, "--plan", "plan.toml"], [LONG[:100], "cannot read"]),
        (["verify", "data.csv", "--plan", LONG], [LONG[:100], "cannot be read"]),
    ],
)
def test_names_of_other_commands(folder, arguments, words):
    (folder.path / "loop").symlink_to("loop")
    before = folder.names()
    assert_refused(folder, folder.shoal(*arguments), 2, words, before)


@pytest.mark.parametrize("command", ["anonymize", "check", "init"])
def test_a_standard_input_that_is_closed(folder, command):
    before = folder.names()
    plan = [] if command == "init" else ["--plan", "plan.toml"]
    done = folder.process(command, "-", *plan, preexec_fn=lambda: os.close(0))
    assert_refused(folder, done, 2, ["standard input", "closed"], before)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30, 10**400])
@pytest.mark.parametrize("path", ["k", "seed", "diversity.distinct", "closeness.n", "stream.max_delay"])
def test_numbers_beyond_64_bits_in_a_plan(folder, path, number):
    before = folder.names()
    for command in (RUN, ("check", "data.csv", "--plan", "plan.toml")):
        assert_refused(folder, folder.shoal(*command, "--set", f"{path}={number}"), 2, [path, "64 bits"], before)


@pytest.mark.parametrize("path", ["stream.max_delay", "stream.sweeps"])
def test_numbers_beyond_64_bits_in_a_stream(folder, path):
    before = folder.names()
    run = ("stream", "--plan", "plan.toml", "-i", "data.csv", "-o", "out.csv", "-q", "--set", f"{path}={2**63}")
    assert_refused(folder, folder.shoal(*run), 2, [path, "64 bits"], before)


@pytest.mark.parametrize("delay", [2**40, 2**63 - 1])
def test_a_delay_that_no_memory_holds(folder, delay):
    before = folder.names()
    run = ("stream", "--plan", "plan.toml", "-i", "data.csv", "-o", "out.csv", "-q", "--max-delay", delay)
    assert_refused(folder, folder.shoal(*run), 2, ["max_delay", "memory"], before)


def test_a_number_of_more_digits_than_python_reads(folder):
    before = folder.names()
    folder.write_plan("k = " + "9" * 5000 + "\n[attributes]\n")
    assert_refused(folder, folder.shoal(*RUN), 2, ["TOML"], before)


@pytest.mark.parametrize("depth", [101, 300, 2000])
def test_a_tree_of_categories_that_is_too_deep(folder, depth):
    plan = (folder.path / "plan.toml").read_text()
    tree = f"[closeness]\nt = 0.5\nattributes = ['ward']\n[closeness.hierarchy.ward{'.a' * depth}]\nz = ['00', '01']\n"
    folder.write_plan(plan.replace('{ role = "other" }', '{ role = "confidential", kind = "nominal" }') + tree)
    before = folder.names()
    assert_refused(folder, folder.shoal(*RUN), 2, ["hierarchy", "100 levels"], before)


@pytest.mark.parametrize("beside", ["", "b = ['z'], "], ids=["one above the other", "with branches"])
@pytest.mark.parametrize("depth", [102, 300])
def test_a_tree_of_a_quasi_identifier_that_is_too_deep(folder, depth, beside):
    plan = (folder.path / "plan.toml").read_text()
    tree = "{ a = " * (depth - 1) + f"{{ {beside}a = ['Osona', 'Bages', 'Anoia'] }}" + " }" * (depth - 1)
    column = 'county = { role = "quasi_identifier", kind = "nominal"'
    folder.write_plan(plan.replace(column, f"{column}, hierarchy = {tree}"))
    before = folder.names()
    for command in (RUN, ("check", "data.csv", "--plan", "plan.toml")):
        assert_refused(folder, folder.shoal(*command), 2, ["hierarchy", "100 levels"], before)


@pytest.mark.parametrize("opening", ["[", "{a="])
def test_a_plan_that_is_nested_too_deeply_to_be_read(folder, opening):
    deep = opening * 3000 + {"[": "]", "{a=": "}"}[opening] * 3000
    before = folder.names()
    assert_refused(folder, folder.shoal(*RUN, "--set", f"k={deep}"), 2, ["nested"], before)
    folder.write_plan(f"k = {deep}\n")
    assert_refused(folder, folder.shoal(*RUN), 2, ["nested"], before)


TYPES = {
    "days after the calendar": (pa.int32(), pa.date32(), 2**30),
    "days before the calendar": (pa.int32(), pa.date32(), -(2**31)),
    "milliseconds after it": (pa.int64(), pa.timestamp("ms"), 2**62),
    "microseconds after it": (pa.int64(), pa.timestamp("us"), 2**62),
    "microseconds before it": (pa.int64(), pa.timestamp("us"), -(2**63) + 1),
    "a time that NumPy takes for a missing one": (pa.int64(), pa.timestamp("us"), -(2**63)),
    "the same in nanoseconds": (pa.int64(), pa.timestamp("ns"), -(2**63)),
    "the last year, beyond it in its zone": (pa.int64(), pa.timestamp("us", "Asia/Tokyo"), 253_402_300_000_000_000),
    "durations of ages": (pa.int64(), pa.duration("ms"), 2**62),
}


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("role", ["quasi_identifier", "other", "confidential"])
@pytest.mark.parametrize("what", TYPES)
def test_dates_beyond_the_calendar(folder, what, role, ending):
    stored, type_, first = TYPES[what]
    days = pa.array([first + i for i in range(60)], stored).view(type_)
    pq.write_table(pa.table({"day": days, "age": range(60), "ill": ["a", "b"] * 30}), folder.path / "data.parquet")
    kind = ', kind = "date"' if role == "quasi_identifier" else ', kind = "nominal"' if role == "confidential" else ""
    folder.write_plan(PLAN_OF_DATES.format(role=role, kind=kind))
    before = folder.names()
    run = ("anonymize", "data.parquet", "--plan", "plan.toml", "-o", f"out.{ending}")
    assert_refused(folder, folder.shoal(*run), 2, ["'day'", "row 1"], before)
    assert_refused(folder, folder.shoal("init", "data.parquet", "-o", "new.toml"), 2, ["'day'"], before)


UNREAD = {
    "decimals of 50 digits": pa.array([decimal.Decimal(i) for i in range(60)], pa.decimal256(50, 2)),
    "decimals of 76 digits": pa.array([decimal.Decimal(i) for i in range(60)], pa.decimal256(76, 0)),
    "views of lists": pa.array([[1]] * 60, pa.list_view(pa.int8())),
}


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("what", UNREAD)
def test_types_that_are_not_read(folder, what, ending):
    write_any(pa.table({"age": UNREAD[what]}), folder.path / f"data.{ending}")
    before = folder.names()
    done = folder.process("anonymize", f"data.{ending}", "--plan", "plan.toml", "-o", "out.csv")
    words = f"error: data.{ending} has a column of a type that is not read: write it with plain types"
    assert_refused(folder, done, 2, [words], before)


def write_any(table: pa.Table, path: Path) -> None:
    if path.suffix == ".parquet":
        pq.write_table(table, path)
        return
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def test_a_panic_of_a_library_shows_no_value(folder, monkeypatch):
    def panic(*arguments, **options):
        pl.Series([2**30], dtype=pl.Int32).cast(pl.Date).to_list()  # a date that Python does not have

    monkeypatch.setattr("shoal.cli.check.check_file", panic)
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml")
    assert done.returncode == 1
    assert b"this is a mistake of shoal (PanicException" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "seed"), [("measure", -1), ("attack", -1), ("attack", 2**70), ("utility", -1), ("utility", 2**32)]
)
def test_seeds_that_no_generator_takes(folder, command, seed):
    sample = ["--subsets", "all", "--sample", "2"] if command == "measure" else []
    done = folder.shoal(command, "data.csv", "data.csv", "--plan", "plan.toml", *sample, "--seed", seed)
    assert done.returncode == 2, done.stderr
    assert b"'--seed'" in done.stderr


def test_a_name_without_end_does_not_fill_the_screen(folder):
    name = "y" * 100_000
    data = folder.path / "data.csv"
    data.write_text(data.read_text().replace("ward", name, 1))
    for command in (RUN, ("check", "data.csv", "--plan", "plan.toml")):
        done = folder.shoal(*command)
        assert done.returncode == 2
        assert name[:100].encode() in done.stderr
        assert len(done.stderr) < 2000


def test_a_plan_of_many_columns_looks_at_each_once(folder, monkeypatch):
    names = [f"c{i}" for i in range(40)]
    lines = [names, *([i * j % 7 for j in range(40)] for i in range(12))]
    (folder.path / "data.csv").write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    columns = [f'{name} = {{ role = "other", kind = "numeric" }}\n' for name in names[1:]]
    folder.write_plan("k = 3\n[attributes]\nc0 = { role = 'quasi_identifier', kind = 'numeric' }\n" + "".join(columns))
    looked, recodings = [], Plan.recodings
    monkeypatch.setattr(Plan, "recodings", lambda plan: looked.append(plan) or recodings(plan))
    assert folder.shoal("check", "data.csv", "--plan", "plan.toml").returncode == 0
    assert 0 < len(looked) < len(names)


PLAN_OF_STRUCTURES = """
k = 3
[attributes]
age = {{ role = "quasi_identifier", kind = "numeric" }}
hollow = {{ role = "{role}" }}
"""


@pytest.mark.parametrize(("ending", "words"), [("parquet", "without a field"), ("csv", "no plain value (structures)")])
def test_columns_without_a_place_are_refused_before_the_work(folder, monkeypatch, ending, words):
    hollow = pl.DataFrame({"age": range(20)}).with_columns(hollow=pl.lit(None, dtype=pl.Struct([])))
    hollow.write_ipc(folder.path / "data.arrow")
    run = ("anonymize", "data.arrow", "--plan", "plan.toml", "-q", "-o")
    folder.write_plan(PLAN_OF_STRUCTURES.format(role="other"))
    before = folder.names()
    with monkeypatch.context() as patch:
        patch.setattr("shoal.jobs.local_engine.read_earlier", None)  # what comes next
        done = folder.shoal(*run, f"out.{ending}")
    assert_refused(folder, done, 2, ["column 'hollow'", words, ending], before)
    assert folder.shoal(*run, "out.arrow").returncode == 0
    folder.write_plan(PLAN_OF_STRUCTURES.format(role="identifier"))  # which no release has
    assert folder.shoal(*run, f"out.{ending}").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["data.csv", "--plan", ""], ["the name of the plan is empty"]),
        (["", "--plan", "plan.toml"], ["the name of the table is empty"]),
        (["data.csv", "--plan", "plan.toml", "--set", "=1"], ["--set takes PATH=VALUE", "'=1'"]),
        (["data.csv", "--plan", "plan.toml", "--set", ' "" =1'], ["--set takes PATH=VALUE"]),
        (["data.csv", "--plan", "plan.toml", "--set", "k"], ["--set takes PATH=VALUE", "'k'"]),
        (["data.csv", "--plan", "plan.toml", "--set", "k=2\nseed=3"], ["k must be a whole number", r"2\nseed=3"]),
    ],
)
def test_arguments_that_are_nothing_or_more_than_one(folder, arguments, words):
    assert_refused(folder, folder.shoal("check", *arguments), 2, words, folder.names())


def test_names_that_look_the_same(folder):
    composed, parted = (unicodedata.normalize(form, "año") for form in ("NFC", "NFD"))
    (folder.path / "data.csv").write_text(f"{parted},ano\n" + "1,2\n" * 9)
    folder.write_plan(
        f'k = 3\n[attributes]\n"{composed}" = {{ role = "other" }}\n'
        'ano = { role = "quasi_identifier", kind = "numeric" }\n'
    )
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml")
    assert_refused(folder, done, 2, [f"did you mean '{composed}', which looks the same", "NFC"], folder.names())


def test_one_is_told_as_one(folder):
    """A column, and a missing value."""
    (folder.path / "data.csv").write_text("x\n" + "1\n" * 9)
    folder.write_plan('k = 3\n[attributes]\nage = { role = "quasi_identifier", kind = "numeric", missing = "error" }\n')
    run = ("check", "data.csv", "--plan", "plan.toml")
    assert_refused(folder, folder.shoal(*run), 2, ["the only column of the table is not declared"], folder.names())
    for gaps, words in ((1, '1 missing value, the first in row 9, and missing = "error": fill it,'), (2, "fill them,")):
        (folder.path / "data.csv").write_text("age,name\n" + "1,a\n" * 8 + ",b\n" * gaps)
        folder.write_plan(
            'k = 3\n[attributes]\nname = { role = "other" }\n'
            'age = { role = "quasi_identifier", kind = "numeric", missing = "error" }\n'
        )
        assert_refused(folder, folder.shoal(*run), 2, [words], folder.names())
