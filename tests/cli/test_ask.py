"""`shoal init --ask`: a person at a terminal completes the plan by the keyboard."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
import tomllib

from shoal.plan import Plan

ENDED = "\x04"
"""Ctrl-D."""


def talk(command: list[str], answers: list[tuple[str, str]], cwd) -> tuple[int, str]:
    """Run a command on a terminal; type each answer when its question stands there."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1"}
    process = subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, cwd=cwd, env=environment, close_fds=True
    )
    os.close(follower)
    shown, seen, waiting = "", 0, list(answers)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        ready, _, _ = select.select([leader], [], [], 0.2)
        if ready:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            shown += piece.decode(errors="replace")
        while waiting and waiting[0][0] in shown[seen:]:
            question, answer = waiting.pop(0)
            seen = shown.index(question, seen) + len(question)
            os.write(leader, answer.encode() + b"\n" * (answer != ENDED))
        if not ready and process.poll() is not None:
            break
    os.close(leader)
    assert not waiting, shown
    return process.wait(timeout=30), shown


ROWS = "".join(f"p{i // 2},{20 + i % 30},{['low', 'mid', 'top'][i % 3]},{i % 9 / 7:.3f}\n" for i in range(60))


def test_a_person_decides_by_the_keyboard(tmp_path):
    (tmp_path / "data.csv").write_text("patient,age,mood,x\n" + ROWS)
    code, shown = talk(
        [sys.executable, "-m", "shoal", "init", "data.csv", "--ask", "-o", "plan.toml"],
        [
            ("patient", ""),  # the header of the first question; Enter takes the identifier
            ("age", ""),
            ("kind", "n"),
            ("mood", "q"),
            ("kind", "o"),
            ("lowest first", "low, mid"),  # one lacks: asked again
            ("lowest first", "low, mid, top"),
            ("role", "z"),  # x: no such role, asked again
            ("role", "c"),
            ("kind", ""),
            ("whom is a record about", ""),
            ("k", "3"),
        ],
        tmp_path,
    )
    assert code == 0, shown
    plan = Plan.load(tmp_path / "plan.toml")
    assert plan.k == 3
    assert plan.subject == "patient"
    declared = tomllib.loads((tmp_path / "plan.toml").read_text())["attributes"]
    assert declared == {
        "patient": {"role": "identifier"},
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "mood": {"role": "quasi_identifier", "kind": "ordinal", "order": ["low", "mid", "top"]},
        "x": {"role": "confidential", "kind": "numeric"},
    }


INIT = [sys.executable, "-m", "shoal", "init", "data.csv", "--ask", "-o", "plan.toml"]


def test_answers_that_end_are_said_and_nothing_is_written(tmp_path):
    (tmp_path / "data.csv").write_text("patient,age,mood,x\n" + ROWS)
    code, shown = talk(INIT, [("patient", ""), ("age", ENDED)], tmp_path)
    assert code == 2, shown
    assert "error: the answers ended before the questions: nothing was written" in shown
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_categories_and_names_are_no_commands_of_a_terminal(tmp_path):
    """Neither styles in brackets, which must be closed, nor codes."""
    rows = ROWS.replace("low", "[/b]low").replace("mid", "\x1b]0;PWN\x07mid")
    (tmp_path / "data.csv").write_text("pa\x1b[31mtient,age,mood,x\n" + rows)
    answers = [("tient", "i"), ("age", ""), ("kind", "n"), ("mood", "q"), ("kind", "o"), ("lowest first", ENDED)]
    code, shown = talk(INIT, answers, tmp_path)
    assert code == 2, shown
    assert r"(\x1b]0;PWN\x07mid, [/b]low, top)" in shown
    assert "\x1b" not in shown


def test_a_k_that_protects_nobody_is_asked_again(tmp_path):
    (tmp_path / "data.csv").write_text(
        "pa\x1b[31mtient,age\n" + "".join(f"p{i // 2},{20 + i % 30}\n" for i in range(60))
    )
    answers = [("tient", "i"), ("role", "q"), ("kind", "n"), ("whom", ""), ("k", "-5"), ("k is at least 2", "3")]
    code, shown = talk(INIT, answers, tmp_path)
    assert code == 0, shown
    assert "\x1b" not in shown
    assert Plan.load(tmp_path / "plan.toml").k == 3


def test_without_a_terminal_nobody_is_asked(folder):
    done = folder.shoal("init", "data.csv", "--ask", "-o", "asked.toml")
    assert done.returncode == 2
    assert b"terminal" in done.stderr
    assert "asked.toml" not in folder.names()
