"""Counts instructions by valgrind: nearly the same in every run, however busy the machine is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
MARK = "getloadavg"
"""A function of the C library that nothing else calls: callgrind writes down what it counted whenever it is called."""


def mark() -> None:
    """End what is counted, and begin anew."""
    os.getloadavg()


def counted(valgrind: str, module: str, folder: Path) -> dict[str, dict[int, int]]:
    """Run a module of this folder under valgrind; return the instructions of what it marks, by name and size.

    The module marks the beginning and the end of each run, and then prints its size and name.
    """
    profile = folder / "out"
    options = [f"--dump-before={MARK}", f"--zero-before={MARK}", f"--callgrind-out-file={profile}"]
    single = dict.fromkeys(("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    ended = subprocess.run(
        [valgrind, "--tool=callgrind", *options, sys.executable, "-m", module],
        env=os.environ | single | {"PYTHONPATH": str(TESTS), "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    runs = [line.split(" ", 1) for line in ended.stdout.splitlines()]
    seen = len(list(folder.glob("out.*")))
    assert seen == 2 * len(runs), f"{MARK} was seen {seen} times in {len(runs)} runs, not twice in each"
    found: dict[str, dict[int, int]] = {}
    for i, (size, name) in enumerate(runs, 1):
        found.setdefault(name, {})[int(size)] = _total(folder / f"out.{2 * i}")
    return found


def _total(profile: Path) -> int:
    said = re.search(r"^totals: (\d+)$", profile.read_text(), flags=re.MULTILINE)
    assert said is not None, f"{profile.name} has no total"
    return int(said[1])
