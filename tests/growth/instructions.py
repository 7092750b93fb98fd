"""Counts instructions by valgrind: they are those of the program, however busy the machine is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
MARK = "getloadavg"
"""A function of the C library that nothing else calls: callgrind writes down what it counted whenever it is called."""


def mark() -> None:
    """End what is counted, and begin anew."""
    os.getloadavg()


def counted(module: str, folder: Path) -> dict[str, dict[int, int]]:
    """Run a module of tests under valgrind; return the instructions of what it marks, by name and size.

    The module marks the beginning and the end of each, and then prints its size and name.
    """
    valgrind = shutil.which("valgrind")
    assert valgrind is not None
    options = [
        "--tool=callgrind",
        f"--dump-before={MARK}",
        f"--zero-before={MARK}",
        f"--callgrind-out-file={folder / 'out'}",
    ]
    ended = subprocess.run(
        [valgrind, *options, sys.executable, "-m", module],
        cwd=TESTS,
        env=os.environ | {"PYTHONHASHSEED": "0", "POLARS_MAX_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    names = [line.split(" ", 1) for line in ended.stdout.splitlines()]
    assert not (folder / f"out.{2 * len(names) + 2}").exists(), f"something else calls {MARK}"
    found: dict[str, dict[int, int]] = {}
    for i, (size, name) in enumerate(names, 1):
        found.setdefault(name, {})[int(size)] = _total(folder / f"out.{2 * i}")
    return found


def _total(profile: Path) -> int:
    said = re.search(r"^totals: (\d+)$", profile.read_text(), flags=re.MULTILINE)
    assert said is not None, f"{profile.name} has no total"
    return int(said[1])
