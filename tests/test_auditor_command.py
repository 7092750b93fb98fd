"""The auditor on a command line of its own: what it is told, what it says, and its exit code."""

import io
import sys
from pathlib import Path

import pytest

from audited import AMOUNT, ILL, UNCOUNTED, plan, table
from shoal import auditor

NO_OTHERS = "✓ columns: no identifier and no undeclared column left\n"
SHOWN = r"a\x1b[2K"
ALL_IS_WELL = f"{NO_OTHERS}✓ k_anonymity: the only class has 1 record, asked 1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a plan, a release and its original are; the command is called there."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("plan.toml", plan()), ("out.csv", table("age; 1")), ("data.csv", table("who age; p 1"))):
        Path(name).write_text(text)
    return tmp_path


@pytest.fixture
def said(folder: Path, capsys: pytest.CaptureFixture[str]) -> object:
    def call(*words: str, code: int = 0) -> str:
        assert auditor.main(["out.csv", *words]) == code
        out, err = capsys.readouterr()
        assert out == "" or err == ""
        return out + err

    return call


def test_what_holds_is_said_with_a_check_mark(said) -> None:
    assert said("--plan", "plan.toml") == ALL_IS_WELL
    assert said("--plan", "plan.toml", "--original", "data.csv") == ALL_IS_WELL


def test_what_cannot_be_judged_is_no_mistake(said) -> None:
    Path("plan.toml").write_text(plan("dominance = 0.5"))
    line = "? dominance: the shares that single persons have of means are not judged here\n"
    assert said("--plan", "plan.toml") == ALL_IS_WELL + line


def test_what_does_not_hold_is_one_although_more_follows_that_does(said) -> None:
    Path("plan.toml").write_text(plan("k = 2\ndiversity = { distinct = 1 }", it=ILL))
    Path("out.csv").write_text(table("age it; 1 a"))
    lines = said("--plan", "plan.toml", code=3).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["✓ columns", "✗ k_anonymity", "✓ distinct_l_diversity"]


def test_a_plan_must_be_named(said, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        said()
    assert ended.value.code == 2
    assert "the following arguments are required: --plan" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("k = 1\n", "the plan has no quasi-identifier: there is nothing to judge"),
        ("attributes = 5\n", "plan.toml is no plan"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(said, text: str, why: str) -> None:
    Path("plan.toml").write_text(text)
    assert said("--plan", "plan.toml", code=2) == f"error: the audit cannot read this: {why}\n"


def test_every_option_is_heard(said) -> None:
    Path("plan.toml").write_text(
        plan("closeness = { t = 0, missing = 'category' }", it=ILL, **{'"née"': AMOUNT}), encoding="utf-8"
    )
    lines = ("age,it,née", "1,NA,1", "1,x,1", "2,n.d.,1", "2,y,1")  # of two classes that differ in the spelling
    Path("out.csv").write_bytes("\n".join(lines).encode("cp437"))
    lines = ("who,age,it,née", "p,1,y,1", "q,1,n.d.,1", "r,1,x,1", "s,1,NA,1", "t,1,NA,1")
    Path("data.csv").write_bytes("\n".join(lines).encode("cp437"))
    Path("rows.csv").write_text("out,in\n0,3\n1,2\n2,1\n3,0\n")
    Path("book.csv").write_text("column,code,label\nit,x,a\nit,y,a\nit,NA,NA\nit,n.d.,n.d.\n")
    words = ("--plan", "plan.toml", "--original", "data.csv", "--row-map", "rows.csv", "--encoding", "cp437")
    missing = ("--missing", "NA", "--missing", "n.d.")
    well = f"{NO_OTHERS}✓ k_anonymity: the smallest of 2 classes has 2 records, asked 1\n"
    well += "✓ t_closeness: it is within 0, asked 0\n"
    assert said(*words, *missing, "--codebook", "book.csv", "--held-back", "1") == well


def test_nothing_is_held_back_unless_it_is_said(said) -> None:
    Path("data.csv").write_text(table("who age; p 1; q 1"))
    Path("rows.csv").write_text(table("out in; 0 0"))
    words = ("--plan", "plan.toml", "--original", "data.csv", "--row-map", "rows.csv")
    assert "✗ suppress: 1 of 2 records was dropped" in said(*words, code=3)
    assert said(*words, "--held-back", "1") == ALL_IS_WELL


def test_what_a_terminal_cannot_show_is_spelled_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out.csv").write_text("age,a\x1b[2K\u202e\n1,2\n", encoding="utf-8")
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    assert auditor.main(["out.csv", "--plan", "plan.toml"]) == 3
    screen.flush()
    first, *_ = screen.buffer.getvalue().decode("ascii").splitlines()
    assert first == r"\u2717 columns: 'a\x1b[2K\u202e' left, which the plan does not declare"


def test_a_name_in_a_plan_obeys_nobody(said) -> None:
    Path("plan.toml").write_text(plan('subject = "a\\u001b[2K"'))
    line = f"? k_anonymity: the only class has 1 record, asked 1{UNCOUNTED.replace('who', SHOWN)}\n"
    assert said("--plan", "plan.toml") == NO_OTHERS + line
