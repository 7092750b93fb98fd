"""Random tables in which persons come back, through the command line, judged by a reader of the two files alone.

The judge uses nothing of shoal: it reads the original, the release and the row map as text, and counts persons in sets.
"""

from __future__ import annotations

import csv
import io
import random
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from fuzz.judging import Found, classes, ordered_distance, rows_by_place, through_command_line

METHODS = ("mdav", "mdav", "vmdav", "projected", "univariate", "individual", "mic1d")
WAYS = ("t_first", "k_first", "merge", "steered")


@dataclass(frozen=True)
class Case:
    """A table as text, a plan as text, and what of it the judge needs to know."""

    table: list[list[str]]
    plan: str
    quasi: list[str]
    together: list[list[str]]  # quasi-identifiers that k persons must share at once
    by: str | None
    k: int
    t: float | None


def make(seed: int) -> Case:
    """Make a random table and a plan for it."""
    dice = random.Random(seed)
    k = dice.choice([2, 3, 5])
    persons = dice.randint(k, 14 * k)
    rows = persons + dice.randint(0, 4 * persons)
    heavy = dice.random() < 0.3  # one person with most of the records
    again = (0 if heavy and dice.random() < 0.7 else dice.randrange(persons) for _ in range(rows - persons))
    who = [*range(persons), *again]
    dice.shuffle(who)
    method = dice.choice(METHODS)
    ordered = method not in ("mdav", "vmdav")
    columns: dict[str, list[str]] = {"who": [spelled(dice, person) for person in who]}
    declared = {"who": 'role = "identifier"'}
    quasi = []
    draws = {}
    for j in range(1 if method == "univariate" else dice.randint(1, 4)):
        kind = dice.choice(["numeric", "ordinal", "date"] if ordered else ["numeric", "ordinal", "nominal", "date"])
        constant = dice.random() < 0.4
        draw = draws[f"q{j}"] = _column(dice, kind)
        of_person = [draw() for _ in range(persons)]
        name = f"q{j}"
        columns[name] = [of_person[person] if constant else draw() for person in who]
        extra = ', order = ["low", "mid", "high", "top"]' if kind == "ordinal" else ""
        declared[name] = f'role = "quasi_identifier", kind = "{kind}"{extra}'
        quasi.append(name)
    policy = "error"
    if dice.random() < 0.3:
        policy = "impute"
        for name in quasi:
            columns[name] = ["" if dice.random() < 0.1 else cell for cell in columns[name]]
            if not any(columns[name]):
                columns[name][0] = draws[name]()
    columns["cost"] = [str(dice.randint(0, 12)) for _ in who]
    declared["cost"] = 'role = "confidential", kind = "numeric"'
    by = None
    if dice.random() < 0.25:
        by = "ward"
        columns[by] = [dice.choice("ab") for _ in who]
        declared[by] = 'role = "other"'
    lines = [f"k = {k}", 'subject = "who"', f'method = "{method}"', f'missing = "{policy}"', f"seed = {seed}"]
    if by:
        lines.append(f'by = "{by}"')
    if dice.random() < 0.3:
        lines.append("round = true" if any('"numeric"' in declared[name] for name in quasi) else "")
    together = [quasi]
    if method in ("individual", "mic1d"):
        together = [[name] for name in quasi] if method == "individual" else []
    elif len(quasi) > 1 and method != "univariate" and dice.random() < 0.2:
        together = [quasi[:1], quasi[1:]]
        lines.append(f"blocks = {together}".replace("'", '"'))
    if together != [quasi]:
        lines.append("guarantee = false")
    t = None
    if together == [quasi] and dice.random() < 0.35:
        t = dice.choice([0.15, 0.3])
        way = dice.choice(WAYS if method == "mdav" else ("merge",))
        lines += ["[closeness]", f"t = {t}", f'method = "{way}"']
        if way == "merge" and dice.random() < 0.2:
            lines.append("n = 12")
            t = None  # to a neighbourhood, which the judge does not know
    lines += ["[attributes]", *(f"{name} = {{ {words} }}" for name, words in declared.items())]
    names = list(columns)
    table = [names, *([columns[name][row] for name in names] for row in range(rows))]
    return Case(table, "\n".join(lines) + "\n", quasi, together, by, k, t)


UNSEEN = "\u200b\ufe0f\u034f\u3164\u115f\u180b\u00ad\x01\x7f\u0085"
"""Characters that nobody sees."""


def spelled(dice: random.Random, person: int) -> str:
    """The same person, now and then with spaces around, or with a character that nobody sees."""
    text = dice.choice(["", "", "", " ", "\u2800"]) + f"p{person}" + dice.choice(["", "", "", "  "])
    at = dice.randrange(len(text) + 1)
    return text[:at] + dice.choice(UNSEEN) + text[at:] if dice.random() < 0.1 else text


def person_of(cell: str) -> str:
    """Whom a cell means."""
    return re.sub("[^p0-9]", "", cell)


def _column(dice: random.Random, kind: str):
    few = dice.random() < 0.4
    if kind == "numeric":
        return lambda: str(dice.randint(0, 5) if few else round(dice.gauss(50, 20), 2))
    if kind == "ordinal":
        return lambda: dice.choice(["low", "mid", "high", "top"])
    if kind == "date":
        return lambda: f"{dice.randint(1940, 2005)}-{dice.randint(1, 12):02d}-{dice.randint(1, 28):02d}"
    return lambda: dice.choice("abc" if few else "abcdefghij")


def judge(case: Case, folder: Path) -> list[str]:
    """Say what is wrong with the files that were written; nothing if all is right."""
    with (folder / "out.csv").open(newline="") as file:
        released = list(csv.DictReader(file))
    with (folder / "rows.csv").open(newline="") as file:
        _, *pairs = list(csv.reader(file))
    names, *rows = case.table
    original = [dict(zip(names, row, strict=True)) for row in rows]
    places = rows_by_place(pairs, len(original))
    if places is None or len(released) != len(original):
        return ["the row map is no permutation"]
    came_from = [original[row] for row in places]
    wrong = []
    if "who" in released[0]:
        wrong.append("the subject left")
    for names in case.together:
        key = [*names, *([case.by] if case.by else [])]
        for places in classes(released, key).values():
            persons = {person_of(came_from[place]["who"]) for place in places}
            if len(persons) < case.k:
                wrong.append(f"a class of {len(places)} records has {len(persons)} persons")
    for name in case.quasi:
        before, after = defaultdict(set), defaultdict(set)
        for place, record in enumerate(released):
            person = person_of(came_from[place]["who"])
            before[person].add(came_from[place][name])
            after[person].add(record[name])
        if max(map(len, before.values())) == 1 and max(map(len, after.values())) > 1:
            wrong.append(f"{name} is constant per person, and is not in the release")
    if [record["cost"] for record in released] != [record["cost"] for record in came_from]:
        wrong.append("a confidential value changed")
    if case.t is not None:
        found = classes(released, [*case.quasi, *([case.by] if case.by else [])]).values()
        cost = [record["cost"] for record in released]
        worst = max(ordered_distance([cost[place] for place in group], cost) for group in found)
        if worst > case.t + 1e-9:
            wrong.append(f"a class is {worst} from the table, above t = {case.t}")
    return wrong


ALLOWED = (
    "fewer than k",
    "has only",
    "differs between records of one subject",
    "cannot have",
    "needs",
    "changes nothing",
)
"""What a plan that cannot be kept is refused with."""


def trouble(seed: int) -> Found:
    """Run and judge one case."""
    case = make(seed)
    text = io.StringIO(newline="")
    csv.writer(text).writerows(case.table)
    arguments = ("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--row-map", "rows.csv")
    inputs = {"data.csv": text.getvalue().encode(), "plan.toml": case.plan.encode()}
    return through_command_line(
        seed, inputs, arguments, lambda folder: judge(case, folder), allowed=ALLOWED, about=case.plan
    )
