"""What is wrong with the start is one sentence and an exit code, before anything is served."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from app.served import PLAN
from command import shoal, shoal_process


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["data.csv", "--demo"], "--demo begins with the bundled table, and DATA names another"),
        (["nowhere.csv"], "nowhere.csv cannot be read: there is no such file"),
        (["data.csv", "--plan", "nowhere.toml"], "nowhere.toml cannot be read: there is no such file"),
        (["--folder", "data.csv"], "--folder data.csv is no folder"),
        (["data.csv", "--plan", "latin.toml"], "latin.toml' cannot be read: it is not UTF-8 text"),
        (["data.csv", "--plan", "half.toml"], "the plan is not valid TOML"),
        (["--port", "70000"], "port 70000 cannot be listened on"),
    ],
)
def test_a_wrong_start_is_told(tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "data.csv").write_text("age\n1\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "latin.toml").write_bytes(b"k = 5 # \xfcber\n")
    (tmp_path / "half.toml").write_text("k = ")
    done = shoal("app", "--no-open", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stdout == b""


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        port = door.getsockname()[1]
        done = shoal("app", "--no-open", "--port", port, cwd=tmp_path)
    assert done.returncode == 2
    assert f"port {port} is taken: choose another --port" in done.stderr.decode()


def test_a_closed_standard_output_ends_it_and_leaves_no_folder(tmp_path: Path) -> None:
    """Nobody would learn the address."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = shoal_process("app", "--no-open", cwd=tmp_path, env=environment, preexec_fn=lambda: os.close(1))
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: standard output is closed")
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("shoal.app")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = shoal("app", "--no-open", cwd=tmp_path)
    assert done.returncode == 2
    assert "the app needs uvicorn: install it with pip install 'shoal[app]'" in done.stderr.decode()
