"""Two originals of one release: what external readers see must not tell them apart, beyond the steps it promises.

A release is made first, as any tool could have made it: classes, their means, their commonest categories. Then two
originals are drawn from all that it leaves open, near to what was released or as far from it as can be. The external
editions of both must be the same, but for shares of the original and the variance lost, in the columns where these are
told; and what is told there must leave each class all that the release alone leaves it (`fuzz.outsider`).
"""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

import shoal
from fuzz.judging import Found
from fuzz.outsider import Column, said_too_much, tells_shares
from shoal.report import assess, collect

TEMPERS = ("flat", "mixed", "far", "far the other way")
"""How far the originals of a class lie from what was released: not at all, somewhat, as far as can be."""


@dataclass
class Case:
    """A release by classes, and the plan that it is judged by."""

    sizes: list[int]
    numbers: dict[str, list[float]]
    words: dict[str, list[str]]
    plan: shoal.Plan
    ill: list[str]

    @property
    def columns(self) -> dict[str, Column]:
        """The released columns as their reader sees them."""
        return {name: Column(values, self.sizes) for name, values in (self.numbers | self.words).items()}

    @property
    def released(self) -> pl.DataFrame:
        """The released table."""
        return self._frame({name: self._each(values) for name, values in (self.numbers | self.words).items()})

    def _each(self, values: list[Any]) -> list[Any]:
        return [value for value, size in zip(values, self.sizes, strict=True) for _ in range(size)]

    def _frame(self, columns: dict[str, list[Any]]) -> pl.DataFrame:
        return pl.DataFrame({**columns, "ill": self.ill})

    def original(self, dice: random.Random) -> pl.DataFrame:
        """Draw a table that the release could have been made from."""
        columns: dict[str, list[Any]] = {}
        for name, means in self.numbers.items():
            temper, ends = dice.choice((*TEMPERS, None)), (min(means), max(means))
            drawn = [_numbers(dice, temper, *each, ends) for each in zip(means, self.sizes, strict=True)]
            columns[name] = [value for values in drawn for value in values]
        for name, modes in self.words.items():
            temper, known = dice.choice((*TEMPERS, None)), sorted(set(modes), key=modes.count, reverse=True)
            spoken = [_categories(dice, temper, *each, known) for each in zip(modes, self.sizes, strict=True)]
            columns[name] = [word for words in spoken for word in words]
        return self._frame(columns)

    def with_one_class_anew(self, frame: pl.DataFrame, dice: random.Random) -> pl.DataFrame:
        """Draw the originals of one class once more."""
        chosen = dice.randrange(len(self.sizes))
        start, size = sum(self.sizes[:chosen]), self.sizes[chosen]
        other = self.original(dice)
        return pl.concat([frame[:start], other[start : start + size], frame[start + size :]])


def _numbers(dice: random.Random, temper: str | None, mean: float, size: int, ends: tuple[float, float]) -> list[float]:
    """Draw some numbers of one mean, on one side of a bound; without a temper each class has its own."""
    temper, low = temper or dice.choice(TEMPERS), ends[0]
    if temper == "flat":
        return [mean] * size
    if temper != "mixed":
        end = low if temper == "far" else ends[1]
        return dice.sample([end] * (size - 1) + [mean + (size - 1) * (mean - end)], size)
    steps = [dice.random() for _ in range(size)]
    middle = sum(steps) / size
    return [mean + (mean - low) * (step / middle - 1) for step in steps]


def _categories(dice: random.Random, temper: str | None, mode: str, size: int, known: list[str]) -> list[str]:
    """Draw some categories of which one is the commonest in the class; the known ones come by how common they are."""
    temper = temper or dice.choice(TEMPERS)
    if temper == "far the other way":  # nobody had a category that is rare where it need not be
        often = [word for word in known[:2] if word != mode]
        fewest = -(-size // (len(often) + 1))
        own = dice.randint(fewest, size) if mode in known[:2] else fewest
        return dice.sample([mode] * own + [often[i % len(often)] for i in range(size - own)], size)
    fewest = -(-size // max(len(known), 1))
    own = {"far": fewest, "mixed": dice.randint(fewest, size)}.get(temper, size)
    others = dice.sample([word for word in known if word != mode for _ in range(own)], size - own)
    return dice.sample([mode] * own + others, size)


def make(seed: int) -> Case:
    """Make a random release and its plan."""
    dice = random.Random(seed)
    k = dice.choice([2, 3, 5])
    classes = dice.choice([dice.randint(3, 30), dice.randint(30, 150), dice.randint(150, 500)])
    sizes = [k + dice.choice([0, 0, 0, 1, k - 1]) for _ in range(classes)]
    if dice.random() < 0.2:  # a class that is most of what a small table has
        sizes[dice.randrange(classes)] = dice.randint(20, 120)
    attributes: dict[str, Any] = {}
    numbers, words = {}, {}
    for j in range(dice.choice([1, 1, 2, 2, 3])):
        numbers[f"n{j}"] = [round(_mean(dice), 2) for _ in sizes] if j else _spread(dice, classes)
        attributes[f"n{j}"] = {"role": "quasi_identifier", "kind": "numeric"}
    for j in range(dice.choice([0, 1, 1, 2])):
        known = [f"w{i}" for i in range(dice.choice([2, 3, 5, 16]))]
        weights = [dice.choice([1, 1, 5, 30]) for _ in known]
        words[f"w{j}"] = dice.choices(known, weights, k=classes)
        attributes[f"w{j}"] = {"role": "quasi_identifier", "kind": "nominal"}
    attributes["ill"] = {"role": "confidential", "kind": "nominal"}
    plan = shoal.Plan(k=k, subject="record", attributes=attributes)
    return Case(sizes, numbers, words, plan, [dice.choice("abc") for _ in range(sum(sizes))])


def _mean(dice: random.Random) -> float:
    return dice.choice([dice.uniform(0, 100), dice.gauss(50, 12), dice.lognormvariate(3, 1)])


def _spread(dice: random.Random, classes: int) -> list[float]:
    """Return means that no two classes share: each is one of its own to a reader."""
    scale = dice.choice([1, 0.01, 1000])
    return [round(scale * (place + dice.uniform(0, 0.5)), 6) for place in dice.sample(range(classes), classes)]


Edition = dict[str, Any]
"""The JSON of a report."""


def trouble(seed: int, edition: str = "external") -> Found:
    """Report on a release beside two originals, and compare what is seen."""
    case, dice = make(seed), random.Random(seed)
    one = case.original(dice)
    other = case.with_one_class_anew(one, dice) if dice.random() < 0.5 else case.original(dice)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        charts = dice.random() < 0.02  # which take a second
        seen = [_seen(case, frame, edition, charts=charts) for frame in (one, other)]
    wrong = list(judge(case.columns, case.plan.k, *seen))
    told = any(_is_told(each) for written, _ in seen for each in json.loads(written)["distributions"])
    return Found(f"seed {seed}: {'; '.join(wrong[:5])}\n{case.plan.to_toml()}" if wrong else "", taken=told)


Seen = tuple[str, tuple[str, ...]]
"""The JSON that a reader gets, and everything else."""


def _seen(case: Case, original: pl.DataFrame, edition: str, *, charts: bool) -> Seen:
    release = assess(original, case.released, case.plan)
    tried = None if len(original) < 200 else ["none"]  # attacks take long, and are named alone
    found = collect(original, release, case.plan, edition=edition, name="a.csv", attacks=tried)
    pages = found.summary.text, found.summary.markdown, found.to_html() if charts else ""
    return found.to_json(), pages


def judge(columns: Mapping[str, Column], k: int, one: Seen, other: Seen) -> Iterator[str]:
    """Say what in two editions tells their originals apart, or tells of one class.

    Parameters
    ----------
    columns, k
        The released columns of which shares and the variance may be told, and what was promised.
    one, other
        What is seen with each original.
    """
    editions = [json.loads(written) for written, _ in (one, other)]
    if one[0] == other[0] and one[1] != other[1]:
        yield "the pages differ, and the JSON does not"
    told = {each["name"] for edition in editions for each in edition["distributions"] if _is_told(each)}
    first, second = (_without(edition, told & set(columns)) for edition in editions)
    yield from (f"{where} differs" for where in _differences(first, second))
    yield from (f"{name}: other categories are joined" for name in told if len(_named(columns, editions, name)) > 1)
    for edition in editions:
        for each in edition["distributions"]:
            if _is_told(each) and (column := columns.get(each["name"])) is not None:
                yield from said_too_much(each, column, max(10, k, -(-sum(column.sizes) // 100)))


def _named(columns: Mapping[str, Column], editions: Sequence[Edition], name: str) -> set[frozenset[str]]:
    """Return which categories of the release each edition shows by themselves: these follow from the release alone."""
    shown = [each["bins"] for edition in editions for each in edition["distributions"] if each["name"] == name]
    known = set(columns[name].values) if name in columns else set()
    return {frozenset(cell["label"] for cell in cells if cell["label"] in known) for cells in shown}


def _is_told(distribution: dict[str, Any]) -> bool:
    return distribution["changed"] and (bool(distribution["summary"]) or tells_shares(distribution))


def _without(edition: Edition, told: set[str]) -> Edition:
    """Leave out what may differ: what is told of the original of some columns, and the bound that follows from it."""
    rest = dict(edition)
    rest["distributions"] = [each for each in edition["distributions"] if each["name"] not in told]
    if told:
        rest["scores"] = [row for row in edition["scores"] if row["key"] != "il_percent"]
        rest["facts"] = [fact for fact in edition["facts"] if fact["name"] != "information lost"]
        kept = [each for each in edition["summary"]["kept"] if each["name"] != "information lost"]
        rest["summary"] = {**edition["summary"], "kept": kept}
    return rest


def _differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from _differences(one[key], other[key], f"{where}.{key}" if where else key)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from _differences(a, b, f"{where}[{place}]")
    elif one != other:
        yield f"{where} ({str(one)[:80]} and {str(other)[:80]})"
