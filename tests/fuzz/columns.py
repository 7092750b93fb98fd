"""Columns as real tables have them, through the command line, judged by a reader of the files alone.

Codes with trees, places, cycles, dates relative to others, bounds, rare categories, totals, gaps and dropped records,
with subjects, strata, blocks and refinement, as they come.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from command import shoal
from fuzz.judging import PATTERNS, Found, classes, through_command_line

CODES = [f"{letter}{middle}{last}" for letter in "JKL" for middle in "01" for last in "0123"]
PERIOD = 24
HIGH = 60


@dataclass
class Case:
    """A table and a plan, and what of it the judge needs to know."""

    k: int
    rows: int
    lines: list[str] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)
    declared: dict[str, str] = field(default_factory=dict)
    masked: list[str] = field(default_factory=list)
    together: bool = True
    by: str | None = None
    subject: str | None = None
    budget: int = 0

    @property
    def csv(self) -> bytes:
        """The table as a file."""
        text = io.StringIO(newline="")
        csv.writer(text).writerows([list(self.columns), *zip(*self.columns.values(), strict=True)])
        return text.getvalue().encode()

    @property
    def plan(self) -> str:
        """The plan as a file."""
        declared = [f"{json.dumps(name)} = {{ {words} }}" for name, words in self.declared.items()]
        return "\n".join([*self.lines, "[attributes]", *declared]) + "\n"

    def mask(self, names: list[str], words: str, cells: list[list[str]]) -> None:
        """Add a quasi-identifier of one column or two."""
        self.declared[names[0]] = f'role = "quasi_identifier", {words}'
        self.columns |= dict(zip(names, cells, strict=True))
        self.masked += names


def make(seed: int) -> Case:
    """Make a random table and a plan for it."""
    dice = random.Random(seed)
    k = dice.choice([2, 3, 3, 5])
    case = Case(k, dice.choice([dice.randint(k, 4 * k), dice.randint(6 * k, 30 * k)]))
    people = case.rows
    if dice.random() < 0.35:
        case.subject, people = "who", max(case.rows * 2 // 3, 1)
    of = [dice.randrange(people) if case.subject else row for row in range(case.rows)]
    case.columns["who"], case.declared["who"] = [f"p{person}" for person in of], 'role = "identifier"'
    makers = [_code, _code, _place, _cycle, _number, _day, _total]
    for maker in dice.sample(makers, dice.randint(1, 4)):
        maker(case, dice, of if dice.random() < 0.5 else list(range(case.rows)))
    if not case.masked:
        _number(case, dice, of)
    if dice.random() < 0.3:
        case.by = "ward"
        case.columns["ward"], case.declared["ward"] = [dice.choice("xy") for _ in of], 'role = "other"'
    case.columns["ill"] = [dice.choice(["a", "b", "c", "rare1", "rare2"][: dice.choice([3, 5])]) for _ in of]
    case.declared["ill"] = 'role = "confidential", kind = "nominal"'
    if dice.random() < 0.2:
        case.declared["ill"] += ", rare = { below = 3 }"
    _options(case, dice, seed)
    _kept(case, random.Random(f"kept {seed}"))
    return case


def _kept(case: Case, dice: random.Random) -> None:
    """Add a column that leaves as it came, now and then, whose name polars takes for a pattern."""
    if dice.random() < 0.25:
        name = dice.choice(PATTERNS)
        case.columns[name] = [dice.choice(["a", "b", "", "1.50"]) for _ in range(case.rows)]
        case.declared[name] = 'role = "other"'


def _options(case: Case, dice: random.Random, seed: int) -> None:
    method = dice.choice(["mdav", "mdav", "vmdav"])
    subject = case.subject or "record"
    case.lines = [f"k = {case.k}", f'method = "{method}"', f"seed = {seed}", f'subject = "{subject}"']
    case.lines += [f'by = "{case.by}"'] if case.by else []
    case.lines += [f'missing = "{dice.choice(["keep", "keep", "keep", "impute"])}"', 'missing_values = ["NA"]']
    if "homes" in case.columns:
        case.lines.append('totals = [{ total = "revenue", parts = ["homes", "trade"] }]')
    if dice.random() < 0.25:
        case.lines.append(f'refine = "{("quick", "good", "best")[seed % 3]}"')
    heads = [name for name in case.masked if name in case.declared]
    if len(heads) > 1 and dice.random() < 0.15:
        case.together = False
        case.lines += [f"blocks = {json.dumps([heads[:1], heads[1:]])}", "guarantee = false"]
    elif dice.random() < 0.35:
        share = dice.choice([0.02, 0.1, 0.2])
        case.budget = int(share * case.rows + 1e-9)
        case.lines.append(f"suppress = {share}")
    if dice.random() < 0.2:
        case.columns["mass"] = [str(dice.choice([1, 2, 2.5])) for _ in range(case.rows)]
        case.declared["mass"] = 'role = "other", kind = "numeric"'
        case.lines.append('weights = "mass"')
    if dice.random() < 0.1:
        case.lines.append("preserve_variance = true")
    if case.together and dice.random() < 0.15:
        case.lines += ["[closeness]", "t = 0.4", 'attributes = ["ill"]']
    if case.together and dice.random() < 0.2:
        case.lines += ["[diversity]", "distinct = 2", 'attributes = ["ill"]']


def _with_gaps(dice: random.Random, cells: list[str]) -> list[str]:
    share = dice.choice([0, 0, 0.05, 0.3, 0.9])
    return [dice.choice(["", "NA"]) if dice.random() < share else cell for cell in cells]


def _of_each(dice: random.Random, of: list[int], draw) -> list[str]:
    """Return a cell for each record, the same for all of a person."""
    known: dict[int, str] = {}
    return [known.setdefault(person, draw()) for person in of]


def _code(case: Case, dice: random.Random, of: list[int]) -> None:
    name = f"code{len(case.columns)}"
    tree = dice.choice(["{ prefix = [1, 2] }", _nested(), None])
    words = 'kind = "nominal"' + (f", hierarchy = {tree}" if tree else "")
    chosen = dice.choice(["mode", "draw", "medoid", "ancestor", "ancestor"] if tree else ["mode", "draw"])
    words += f', aggregate = "{chosen}"'
    if dice.random() < 0.2 and tree is None:
        words += f", rare = {{ below = {dice.choice([2, 4])} }}"
    if dice.random() < 0.15:
        words += ', missing = "category"'
    codes = dice.sample(CODES, dice.choice([2, 6, len(CODES)]))
    cells = _of_each(dice, of, lambda: dice.choice(codes))
    case.mask([name], words, [_with_gaps(dice, cells)])


def _nested() -> str:
    inside = []
    for letter in "JKL":
        middle = [f"{letter}{m} = {json.dumps([c for c in CODES if c.startswith(f'{letter}{m}')])}" for m in "01"]
        inside.append(f"{letter} = {{ {', '.join(middle)} }}")
    return f"{{ {', '.join(inside)} }}"


def _place(case: Case, dice: random.Random, of: list[int]) -> None:
    spread = dice.choice([0.5, 5, 60])
    lat = _of_each(dice, of, lambda: str(round(max(min(dice.gauss(10, spread), 90), -90), 2)))
    along = dice.choice([of, list(range(case.rows))])
    lon = _of_each(dice, along, lambda: str(round((dice.gauss(180, spread) + 180) % 360 - 180, 2)))
    words = 'kind = "place", longitude = "lon"' + (", round = true" if dice.random() < 0.4 else "")
    case.mask(["lat", "lon"], words, [_with_gaps(dice, lat), _with_gaps(dice, lon)])


def _cycle(case: Case, dice: random.Random, of: list[int]) -> None:
    cells = _of_each(dice, of, lambda: str(dice.randrange(PERIOD)))
    words = f'kind = "cyclic", period = {PERIOD}' + (", round = true" if dice.random() < 0.4 else "")
    case.mask(["hour"], words, [_with_gaps(dice, cells)])


def _number(case: Case, dice: random.Random, of: list[int]) -> None:
    words = 'kind = "numeric"' + dice.choice(["", f", clip = {{ high = {HIGH} }}", ", clip = { high_quantile = 0.9 }"])
    words += dice.choice(["", ", round_to = 5", ', aggregate = "median"', ", round = true"])
    case.mask(["age"], words, [_with_gaps(dice, _of_each(dice, of, lambda: str(dice.randint(20, 90))))])


def _day(case: Case, dice: random.Random, of: list[int]) -> None:
    def draw() -> str:
        return str(date(2024, 1, 1) + timedelta(dice.randrange(400)))

    words = 'kind = "date"'
    if dice.random() < 0.6:
        words += ', relative_to = "start"'
        case.declared["start"] = 'role = "identifier", kind = "date"'
        since = dice.choice([of, list(range(case.rows))])
        case.columns["start"] = _with_gaps(dice, _of_each(dice, since, draw))
    case.mask(["day"], words, [_with_gaps(dice, _of_each(dice, of, draw))])


def _total(case: Case, dice: random.Random, of: list[int]) -> None:
    homes = _of_each(dice, of, lambda: str(dice.randrange(100)))
    trade = _of_each(dice, of, lambda: str(dice.randrange(1000)))
    recoded = dice.choice(["", "", ", clip = { high = 90 }", ", round_to = 5"])
    case.mask(["homes"], 'kind = "numeric"' + recoded, [homes])
    case.mask(["trade"], 'kind = "numeric"' + dice.choice(["", ", round = true"]), [trade])
    case.mask(["revenue"], 'kind = "numeric"', [[str(int(h) + int(t)) for h, t in zip(homes, trade, strict=True)]])


def judge(case: Case, folder: Path) -> list[str]:
    """Say what is wrong with a release, by its file, its row map, its manifest and the original."""
    with (folder / "out.csv").open(newline="") as file:
        released = list(csv.DictReader(file))
    with (folder / "rows.csv").open(newline="") as file:
        _, *pairs = csv.reader(file)
    first = min(int(out) for out, _ in pairs)
    source = {int(out) - first: int(into) - first for out, into in pairs}
    if sorted(source) != list(range(len(released))) or len(set(source.values())) != len(source):
        return ["the row map does not name each released record once"]
    rows = [source[place] for place in range(len(released))]
    told = json.loads((folder / "manifest.json").read_text())
    wrong = _judge_dropped(case, len(released), told)
    for names in [case.masked] if case.together else []:
        for places in classes(released, [*names, *([case.by] if case.by else [])]).values():
            persons = {case.columns["who"][rows[place]] for place in places}
            if len(persons) < case.k:
                wrong.append(f"a class of {len(persons)} persons")
            wrong += _judge_codes(case, places, released, rows)
    if case.by and [case.columns[case.by][row] for row in rows] != [record[case.by] for record in released]:
        wrong.append("by changed")
    for name in (name for name in PATTERNS if name in case.columns):
        if [case.columns[name][row] for row in rows] != [record[name] for record in released]:
            wrong.append(f"{name} changed")
    return [*wrong, *_judge_values(case, released), *_judge_gaps(case, released, rows, told)]


def _judge_dropped(case: Case, left: int, told: dict) -> list[str]:
    dropped = case.rows - left
    said = told.get("suppressed", {}).get("records", 0)
    return [f"{dropped} records dropped, {said} said, {case.budget} allowed"] * (
        dropped > case.budget or dropped != said
    )


def _judge_codes(case: Case, places: list[int], released: list, rows: list[int]) -> list[str]:
    """A released node is above the codes of all records that share it; any other code is that of one of them."""
    wrong = []
    for name in (name for name in case.masked if name.startswith("code") and "rare" not in case.declared[name]):
        came = {case.columns[name][rows[place]] for place in places} - {"", "NA"}
        value = released[places[0]][name]
        constant = len({*zip(case.columns["who"], case.columns[name], strict=True)}) < case.rows
        if not value or not came or "category" in case.declared[name]:
            continue
        if "ancestor" in case.declared[name]:
            wrong += [f"{name}: {value} above {came}"] * (not all(code.startswith(value.rstrip("*")) for code in came))
        elif not constant and "keep" in case.plan:
            wrong += [f"{name}: {value} of {came}"] * (value not in came)
    return wrong


def _judge_values(case: Case, released: list) -> list[str]:
    within = {"lat": (-90, 90), "lon": (-180, 180), "hour": (0, PERIOD - 1e-9)}
    if f"high = {HIGH}" in case.declared.get("age", "") and "preserve_variance" not in case.plan:
        within["age"] = (20, HIGH)
    wrong = [
        f"{name} = {record[name]}"
        for name, (low, high) in within.items()
        if name in case.columns
        for record in released
        if record[name] and not low <= float(record[name]) <= high
    ]
    if "homes" in case.columns:
        for record in released:
            homes, trade, revenue = (float(record[name]) for name in ("homes", "trade", "revenue"))
            if abs(homes + trade - revenue) > 1e-6:
                wrong.append(f"{homes} + {trade} is not {revenue}")
    return wrong


def _judge_gaps(case: Case, released: list, rows: list[int], told: dict) -> list[str]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for name in case.masked:
        before = [case.columns[name][row] in ("", "NA") for row in rows]
        if "relative_to" in case.declared.get(name, ""):
            before = [gap or case.columns["start"][row] in ("", "NA") for gap, row in zip(before, rows, strict=True)]
        after = [record[name] == "" for record in released]
        for was, left in zip(before, after, strict=True):
            for at, counted in enumerate((was, was and not left, left and not was)):
                counts[name][at] += counted
    ours = {
        name: count for name, count in counts.items() if any(count) and "category" not in case.declared.get(name, "")
    }
    said = {
        name: [count[key] for key in ("missing", "filled", "suppressed")]
        for name, count in told.get("gaps", {}).items()
    }
    said = {name: count for name, count in said.items() if name in ours}
    return [f"gaps {ours}, said {said}"] * (ours != said)


def trouble(seed: int) -> Found:
    """Run and judge one case; then let the other commands read what was written."""
    case = make(seed)
    arguments = ("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--row-map", "rows.csv")
    arguments += ("--manifest", "manifest.json", "--verify")
    inputs = {"data.csv": case.csv, "plan.toml": case.plan.encode()}

    def judged(folder: Path) -> list[str]:
        return [*judge(case, folder), *_read_again(seed, folder)]

    # A plan that cannot be carried out is refused before records are masked.
    forbidden = ("the masked table does not", "the release does not hold")
    return through_command_line(seed, inputs, arguments, judged, forbidden=forbidden, about=case.plan)


def _read_again(seed: int, folder: Path) -> list[str]:
    asked = ("--plan", "plan.toml", "--row-map", "rows.csv")
    commands = {
        "verify": ("verify", "out.csv", "--original", "data.csv", *asked),
        "measure": ("measure", "data.csv", "out.csv", *asked),
        "report": ("report", "data.csv", "out.csv", *asked, "-o", "report.html"),
    }
    commands["external"] = (*commands["report"], "--edition", "external")
    wrong = []
    for name in ("verify", *random.Random(seed).sample(["measure", "report", "external"], 1)):
        done = shoal(*commands[name], cwd=folder)
        if done.returncode:
            wrong.append(f"{name} exits with {done.returncode}: {(done.stdout + done.stderr).decode()[-800:]}")
    return wrong
