"""What a person reads: one vocabulary, no name that a terminal obeys, marks and exit codes that agree."""

import json
import os
import pty
import subprocess

import polars as pl
import pytest

import command
from cli.test_errors import RUN, assert_refused
from shoal.errors import PlanError
from shoal.plan import Plan

ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "pay": {"role": "confidential", "kind": "numeric"},
}

MISTAKES = {
    "t as text": (
        {"closeness": {"t": "0.1"}},
        "closeness.t must be a number, not '0.1': write it without quotation marks",
    ),
    "t as a word": ({"closeness": {"t": "near"}}, "closeness.t must be a number, not 'near'"),
    "t as true": ({"closeness": {"t": True}}, "closeness.t must be a number, not true"),
    "t above one": ({"closeness": {"t": 1.5}}, "closeness.t must be at most 1, not 1.5"),
    "t below zero": ({"closeness": {"t": -1}}, "closeness.t must be at least 0, not -1"),
    "t as a list": ({"closeness": {"t": [0.1]}}, "closeness.t must be a number, not a list of 1 value"),
    "t of a column": ({"closeness": {"t": {"pay": "0.1"}}}, "closeness.t.pay must be a number, not '0.1': write it"),
    "t not a number": ({"closeness": {"t": float("nan")}}, "closeness.t must be a finite number, not nan"),
    "k as text": ({"k": "5"}, "k must be a whole number, not '5': write it without quotation marks"),
    "k as true": ({"k": True}, "k must be a whole number, not true"),
    "k of one": ({"k": 1}, "k must be at least 2, not 1"),
    "round as text": ({"round": "yes"}, "round must be true or false, not 'yes'"),
    "round as a number": ({"round": 1}, "round must be true or false, not 1"),
    "by a number": ({"by": 5}, "by must be text, not 5"),
    "blocks as text": ({"blocks": "age"}, "blocks must be a list, not 'age'"),
    "closeness as a number": ({"closeness": 5}, "closeness must be a table, not 5"),
    "weight as text": (
        {"attributes": {"age": {**ATTRIBUTES["age"], "weight": "2"}}},
        "attributes.age.weight must be a number",
    ),
    "an order of lists": (
        {"attributes": {"age": {"role": "quasi_identifier", "kind": "ordinal", "order": [[1], [2]]}}},
        "attributes.age.order.0 must be text or a whole number or a number or true or false, not a list of 1 value",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_said_in_the_words_of_the_plan(mistake):
    changes, words = MISTAKES[mistake]
    with pytest.raises(PlanError) as refused:
        Plan(**{"k": 3, "attributes": ATTRIBUTES, **changes})
    assert str(refused.value).startswith(words)
    assert not any(word in str(refused.value) for word in ("nput should", "valid", "tuple", "dictionary", "string"))


@pytest.mark.parametrize(
    "words",
    [
        ("anonymize", "data.csv", "--plan", "plan.toml", "--t", "near"),
        ("anonymize", "data.csv", "--plan", "plan.toml", "--k", "5.5"),
        ("anonymize", "data.csv", "--plan", "plan.toml", "--engine", "steam"),
        ("measure", "data.csv", "data.csv", "--plan", "plan.toml", "--seed", "-1"),
        ("stream", "--plan", "plan.toml", "--metrics-port", "70000"),
    ],
)
def test_mistakes_on_the_command_line_are_said_in_the_same_words(folder, words):
    done = folder.shoal(*words)
    assert done.returncode == 2
    said = done.stderr.decode()
    assert f"Invalid value for '{words[-2]}': " in said
    assert words[-1] in said
    assert not any(word in said for word in ("nput should", "unable to parse", "Value error"))


@pytest.mark.parametrize(("values", "word"), [("a,b", "'a'"), ("3,a", "'a'"), ("1,3", "at least 2"), ("3.5", "whole")])
def test_a_value_to_try_that_is_none_ends_a_comparison(folder, values, word):
    done = folder.shoal("compare", "data.csv", "--plan", "plan.toml", "--try-k", values)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("error: k must be ")
    assert word in done.stderr.decode()
    assert not (folder.path / "comparison").exists()


@pytest.mark.parametrize(
    ("trying", "words"),
    [
        (["--try-method", "mdav,mdaw"], "method must be one of"),
        (["--try", "closeness.tt=0.1,0.2"], "closeness.tt is an unknown key"),
        (["--try-t", "0.1,2"], "closeness.t must be at most 1"),
        (["--try-k", "100,200"], "none of the 2 plans can be carried out: k is 100"),
    ],
)
def test_a_comparison_of_nothing_is_a_mistake(folder, trying, words):
    done = folder.shoal("compare", "data.csv", "--plan", "plan.toml", *trying)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"error: {words}")


@pytest.mark.parametrize(
    "setting",
    [
        "attributes.age.weight=1e308",
        "attributes.county.weight=1e308",
        "attributes.grade.weight=1e308",
        "steer=[{kind='position', weight=1e300}]",
        "diversity.distinct=9223372036854775808",
    ],
)
def test_the_check_refuses_what_the_run_refuses(folder, setting):
    before = folder.names()
    said = [folder.shoal(*run, "--set", setting) for run in (("check", "data.csv", "--plan", "plan.toml"), RUN)]
    for done in said:
        assert_refused(folder, done, 2, [], before)
    assert said[0].stderr == said[1].stderr


@pytest.mark.parametrize("n", [61, 2**31, 2**63 - 1])
def test_a_neighbourhood_of_more_records_than_there_are_is_the_table_for_the_check_and_for_the_run(folder, n):
    more = ("--t", "0.3", "--closeness-method", "merge", "--set", f"closeness.n={n}")
    checked, done = (folder.shoal(*run, *more) for run in (("check", "data.csv", "--plan", "plan.toml"), RUN))
    assert (checked.returncode, done.returncode) == (0, 0), checked.stderr + done.stderr
    assert "✓ n_t_closeness" in done.stderr.decode()


HOSTILE = "pay\x1b[2K\x1b[1Ac\x9b31m\u202eyap"


def test_names_of_columns_do_not_reach_the_terminal_as_codes(folder):
    frame = pl.read_csv(folder.path / "data.csv").rename({"ward": HOSTILE})
    frame.write_csv(folder.path / "data.csv")
    plan = (folder.path / "plan.toml").read_text()
    folder.write_plan(plan.replace("ward  ", f"{json.dumps(HOSTILE)}  "))
    runs = [
        ("check", "data.csv", "--plan", "plan.toml"),
        ("anonymize", "data.csv", "--plan", "plan.toml", "--json", "--dry-run"),
        ("measure", "data.csv", "data.csv", "--plan", "plan.toml"),
        ("check", "data.csv", "--plan", "plan.toml", "--by", HOSTILE, "--k", "9"),
        ("init", "data.csv"),
        ("risk", "data.csv", "data.csv", "--plan", "plan.toml"),
        ("utility", "data.csv", "data.csv", "--plan", "plan.toml"),
        ("report", "data.csv", "data.csv", "--plan", "plan.toml", "--summary"),
    ]
    for run in runs:
        done = folder.shoal(*run)
        text = (done.stdout + done.stderr).decode()
        assert text
        assert not any(letter in text for letter in "\x1b\x9b\u202e"), run
    assert json.loads(folder.shoal(*runs[1]).stdout)["input"]["columns"][-1] == HOSTILE


def test_names_of_files_do_not_reach_the_terminal_as_lines(folder):
    name = "data\n✓ k_anonymity = 99.csv"
    (folder.path / "data.csv").rename(folder.path / name)
    done = folder.shoal("anonymize", name, "--plan", "plan.toml", "-o", "out\n✓ k_anonymity = 99.csv")
    assert done.returncode == 0
    assert not any(line.startswith("✓ k_anonymity = 99") for line in done.stderr.decode().splitlines())
    (folder.path / name).write_bytes(b"")
    refused = folder.shoal("check", name, "--plan", "plan.toml")
    assert len(refused.stderr.decode().splitlines()) == 1


def test_a_line_end_in_the_name_of_a_file_does_not_enter_the_plan(folder):
    name = 'data.csv\nk = 2\n[attributes]\nname = { role = "other" }\n#.csv'
    (folder.path / "data.csv").rename(folder.path / name)
    done = folder.shoal("init", name, "-o", "new.toml")
    assert done.returncode == 0, done.stderr
    lines = (folder.path / "new.toml").read_text().splitlines()
    assert [line for line in lines if line.startswith("k =")] == [
        "k = 5                # fewest subjects whose records look alike"
    ]
    assert sum(line.startswith("[attributes]") for line in lines) == 1


def test_one_is_not_many(folder):
    path = folder.path / "data.csv"
    lines = path.read_text().splitlines()
    path.write_text(
        "\n".join(
            [lines[0], lines[1].replace(",low,", ",,").replace(",mid,", ",,").replace(",high,", ",,"), *lines[2:]]
        )
    )
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml")
    assert b"'grade' has 1 missing value, the first in row 1" in done.stderr


def without_categories(folder):
    """A plan that gives k up, for a method that takes numbers alone."""
    plan = (folder.path / "plan.toml").read_text()
    for name in ("grade ", "county"):
        start = plan.index(f"{name} =")
        plan = plan[:start] + f'{name} = {{ role = "other" }}' + plan[plan.index("\n", start) :]
    folder.write_plan(plan.replace("k = 4", 'k = 4\nmethod = "mic1d"\nguarantee = false'))


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_cross_beside_exit_code_0_is_what_the_plan_gave_up(folder, more):
    without_categories(folder)
    before = folder.names()
    plain = folder.shoal(*RUN, *more)
    assert plain.returncode == 0
    assert "✗ k_anonymity" in plain.stderr.decode()
    for name in set(folder.names()) - set(before):
        (folder.path / name).unlink()
    required = folder.shoal(*RUN, *more, "--require")
    assert required.returncode == 3
    assert (
        "error: k_anonymity does not hold, and --require asks for it: nothing was written" in required.stderr.decode()
    )
    assert folder.names() == before
    assert folder.shoal("check", "data.csv", "--plan", "plan.toml").returncode == 0
    assert folder.shoal("check", "data.csv", "--plan", "plan.toml", "--require").returncode == 3


def test_require_changes_nothing_where_everything_holds(folder):
    assert folder.shoal(*RUN, "--require").returncode == 0
    assert "out.csv" in folder.names()
    report = ("report", "data.csv", "out.csv", "--plan", "plan.toml", "-o", "report.html")
    assert folder.shoal(*report, "--require").returncode == 0


def test_a_report_on_a_release_that_fails_is_written_and_required_it_exits_with_3(folder):
    pl.read_csv(folder.path / "data.csv", infer_schema=False).drop("name").write_csv(folder.path / "bad.csv")
    report = ("report", "data.csv", "bad.csv", "--plan", "plan.toml", "-o", "report.html")
    done = folder.shoal(*report)
    assert (done.returncode, "✗ k_anonymity" in done.stderr.decode()) == (0, True)
    done = folder.shoal(*report, "--require")
    assert (done.returncode, "✗ k_anonymity" in done.stderr.decode()) == (3, True)
    assert {"report.html", "report.json"} <= set(folder.names())


def test_a_terminal_gets_no_code_from_a_name(folder):
    """The same on a terminal, where rich writes codes of its own: none of the name is among them."""
    pl.read_csv(folder.path / "data.csv").rename({"ward": HOSTILE}).write_csv(folder.path / "data.csv")
    plan = (folder.path / "plan.toml").read_text()
    folder.write_plan(plan.replace("ward  ", f"{json.dumps(HOSTILE)}  "))
    main, side = pty.openpty()
    with command.interruptible():
        process = subprocess.Popen(
            [*command.COMMAND, "check", "data.csv", "--plan", "plan.toml"],
            cwd=folder.path,
            stdout=side,
            stderr=side,
            env={**os.environ, "COLUMNS": "200"},
        )
    os.close(side)
    seen = b""
    try:
        while piece := os.read(main, 65536):
            seen += piece
    except OSError:  # the other end is closed
        pass
    os.close(main)
    assert process.wait(60) == 0
    assert b"pay\\x1b[2K\\x1b[1Ac\\x9b31m\\u202eyap" in seen
    assert b"pay\x1b" not in seen
