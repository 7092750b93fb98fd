"""Plans as text that somebody mistyped or wrote to harm, through the command line.

A plan that is taken is judged by what it asks for: the judge reads it with the standard library.
"""

from __future__ import annotations

import csv
import random
import tomllib
from collections.abc import Iterable
from pathlib import Path

from fuzz import tables
from fuzz.judging import Found, classes, through_command_line

VALUES = (
    "0", "1", "2", "-1", "5", "2147483648", "9223372036854775808", "1e400", "0.0", "0.5", "-0.1", "nan", "inf", "true",
    '""', '"5"', '"mdav"', '"record"', '"q0"', '"cost"', '"nothing"', "[]", "[1]", '["q0"]', '["q0", "q0"]', "[[]]",
    '[["q0"]]', "{}", "{ t = 0.2 }", '{ make = "spread", size = 1 }', "1979-05-27", "'''\n'''", '"\\u0000"',
    '"\\u001b[2J"', '"' + "x" * 300 + '"', "[" * 60 + "]" * 60, "{ a = " * 40 + "1" + " }" * 40,
)  # fmt: skip
SENSIBLE = {
    "k": ("2", "3", "4", "40"),
    "seed": ("7", "18446744073709551615"),
    "method": ('"mdav"', '"vmdav"', '"projected"', '"individual"', '"univariate"', '"mic1d"'),
    "scale": ('"minmax"', '"none"', '"zscore"'),
    "missing": ('"impute"', '"category"', '"error"'),
    "release": ('"permute"', '"aggregate"'),
    "order": ('"keep"', '"shuffle"', '"auto"'),
    "round": ("true", "false"),
    "preserve_variance": ("true",),
    "by": ('"ward"', '"cost"', '"q0"'),
    "guarantee": ("false", "true"),
    "subject": ('"record"', '"name"'),
    "weights": ('"cost"',),
    "dominance": ("0.5", "0.9"),
    "dependence": ("{ weight = 0.3 }", "{ weight = 1 }"),
    "closeness": ("{ t = 0.3 }", '{ t = 0.3, method = "merge" }', "{ t = { cost = 0.4 } }", "{ t = 0.4, n = 9 }"),
    "diversity": ("{ distinct = 2 }", "{ entropy = 1.2 }", "{ recursive = { c = 2, l = 2 } }", "{ p_sensitive = 2 }"),
    "steer": ('[{ kind = "position", weight = 1 }]', '[{ kind = "buckets", weight = 1, columns = ["cost"] }]'),
    "stream": ("{ max_delay = 10 }",),
    "gain": ("0.5",),
    "version": ("1",),
}
"""Keys, and values that each of them might have."""

KEYS = (*SENSIBLE, "blocks", "intruder", "keep_subject", "axis", "cut", "compare", "attributes", "no_such_key", '"a b"')
OPTIONS = ("role", "kind", "order", "format", "weight", "scale", "round", "missing", "aggregate", "no_such_option")


def mutated(plan: str, dice: random.Random) -> bytes:
    """Change a few places of a plan: a key of any value, an option of a column, a line away or twice, a character."""
    lines = plan.splitlines()
    sensible = dice.random() < 0.5
    for _ in range(dice.choice([1, 1, 1, 2, 4])):
        at = dice.randrange(len(lines))
        match 0 if sensible else dice.randrange(8):
            case 0 | 1 | 2 | 3:
                key = dice.choice(list(SENSIBLE) if sensible else KEYS)
                value = dice.choice(SENSIBLE.get(key, VALUES) if sensible or dice.random() < 0.5 else VALUES)
                kept = [line for line in lines if not line.startswith(f"{key} = ")]
                lines = [f"{key} = {value}", *kept]
            case 4 if " }" in lines[at]:
                lines[at] = lines[at].replace(" }", f", {dice.choice(OPTIONS)} = {dice.choice(VALUES)} }}")
            case 5:
                name = lines[at].split(" = ")[0]
                lines[at] = f"{name} = {dice.choice(VALUES)}"
            case 6 if len(lines) > 1:
                lines[at : at + 1] = [lines[at]] * dice.choice([0, 2])
            case _:
                cut = dice.randrange(len(lines[at]) + 1)
                letter = dice.choice(['"', "=", "[", "]", "\x00", "é", "\t", "#", ".", "9"])
                lines[at] = lines[at][:cut] + letter + lines[at][cut:]
    content = "\n".join(lines).encode()
    return bytes([dice.randrange(256)]) + content if dice.random() < 0.05 else content


def judge(plan: bytes, folder: Path) -> Iterable[str]:
    """Where the plan asks for k and gives up nothing, every class has it."""
    asked = tomllib.loads(plan.decode())
    if asked.get("guarantee") is False or asked.get("release") == "permute":
        return []
    with (folder / "out.csv").open(newline="") as file:
        released = list(csv.DictReader(file))
    names = [name for name, about in asked["attributes"].items() if about["role"] == "quasi_identifier"]
    names += [asked["by"]] if "by" in asked else []
    found = classes(released, names).values()
    return [f"a class of {len(places)} records" for places in found if len(places) < asked["k"]]


def trouble(seed: int) -> Found:
    """Run and judge one case."""
    dice = random.Random(seed)
    case = tables.make(dice.randrange(10**6))
    plan = mutated(case.plan, dice)
    arguments = ("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv")
    inputs = {"data.csv": case.csv, "plan.toml": plan}
    about = plan.decode(errors="replace")[:1500]
    return through_command_line(seed, inputs, arguments, lambda folder: judge(plan, folder), about=about)
