"""Originals of real tables that were moved inside the classes of their release, through the command line.

Columns as real tables have them (`fuzz.columns`) are anonymized and reported on for external readers. Then cells change
places inside a class, values move apart around the same mean, what was cut off or rounded away becomes something else,
cells are missing where all were alike, persons get other names, one becomes two, and records that did not leave become
others. None of it can be told from the release, and none from the report: both editions are the same, byte by byte.
"""

from __future__ import annotations

import csv
import io
import json
import random
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from command import shoal
from fuzz import columns
from fuzz.judging import Found, classes

Cells = dict[str, list[str]]
Seen = tuple[str, str, str]
SEEN = ("the JSON", "the page", "page one in the terminal")
"""What a reader gets."""
MISSING = ("", "NA")


def trouble(seed: int, edition: str = "external") -> Found:
    """Release a table, move its original, and report on both."""
    case, dice = columns.make(seed), random.Random(seed)
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "plan.toml").write_text(case.plan)
        (folder / "data.csv").write_bytes(case.csv)
        written = ("-o", "out.csv", "--row-map", "rows.csv", "-q")
        if shoal("anonymize", "data.csv", "--plan", "plan.toml", *written, cwd=folder).returncode:
            return Found("", taken=False)
        with (folder / "out.csv").open(newline="") as file:
            released = list(csv.DictReader(file))
        with (folder / "rows.csv").open(newline="") as file:
            rows = [int(row["original_row"]) - 1 for row in csv.DictReader(file)]
        groups = classes(released, [*case.masked, *([case.by] if case.by else [])])
        moved = _moved(case, released, rows, list(groups.values()), dice)
        (folder / "other.csv").write_bytes(_csv(moved))
        ending = "html" if dice.random() < 0.03 else "md"
        seen = [_seen(folder, name, edition, ending) for name in ("data.csv", "other.csv")]
        wrong = [said for said in seen if isinstance(said, str)]
        # No run takes some, as those in which all values were cut off: they cannot have given the release.
        if wrong == seen[1:] and shoal("check", "other.csv", "--plan", "plan.toml", cwd=folder).returncode == 2:
            return Found("", taken=False)
        # What is promised holds with one alone: the other has not given the release, or k is given up, which is told.
        if not wrong and len({json.loads(written)["summary"]["safe"] for written, *_ in seen}) > 1:
            return Found("", taken=False)
        if not wrong:
            wrong = [f"{what} differs" for what, one, other in zip(SEEN, *seen, strict=True) if one != other]
    return Found(f"seed {seed}: {'; '.join(wrong[:5])}\n{case.plan}" if wrong else "", taken=True)


def _seen(folder: Path, original: str, edition: str, ending: str) -> Seen | str:
    """Return what readers of an edition see beside an original, or what was said instead."""
    page = folder / f"{original}.{ending}"
    words = ("--plan", "plan.toml", "--row-map", "rows.csv", "--edition", edition, "--summary", "-q")
    done = shoal("report", original, "out.csv", *words, "-o", page.name, cwd=folder)
    if done.returncode:
        return f"{original}, exit code {done.returncode}: {done.stderr.decode()}"
    return page.with_suffix(".json").read_text(), page.read_text(), done.stdout.decode()


def _declared(words: str) -> dict[str, Any]:
    return tomllib.loads(f"column = {{ {words} }}")["column"]


def _csv(cells: Cells) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([list(cells), *zip(*cells.values(), strict=True)])
    return text.getvalue().encode()


def _moved(
    case: columns.Case, released: list[dict[str, str]], rows: list[int], groups: list[list[int]], dice: random.Random
) -> Cells:
    """Return another original of the same release."""
    cells = {name: list(values) for name, values in case.columns.items()}
    _rename(case, cells, dice)
    if "mass" not in cells:  # weighted means leave other things open
        for group in groups:
            places = [rows[place] for place in group]
            if dice.random() < 0.7:
                _exchange(case, cells, places, dice)
            for name in case.masked:
                if name == "age" or name.startswith("code"):
                    _move(case, cells, name, places, released[group[0]][name], dice)
    dropped = sorted(set(range(case.rows)) - set(rows))
    whole = all(word not in case.plan for word in ("quantile", "rare", "totals"))
    for place in dropped if whole else ():
        for name in case.masked:
            if name in ("age", "hour") or name.startswith("code"):
                cells[name][place] = dice.choice(case.columns[name])
    return cells


def _rename(case: columns.Case, cells: Cells, dice: random.Random) -> None:
    """Give everybody another name, and some of the records of a person to somebody new."""
    names = {name: f"other {i}" for i, name in enumerate(sorted(set(cells["who"])))}
    cells["who"] = [names[name] for name in cells["who"]]
    # Not where categories are rare by the persons who have them: what was joined would not have been.
    if case.subject and "rare" not in case.plan and dice.random() < 0.5:
        for place in dice.sample(range(case.rows), case.rows // 5):
            cells["who"][place] = f"new {place}"


def _exchange(case: columns.Case, cells: Cells, places: list[int], dice: random.Random) -> None:
    """Let values of columns change places inside a class, those that belong together with each other."""
    whole = [["homes", "trade", "revenue"], ["lat", "lon"], ["hour"], ["age"], ["day", "start"]]
    whole += [[name] for name in cells if name.startswith("code")]
    for names in whole:
        there = [name for name in names if name in cells]
        if not there or there[0] not in case.masked:
            continue
        if case.subject and "rare" in _declared(case.declared[there[0]]):
            continue  # other persons would have the category, and perhaps too few
        full = [place for place in places if not any(cells[name][place] in MISSING for name in there)]
        shuffled = dice.sample(full, len(full))
        taken = {name: [cells[name][place] for place in shuffled] for name in there}
        for name in there:
            for place, cell in zip(full, taken[name], strict=True):
                cells[name][place] = cell


def _move(case: columns.Case, cells: Cells, name: str, places: list[int], left: str, dice: random.Random) -> None:
    """Move the values of one column in a class as far as the release does not show it."""
    declared = _declared(case.declared[name])
    full = [place for place in places if cells[name][place] not in MISSING]
    if not full or left in MISSING:
        return
    column = cells[name]
    if name == "age" and "clip" in declared:
        for place in full:
            if declared["clip"].get("high") and float(column[place]) > columns.HIGH:
                column[place] = str(dice.randint(columns.HIGH + 1, 500))
    elif name == "age" and "round_to" in declared:
        for place in full:
            column[place] = str(5 * round(int(column[place]) / 5) + dice.randint(-2, 2))
    elif name == "age" and declared.get("aggregate") != "median" and "preserve_variance" not in case.plan:
        one, other = dice.choice(full), dice.choice(full)
        step = dice.randint(0, 15)
        column[one], column[other] = str(int(column[one]) + step), str(int(column[other]) - step)
    elif name.startswith("code") and declared["aggregate"] == "mode" and not {"hierarchy", "rare"} & set(declared):
        for place in full:
            column[place] = left if dice.random() < 0.3 else column[place]
