"""The auditor against the judges of tables and persons: on releases as they are, and on some that were changed.

All read the files as text and share nothing: where one finds a class that misses what was asked, or a cell that is not
as it was, so must the other.
"""

from __future__ import annotations

import csv
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from command import shoal
from fuzz import persons, tables
from fuzz.judging import Found


def trouble(seed: int) -> Found:
    """Release a table, change the release now and then, and compare the two verdicts."""
    dice = random.Random(seed)
    made = dice.choice([_of_records, _of_persons])(dice.randrange(10**6))
    if made is None:
        return Found("", taken=False)  # nothing is guaranteed, or nothing that can be seen
    table, plan, names, judge = made
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "data.csv").open("w", newline="") as file:
            csv.writer(file).writerows(table)
        (folder / "plan.toml").write_text(plan)
        written = ("-o", "out.csv", "--row-map", "rows.csv")
        if shoal("anonymize", "data.csv", "--plan", "plan.toml", *written, cwd=folder).returncode:
            return Found("", taken=False)
        changes = dice.choice([0, 1, 1, 3])
        _change(folder / "out.csv", names, changes, dice)
        ours = [wrong for wrong in judge(folder) if not wrong.endswith("is no average")]  # which is for us alone
        asked = ("--plan", "plan.toml", "--original", "data.csv", "--row-map", "rows.csv")
        done = shoal("verify", "out.csv", *asked, cwd=folder)
        if done.returncode == (3 if ours else 0):
            return Found("", taken=True)
        said = done.stdout.decode() + done.stderr.decode()
        return Found(f"seed {seed}: {changes} changes, exit code {done.returncode}, {ours}\n{said}\n{plan}", taken=True)


Made = tuple[list[list[str]], str, list[str], Callable[[Path], list[str]]]
"""A table, a plan, the columns that may be changed, and the judge."""


def _of_records(seed: int) -> Made | None:
    case = tables.make(seed)
    if case.permuted or case.together != [list(case.kinds)]:
        return None
    kept = ["cost", "ill", *([case.by] if case.by else [])]
    return case.table, case.plan, [*case.kinds, *kept], lambda folder: tables.judge(case, folder)


def _of_persons(seed: int) -> Made | None:
    case = persons.make(seed)
    if case.together != [case.quasi]:
        return None
    return case.table, case.plan, [*case.quasi, "cost"], lambda folder: persons.judge(case, folder)


def _change(path: Path, names: list[str], changes: int, dice: random.Random) -> None:
    """Give a record a released value of another one."""
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    for _ in range(changes):
        column = head.index(dice.choice(names))
        rows[dice.randrange(len(rows))][column] = dice.choice(rows)[column]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])
