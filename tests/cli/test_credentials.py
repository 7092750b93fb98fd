"""An address with a password, given where it belongs and where it does not: the password is in no message."""

from __future__ import annotations

import pickle

import pytest

import shoal
from shoal.errors import without_credentials

SECRET = "hunter2"
ADDRESS = f"postgresql://ann:{SECRET}@db.invalid/clinic/visits"
PLAN = ("--plan", "plan.toml")
OUT = ("-o", "out.csv")
MISPLACED = {
    "plan": ("check", "data.csv", "--plan", ADDRESS),
    "plan, of two": ("measure", "data.csv", "data.csv", "--plan", ADDRESS),
    "report": ("anonymize", "data.csv", *PLAN, *OUT, "--report", ADDRESS),
    "report of a release": ("report", "data.csv", "data.csv", *PLAN, "-o", ADDRESS),
    "manifest": ("anonymize", "data.csv", *PLAN, *OUT, "--manifest", ADDRESS),
    "model": ("apply", "data.csv", "--model", ADDRESS),
    "previous": ("anonymize", "data.csv", *PLAN, *OUT, "--previous", ADDRESS, "--remember", "key"),
    "signature": ("anonymize", "data.csv", *PLAN, *OUT, "--sign", ADDRESS),
    "earlier release": ("anonymize", "data.csv", *PLAN, *OUT, "--after", f"first.csv,manifest={ADDRESS}"),
    "codebook": ("anonymize", "data.csv", *PLAN, *OUT, "--codebook", ADDRESS),
    "folder": ("compare", "data.csv", *PLAN, "--try-k", "3", "-o", ADDRESS),
    "folder of the app": ("app", "--folder", ADDRESS),
    "table of the app": ("app", ADDRESS),
    "figure": ("reproduce", ADDRESS),
    "stream": ("stream", *PLAN, "-i", ADDRESS),
    "kind of database that is not read": ("check", ADDRESS.replace("postgresql", "mysql"), *PLAN),
    "one argument too many": ("check", "data.csv", ADDRESS, *PLAN),
    "instead of a command": (ADDRESS,),
    "option of the address": ("check", "data.csv", "--plan", f"postgresql:///clinic/visits?password={SECRET}"),
    "unescaped": ("check", "data.csv", "--plan", f"postgresql://ann:a/b {SECRET}@db.invalid/clinic"),
}


@pytest.mark.parametrize("arguments", MISPLACED.values(), ids=MISPLACED)
def test_a_password_is_in_no_message(folder, arguments):
    before = folder.names()
    done = folder.shoal(*arguments)
    assert done.returncode == 2
    said = (done.stdout + done.stderr).decode()
    assert said
    assert SECRET not in said
    assert folder.names() == before


def test_what_is_left_says_where_the_mistake_is(folder):
    said = folder.shoal("check", "data.csv", "--plan", ADDRESS).stderr.decode()
    assert "the plan 'postgresql:/…@db.invalid/clinic/visits' does not exist" in said


def test_exceptions_carry_none_and_are_what_they_were():
    error = shoal.DataError(f"{ADDRESS} cannot be read")
    assert str(error) == "postgresql://…@db.invalid/clinic/visits cannot be read"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize(
    "text",
    [
        "write to data.office@example.org",
        "postgresql://[USER@]HOST[:PORT]/DATABASE/TABLE",
        "C:/people@home/plan.toml",
    ],
)
def test_other_texts_stay_as_they_are(text):
    assert without_credentials(text) == text


@pytest.mark.parametrize("piece", ["x", "a.", "ab:/", "token", "@", "\n"])
def test_a_name_of_a_million_letters_is_read_once(piece):
    text = piece * (1_000_000 // len(piece))
    assert without_credentials(text) == text
