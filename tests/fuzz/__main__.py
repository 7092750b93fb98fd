"""Fuzz for as long as wanted: ``python -m fuzz --minutes 60 --seed 7 tables streams`` in ``tests/``.

Prints every seed that was in trouble with the command that repeats it; the exit code is 1 if there was one.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter

from fuzz.runner import in_a_process, in_this_process
from fuzz.targets import TARGETS

BATCH = 100
"""Seeds of a target at a time: a process takes seconds to start."""


def main() -> None:
    """Read the command line, and do what it says."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Random inputs against independent judges.")
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)}; all if left out")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of each target")
    parser.add_argument("--count", type=int, help="so many seeds of each target, however long it takes")
    parser.add_argument("--one-process", metavar="MODULE:FUNCTION", help=argparse.SUPPRESS)
    parser.add_argument("--longest", type=float, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one_process:
        in_this_process(asked.one_process, asked.seed, asked.count, asked.longest)
        return
    if unknown := set(asked.targets) - set(TARGETS):
        parser.error(f"no target {sorted(unknown)[0]!r}: there are {', '.join(TARGETS)}")
    sys.exit(bool(fuzz(asked.targets or list(TARGETS), asked.seed, asked.count, asked.minutes)))


def fuzz(names: list[str], first: int, count: int | None, minutes: float) -> int:
    """Try seeds of each target in turn, until the time or the seeds are over; return how many were in trouble."""
    until = time.monotonic() + 60 * minutes
    done, taken, bad = Counter[str](), Counter[str](), 0
    for start in itertools.count(first, BATCH):
        for name in names:
            many = BATCH if count is None else min(BATCH, first + count - start)
            if many <= 0 or (count is None and time.monotonic() > until):
                _tell(done, taken, bad)
                return bad
            batch = in_a_process(TARGETS[name], start, many)
            done[name] += batch.done
            taken[name] += batch.taken
            bad += len(batch.troubles)
            for seed, wrong in batch.troubles.items():
                sys.stdout.write(
                    f"{name}: {wrong}\n  again: cd tests && python -m fuzz {name} --seed {seed} --count 1\n"
                )
                sys.stdout.flush()
    raise AssertionError("counting never ends")


def _tell(done: Counter[str], taken: Counter[str], bad: int) -> None:
    for name, many in done.items():
        sys.stdout.write(f"{name}: {many:,} tried, {taken[name]:,} taken, {many - taken[name]:,} refused\n")
    sys.stdout.write(f"{bad:,} in trouble\n")


if __name__ == "__main__":
    main()
