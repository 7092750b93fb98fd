"""The auditor against the judge of tables: on releases as they are, and on some that were changed afterwards.

Both read the files as text and share nothing: where one finds a class that misses what was asked, so must the other.
"""

from __future__ import annotations

import csv
import random
import tempfile
from pathlib import Path

from command import shoal
from fuzz import tables
from fuzz.judging import Found


def trouble(seed: int) -> Found:
    """Release a table, change the release now and then, and compare the two verdicts."""
    dice = random.Random(seed)
    case = tables.make(dice.randrange(10**6))
    if case.permuted or case.together != [list(case.kinds)]:
        return Found("", taken=False)  # nothing is guaranteed, or nothing that can be seen
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data.csv").write_bytes(case.csv)
        (folder / "plan.toml").write_text(case.plan)
        written = ("-o", "out.csv", "--row-map", "rows.csv")
        if shoal("anonymize", "data.csv", "--plan", "plan.toml", *written, cwd=folder).returncode:
            return Found("", taken=False)
        changes = dice.choice([0, 1, 1, 3])
        _change(folder / "out.csv", list(case.kinds), changes, dice)
        ours = [wrong for wrong in tables.judge(case, folder) if wrong.startswith("a class")]
        asked = ("--plan", "plan.toml", "--original", "data.csv", "--row-map", "rows.csv")
        done = shoal("verify", "out.csv", *asked, cwd=folder)
        if done.returncode == (3 if ours else 0):
            return Found("", taken=True)
        said = done.stdout.decode() + done.stderr.decode()
        return Found(
            f"seed {seed}: {changes} changes, exit code {done.returncode}, {ours}\n{said}\n{case.plan}", taken=True
        )


def _change(path: Path, names: list[str], changes: int, dice: random.Random) -> None:
    """Give a record a released value of another one."""
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    for _ in range(changes):
        column = head.index(dice.choice(names))
        rows[dice.randrange(len(rows))][column] = dice.choice(rows)[column]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])
