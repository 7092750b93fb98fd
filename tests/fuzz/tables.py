"""Random tables and plans through the command line, judged by a reader of the two files alone.

Methods, k, closeness, diversity, blocks, ``by``, missing cells, rounding, medians and permutations, as they come.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from fuzz.judging import (
    PATTERNS,
    Found,
    classes,
    entropy,
    equal_distance,
    ordered_distance,
    rows_by_place,
    through_command_line,
)

LEVELS = ["low", "mid", "high", "top"]
WAYS = ("t_first", "k_first", "merge", "steered")


@dataclass(frozen=True)
class Case:
    """A table and a plan, and what of it the judge needs to know."""

    table: list[list[str]]
    plan: str
    together: list[list[str]]  # quasi-identifiers that k records must share at once
    kinds: dict[str, str]
    k: int
    by: str | None
    t: float | None
    diversity: tuple[str, float] | None
    median: frozenset[str]
    exact: bool  # a mean or median is written as it is
    permuted: bool

    @property
    def csv(self) -> bytes:
        """The table as a file."""
        text = io.StringIO(newline="")
        csv.writer(text).writerows(self.table)
        return text.getvalue().encode()


def make(seed: int) -> Case:
    """Make a random table and a plan for it."""
    dice = random.Random(seed)
    k = dice.choice([2, 2, 3, 5, 9])
    rows = dice.choice([dice.randint(1, 3 * k), dice.randint(2 * k, 25 * k)])
    method = dice.choice(["mdav", "mdav", "mdav", "vmdav", "projected", "univariate", "individual", "mic1d"])
    permuted = method in ("mdav", "vmdav") and dice.random() < 0.15
    kinds = (
        ["numeric", "ordinal", "date"] if method not in ("mdav", "vmdav") else ["numeric", "ordinal", "nominal", "date"]
    )
    columns = {"name": [f"n{i}" for i in range(rows)]}
    declared = {"name": 'role = "identifier"'}
    kind_of, medians = {}, set()
    names = _names(seed)
    for j in range(1 if method == "univariate" else dice.randint(1, 4)):
        name, kind = names[j], dice.choice(kinds)
        draw = _column(dice, kind)
        columns[name] = [draw() for _ in range(rows)]
        words = f'role = "quasi_identifier", kind = "{kind}"' + (f", order = {LEVELS}" if kind == "ordinal" else "")
        if kind == "numeric" and method not in ("mic1d",) and not permuted and dice.random() < 0.2:
            words += ', aggregate = "median"'
            medians.add(name)
        if dice.random() < 0.1 and not permuted:
            words += f", weight = {dice.choice([0.5, 3])}"
        kind_of[name], declared[name] = kind, words.replace("'", '"')
    quasi = list(kind_of)
    gaps = dice.random() < 0.25
    if gaps:
        for name in quasi:
            columns[name] = ["" if dice.random() < 0.1 else cell for cell in columns[name]]
    columns["cost"] = [str(dice.randint(0, dice.choice([1, 6, 40]))) for _ in range(rows)]
    columns["ill"] = [dice.choice("abcd") for _ in range(rows)]
    declared["cost"] = 'role = "confidential", kind = "numeric"'
    declared["ill"] = 'role = "confidential", kind = "nominal"'
    by = "ward" if dice.random() < 0.2 else None
    if by:
        columns[by] = [dice.choice("xy") for _ in range(rows)]
        declared[by] = 'role = "other"'
    lines = [f"k = {k}", f'method = "{method}"', f"seed = {seed}", 'subject = "record"']
    lines += ['missing = "impute"'] if gaps else []
    lines += [f'by = "{by}"'] if by else []
    lines += ['release = "permute"'] if permuted else []
    rounded = not permuted and "numeric" in kind_of.values() and dice.random() < 0.3
    lines += ["round = true"] if rounded else []
    together = [quasi]
    if method in ("individual", "mic1d"):
        together = [[name] for name in quasi] if method == "individual" else []
    elif len(quasi) > 1 and not permuted and dice.random() < 0.2:
        together = [quasi[:1], quasi[1:]]
        lines.append(f"blocks = {together}".replace("'", '"'))
    if together != [quasi]:
        lines.append("guarantee = false")
    t = diversity = None
    if together == [quasi] and not permuted and dice.random() < 0.4:
        t = dice.choice([0.1, 0.2, 0.35])
        way = dice.choice(WAYS if method == "mdav" else ("merge",))
        lines += ["[closeness]", f"t = {t}", f'method = "{way}"']
    if together == [quasi] and not permuted and dice.random() < 0.3:
        diversity = dice.choice([("distinct", 2), ("distinct", 3), ("entropy", 1.5), ("p_sensitive", 2)])
        lines += ["[diversity]", f"{diversity[0]} = {diversity[1]}", 'attributes = ["ill"]']
    lines += ["[attributes]", *(f"{json.dumps(name)} = {{ {words} }}" for name, words in declared.items())]
    names = list(columns)
    table = [names, *([columns[name][row] for name in names] for row in range(rows))]
    return Case(
        table=table,
        plan="\n".join(lines) + "\n",
        together=together,
        kinds=kind_of,
        k=k,
        by=by,
        t=t,
        diversity=diversity,
        median=frozenset(medians),
        exact=not rounded and method != "mic1d",
        permuted=permuted,
    )


def _names(seed: int) -> list[str]:
    """Name four quasi-identifiers, now and then as patterns; by dice of their own, so that seeds mean what they did."""
    dice = random.Random(f"names {seed}")
    names = [f"q{j}" for j in range(4)]
    return dice.sample([*PATTERNS, *names], 4) if dice.random() < 0.2 else names


def _column(dice: random.Random, kind: str):
    few = dice.random() < 0.4
    wild = dice.random() < 0.15
    if kind == "numeric":
        if wild:
            return lambda: dice.choice(["1e300", "-1e300", "0", "-0.0", "1e-300", "7"])
        return lambda: str(dice.randint(0, 5) if few else round(dice.gauss(50, 20), 2))
    if kind == "ordinal":
        return lambda: dice.choice(LEVELS)
    if kind == "date":
        years = (2003, 2004) if few else (1700, 2262)
        return lambda: f"{dice.randint(*years)}-{dice.randint(1, 12):02d}-{dice.randint(1, 28):02d}"
    return lambda: dice.choice("abc" if few else "abcdefghij")


def judge(case: Case, folder: Path) -> list[str]:
    """Say what is wrong with the files that were written."""
    with (folder / "out.csv").open(newline="") as file:
        released = list(csv.DictReader(file))
    with (folder / "rows.csv").open(newline="") as file:
        _, *pairs = list(csv.reader(file))
    names, *rows = case.table
    original = [dict(zip(names, row, strict=True)) for row in rows]
    if len(released) != len(original):
        return [f"{len(released)} records left of {len(original)}"]
    came_from = rows_by_place(pairs, len(original))
    if came_from is None:
        return ["the row map is no permutation"]
    before = [original[row] for row in came_from]
    wrong = [] if list(released[0]) == names[1:] else [f"columns {list(released[0])}"]
    if case.permuted:
        return [*wrong, *_judge_permuted(case, released, before)]
    kept = [name for name in names[1:] if name not in case.kinds]
    wrong += [f"{name} changed" for name in kept if [r[name] for r in released] != [r[name] for r in before]]
    for block in case.together:
        found = classes(released, [*block, *([case.by] if case.by else [])]).values()
        wrong += [f"a class of {len(places)} records" for places in found if len(places) < case.k]
        if case.exact and len(case.together) == 1:
            wrong += [
                f"{name} is no average"
                for name in block
                for p in found
                if not _average(case, name, p, released, before)
            ]
    if case.together == [list(case.kinds)]:
        found = classes(released, [*case.kinds, *([case.by] if case.by else [])]).values()
        wrong += _judge_confidential(case, released, list(found))
    return wrong


def _average(case: Case, name: str, places: list[int], released: list, before: list) -> bool:
    """Whether the released number of a class is the mean or median of the original ones."""
    values = [float(before[place][name]) for place in places if case.kinds[name] == "numeric" and before[place][name]]
    if not values:
        return True
    if not released[places[0]][name]:
        return False
    scale = max(map(abs, values))
    if scale == 0 or name in case.median:  # classes that are released alike may be several groups
        return min(values) <= float(released[places[0]][name]) <= max(values)
    mean = fmean(value / scale for value in values) if len(values) == len(places) else None
    return mean is None or abs(float(released[places[0]][name]) / scale - mean) < 1e-9


def _judge_confidential(case: Case, released: list[dict[str, str]], found: list[list[int]]) -> list[str]:
    cost, ill = ([record[name] for record in released] for name in ("cost", "ill"))
    wrong = []
    for places in found:
        if case.t is not None:
            far = max(ordered_distance([cost[p] for p in places], cost), equal_distance([ill[p] for p in places], ill))
            if far > case.t + 1e-9:
                wrong.append(f"a class is {far} from the table, above t = {case.t}")
        if case.diversity is not None:
            values = [ill[p] for p in places]
            kind, least = case.diversity
            reached = 2.718281828459045 ** entropy(values) if kind == "entropy" else len(set(values))
            if reached < least - 1e-9:
                wrong.append(f"a class has {kind} {reached}, below {least}")
    return wrong


def _judge_permuted(case: Case, released: list[dict[str, str]], before: list[dict[str, str]]) -> list[str]:
    """Quasi-identifiers stay; confidential records are the same ones, elsewhere."""
    wrong = [f"{name} changed" for name in case.kinds if [r[name] for r in released] != [r[name] for r in before]]
    sides = [Counter((r["cost"], r["ill"], r.get(case.by or "")) for r in side) for side in (released, before)]
    return [*wrong, *(["confidential records changed"] if sides[0] != sides[1] else [])]


def trouble(seed: int) -> Found:
    """Run and judge one case."""
    case = make(seed)
    arguments = ("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--row-map", "rows.csv")
    inputs = {"data.csv": case.csv, "plan.toml": case.plan.encode()}
    return through_command_line(seed, inputs, arguments, lambda folder: judge(case, folder), about=case.plan)
