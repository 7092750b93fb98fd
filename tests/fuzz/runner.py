"""Seeds in processes of their own: a crash of native code, or a case without end, is found like anything else."""

from __future__ import annotations

import faulthandler
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.targets import target

TESTS = Path(__file__).parents[1]
LONGEST = 900.0
"""Seconds that one seed may take, however many a process tries and however busy the machine is."""


@dataclass
class Batch:
    """What came of some seeds of a target.

    Parameters
    ----------
    done, taken
        Seeds that were tried, and those among them whose input was not refused.
    troubles
        What was found, by seed.
    """

    done: int = 0
    taken: int = 0
    troubles: dict[int, str] = field(default_factory=dict)


def in_this_process(place: str, first: int, count: int, longest: float) -> None:
    """Try seeds, and tell of each when it begins and what was found; for `in_a_process`."""
    trouble = target(place)
    for seed in range(first, first + count):
        os.write(1, f"\x1ebegin {seed}\n".encode())
        faulthandler.dump_traceback_later(longest, exit=True)
        found = trouble(seed)
        os.write(1, f"\x1eend {int(found.taken)} {found.wrong}\n".encode(errors="replace"))


def in_a_process(place: str, first: int, count: int) -> Batch:
    """Try seeds in another process; after a crash, go on behind the seed that caused it."""
    batch = Batch()
    while count > 0:
        tried = _run(place, first, count, batch)
        first, count = first + tried, count - tried
    return batch


def _run(place: str, first: int, count: int, batch: Batch) -> int:
    words = [sys.executable, "-m", "fuzz", "--one-process", place, "--seed", str(first), "--count", str(count)]
    ended = subprocess.run([*words, "--longest", str(LONGEST)], cwd=TESTS, capture_output=True, check=False)
    late = b"Timeout (" in ended.stderr
    code = f"none within {LONGEST:g} seconds" if late else str(ended.returncode)
    begun = 0
    for kind, text in _told(ended.stdout.decode(errors="replace")):
        if kind == "begin":
            begun += 1
            batch.done += 1
            batch.troubles[int(text)] = f"the process ended here, exit code {code}"
        else:
            taken, _, wrong = text.partition(" ")
            batch.taken += int(taken)
            seed, _ = batch.troubles.popitem()
            batch.troubles |= {seed: wrong} if wrong else {}
    if not begun:
        batch.troubles[first] = f"no seed was begun, exit code {code}"
    return max(begun, 1)


def _told(said: str) -> Iterator[tuple[str, str]]:
    for part in said.split("\x1e")[1:]:
        kind, _, text = part.partition(" ")
        yield kind, text.rstrip("\n")
