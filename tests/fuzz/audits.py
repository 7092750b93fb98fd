"""The auditor against the judges of tables and persons: on releases as they are, and on some that were changed.

All read the files as text and share nothing: where one finds a class that misses what was asked, or a cell that is not
as it was, so must the other. Of columns that are kept or recoded, the judge is the release itself as it was before the
change: a cell that is another text now, were it another way to write the same, is one that was changed.
"""

from __future__ import annotations

import csv
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from command import shoal
from fuzz import persons, tables
from fuzz.judging import Found, rows_by_place


def trouble(seed: int) -> Found:
    """Release a table, change the release now and then, and compare the two verdicts."""
    dice = random.Random(seed)
    made = dice.choice([_of_records, _of_persons, _of_recoded])(dice.randrange(10**6))
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
        before = _read(folder / "out.csv")
        _change(folder, names, changes, dice, [_another] if judge else [_another, _respelt, _swapped, _unapplied])
        ours = _differing(before, _read(folder / "out.csv")) if judge is None else judge(folder)
        ours = [wrong for wrong in ours if not wrong.endswith("is no average")]  # which is for us alone
        asked = ("--plan", "plan.toml", "--original", "data.csv", "--row-map", "rows.csv")
        done = shoal("verify", "out.csv", *asked, cwd=folder)
        if done.returncode in ((3, *((2,) if judge is None else ())) if ours else (0,)):
            return Found("", taken=True)
        said = done.stdout.decode() + done.stderr.decode()
        return Found(f"seed {seed}: {changes} changes, exit code {done.returncode}, {ours}\n{said}\n{plan}", taken=True)


Made = tuple[list[list[str]], str, list[str], Callable[[Path], list[str]] | None]
"""A table, a plan, the columns that may be changed, and the judge; None: what was changed there is wrong."""


def _of_records(seed: int) -> Made | None:
    case = tables.make(seed)
    signs = any("-0.0" in row for row in case.table)  # which a permutation leaves, and a judge of texts tells from 0
    if case.together != [list(case.kinds)] or (case.permuted and signs):
        return None
    kept = ["cost", "ill", *([case.by] if case.by else [])]
    return case.table, case.plan, [*case.kinds, *kept], lambda folder: tables.judge(case, folder)


def _of_persons(seed: int) -> Made | None:
    case = persons.make(seed)
    if case.together != [case.quasi]:
        return None
    return case.table, case.plan, [*case.quasi, "cost"], lambda folder: persons.judge(case, folder)


def _of_recoded(seed: int) -> Made:
    """Return a table with a column of every recoding, a sum, large numbers and, now and then, pseudonyms."""
    dice = random.Random(seed)
    rows = dice.randint(12, 40)
    followed = dice.random() < 0.5
    draws = {
        "who": lambda place: f"P{place}",
        "mail": lambda place: f"someone{place:06}",  # as long as a pseudonym
        "age": lambda _: str(dice.randint(20, 60)),
        "born": lambda _: f"19{dice.randint(50, 99)}-0{dice.randint(1, 9)}-{dice.randint(10, 28)}",
        "visit": lambda _: f"20{dice.randint(10, 20)}-0{dice.randint(1, 9)}-{dice.randint(10, 28)}",
        "seen": lambda _: f"2020-0{dice.randint(1, 9)}-{dice.randint(10, 28)}T{dice.randint(10, 23)}:00:00",
        "pay": lambda _: str(round(dice.gauss(50, 30), dice.choice([0, 2]))),
        "count": lambda _: str(10**10 + dice.randint(0, 9)),
        "ill": lambda _: dice.choice(["flu", "flu", "gout", "mumps", "Rash", "1", "01"]),
        "rent": lambda _: str(dice.randint(0, 40)),
        "food": lambda _: str(dice.randint(0, 40)),
    }
    table = [[draw(place) for draw in draws.values()] for place in range(rows)]
    slack = dice.choice([0, 0, 2])
    sums = [str(int(row[-1]) + int(row[-2]) + dice.randint(0, slack)) for row in table]
    clip = dice.choice(["", ", clip = { high = 60.5 }", ", clip = { low_quantile = 0.2, high_quantile = 0.9 }"])
    kept = {
        "visit": '"date", relative_to = "born"' + dice.choice(["", ", round_to = 7", ", clip = { low = 6000 }"]),
        "seen": '"date"' + dice.choice(["", ", clip = { high = 2020-06-15 }", ", clip = { low_quantile = 0.3 }"]),
        "pay": '"numeric"' + dice.choice(["", ", round_to = 0.1", ", round_to = 5"]) + clip,
        "count": '"numeric"',
        "ill": '"nominal"' + dice.choice(["", ", rare = { below = 3 }", ', rare = { below = 5, into = "flu" }']),
        "rent": '"numeric"' + dice.choice(["", ", clip = { high = 30 }"]),
        "food": '"numeric"',
        "total": '"numeric"',
    }
    top = ['keep_subject = "pseudonym"'] if followed else []
    top += [f'totals = [{{ total = "total", parts = ["rent", "food"], tolerance = {slack} }}]', "[attributes]"]
    plan = [
        "k = 3",
        'subject = "who"',
        *top,
        *(f'{name} = {{ role = "identifier" }}' for name in ("who", "mail")),
    ]
    plan += ['born = { role = "identifier", kind = "date" }', 'age = { role = "quasi_identifier", kind = "numeric" }']
    roles = {name: dice.choice(["other", "confidential"]) for name in kept}
    roles |= dict.fromkeys(["rent", "food"], roles["total"])  # a sum and its parts have one
    plan += [f'{name} = {{ role = "{roles[name]}", kind = {kind} }}' for name, kind in kept.items()]
    lines = [[*draws, "total"], *([*row, total] for row, total in zip(table, sums, strict=True))]
    return lines, "\n".join(plan) + "\n", [*kept, *(["who"] if followed else [])], None


def _read(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def _differing(before: list[list[str]], after: list[list[str]]) -> list[str]:
    return ["a cell changed"] if before != after else []


Change = Callable[[random.Random, list[dict[str, str]], list[dict[str, str]], int, str], None]
"""Changes a cell of a release: by the records of the release, their originals, the place of a record, and a column."""


def _change(folder: Path, names: list[str], changes: int, dice: random.Random, ways: list[Change]) -> None:
    """Change cells of a release."""
    (head, *rows), (was, *cells), (_, *pairs) = (_read(folder / f"{name}.csv") for name in ("out", "data", "rows"))
    places = rows_by_place(pairs, len(cells)) or []
    released = [dict(zip(head, row, strict=True)) for row in rows]
    originals = [dict(zip(was, cells[place], strict=True)) for place in places]
    for _ in range(changes):
        dice.choice(ways)(dice, released, originals, dice.randrange(len(released)), dice.choice(names))
    with (folder / "out.csv").open("w", newline="") as file:
        csv.writer(file).writerows([head, *(list(row.values()) for row in released)])


def _another(
    dice: random.Random, released: list[dict[str, str]], _: list[dict[str, str]], place: int, name: str
) -> None:
    """Give a record a released value of another one."""
    released[place][name] = dice.choice(released)[name]


def _respelt(
    dice: random.Random, released: list[dict[str, str]], _: list[dict[str, str]], place: int, name: str
) -> None:
    """Write a cell in another way."""
    cell = released[place][name]
    ways = [cell.upper(), f"{cell} ", f"0{cell}", f"+{cell}", f"{cell}e0", cell.replace(".", ",")]
    ways += [f"{cell}.0", f"{cell}0"] if name != "seen" else []  # of times, a fraction without a value is not told
    released[place][name] = dice.choice(ways)


def _swapped(
    dice: random.Random, released: list[dict[str, str]], _: list[dict[str, str]], place: int, name: str
) -> None:
    """Let two records change their cells; pseudonyms of persons who have one row each say as much afterwards."""
    other = place if name == "who" else dice.randrange(len(released))
    cells = released[place][name], released[other][name]
    released[other][name], released[place][name] = cells


def _unapplied(
    dice: random.Random, released: list[dict[str, str]], originals: list[dict[str, str]], place: int, name: str
) -> None:
    """Put back what stood in the original: in a cell, or in all of the column; a name or an address for a pseudonym."""
    source = "mail" if name == "who" and dice.random() < 0.5 else name
    for at in range(len(released)) if dice.random() < 0.5 else [place]:
        released[at][name] = originals[at][source]
