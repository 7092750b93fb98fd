"""Releases by classes, as any tool could have made them, and originals that each of them leaves open."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import polars as pl

import shoal
from fuzz.outsider import Column
from fuzz.outsider_of_categories import Categories, finds, paths_in

TEMPERS = ("flat", "mixed", "far", "far the other way")
"""How far the originals of a class lie from what was released: not at all, somewhat, as far as can be."""

TREE = {"A": {"A1": {"A2": ["w0", "w1", "w2"]}}, "B": ["w3"]}


@dataclass
class Case:
    """A release by classes, and the plan that it is judged by.

    Parameters
    ----------
    persons
        How many records each person has, class by class.
    numbers, words
        The means of columns, and the categories, by class.
    known
        How the categories of columns were found.
    plan, ill
        What is asked, and a confidential column.
    followed
        Whether pseudonyms show which records are of one person.
    """

    persons: list[list[int]]
    numbers: dict[str, list[float]]
    words: dict[str, list[str]]
    known: dict[str, Categories]
    plan: shoal.Plan
    ill: list[str] = field(repr=False)
    followed: bool = False

    @property
    def sizes(self) -> list[int]:
        """The records of each class."""
        return [sum(group) for group in self.persons]

    @property
    def columns(self) -> dict[str, Column]:
        """The released columns as their reader sees them."""
        persons = self.persons if self.followed else None
        return {
            name: Column(values, self.sizes, self.known.get(name), persons)
            for name, values in (self.numbers | self.words).items()
        }

    @property
    def released(self) -> pl.DataFrame:
        """The released table."""
        classes = self.numbers | self.words
        return self._frame(
            {name: [[value] * len(g) for value, g in self._of(values)] for name, values in classes.items()}
        )

    def _of(self, values: list[Any]) -> list[tuple[Any, list[int]]]:
        return list(zip(values, self.persons, strict=True))

    def _frame(self, columns: dict[str, list[list[Any]]]) -> pl.DataFrame:
        """Make a table of what each person has."""
        many = [count for group in self.persons for count in group]
        cells = {name: [value for values in each for value in values] for name, each in columns.items()}
        if self.followed:
            cells = {"who": [f"p{person}" for person in range(len(many))], **cells}
        repeated = {
            name: [value for value, count in zip(values, many, strict=True) for _ in range(count)]
            for name, values in cells.items()
        }
        return pl.DataFrame({**repeated, "ill": self.ill})

    def original(self, dice: random.Random) -> pl.DataFrame:
        """Draw a table that the release could have been made from."""
        columns: dict[str, list[Any]] = {}
        for name, means in self.numbers.items():
            temper, ends = dice.choice((*TEMPERS, None)), (min(means), max(means))
            columns[name] = [_numbers(dice, temper, mean, group, ends) for mean, group in self._of(means)]
        for name, left in self.words.items():
            temper, often = dice.choice((*TEMPERS, None)), sorted(set(left), key=left.count, reverse=True)
            columns[name] = [_categories(dice, temper, each, g, self.known[name], often) for each, g in self._of(left)]
        return self._frame(columns)

    def with_one_class_anew(self, frame: pl.DataFrame, dice: random.Random) -> pl.DataFrame:
        """Draw the originals of one class once more."""
        chosen = dice.randrange(len(self.persons))
        start, size = sum(self.sizes[:chosen]), self.sizes[chosen]
        other = self.original(dice)
        return pl.concat([frame[:start], other[start : start + size], frame[start + size :]])


def _numbers(
    dice: random.Random, temper: str | None, mean: float, persons: list[int], ends: tuple[float, float]
) -> list[float]:
    """Draw a number of each person with one mean of records, on one side of a bound; without a temper each its own."""
    temper, low, size = temper or dice.choice(TEMPERS), ends[0], sum(persons)
    if temper == "flat":
        return [mean] * len(persons)
    if temper != "mixed":
        end, chosen = low if temper == "far" else ends[1], dice.randrange(len(persons))
        values = [end] * len(persons)
        values[chosen] = mean + (size / persons[chosen] - 1) * (mean - end)
        return values
    steps = [dice.random() for _ in persons]
    middle = sum(step * many for step, many in zip(steps, persons, strict=True)) / size
    return [mean + (mean - low) * (step / middle - 1) for step in steps]


def _categories(
    dice: random.Random, temper: str | None, left: str, persons: list[int], known: Categories, often: list[str]
) -> list[str]:
    """Draw a category of each person such that the operator finds the one that left."""
    temper = temper or dice.choice(TEMPERS)
    had = [left] * len(persons)
    counts = [sum(persons) if level == left else 0 for level in known.levels]
    # Nobody had a category that is rare where it need not be, or whatever was released.
    among = often[:2] if temper == "far the other way" else often
    if temper == "mixed":
        among = [*often, left]
    for person in dice.sample(range(len(persons)), len(persons)) * (0 if temper == "flat" else 2):
        other = dice.choice(among)
        tried = list(counts)
        tried[known.levels.index(had[person])] -= persons[person]
        tried[known.levels.index(other)] += persons[person]
        back = temper != "mixed" and other == left and had[person] != left
        if not back and finds(known.operator, tried, known.levels.index(left), known.paths):
            had[person], counts = other, tried
    return had


def make(seed: int) -> Case:
    """Make a random release and its plan."""
    dice = random.Random(seed)
    k = dice.choice([2, 2, 3, 5])
    classes = dice.choice([dice.randint(3, 30), dice.randint(30, 150), dice.randint(150, 500)])
    persons = [[1] * (k + dice.choice([0, 0, 0, 1, k - 1])) for _ in range(classes)]
    followed = dice.random() < 0.2
    if followed:
        records = dice.choice([[4], [1, 1, 2], [1, 2, 3]])
        persons = [[dice.choice(records) for _ in group[:5]] for group in persons]
    elif dice.random() < 0.2:  # a class that is most of what a small table has
        persons[dice.randrange(classes)] = [1] * dice.randint(20, 120)
    attributes: dict[str, Any] = {"who": {"role": "identifier"}} if followed else {}
    numbers, words, known = {}, {}, {}
    for j in range(dice.choice([1, 2, 2, 3])):
        numbers[f"n{j}"] = _means(dice, persons) if j else _spread(dice, classes)
        attributes[f"n{j}"] = {"role": "quasi_identifier", "kind": "numeric"}
    for j in range(dice.choice([0, 1, 1, 2])):
        attribute, categories = _column(dice, small=followed or max(map(len, persons)) > 9)
        weights = [dice.choice([1, 1, 5, 30]) for _ in categories.levels]
        words[f"w{j}"], known[f"w{j}"] = dice.choices(categories.levels, weights, k=classes), categories
        attributes[f"w{j}"] = {"role": "quasi_identifier", **attribute}
    attributes["ill"] = {"role": "confidential", "kind": "nominal"}
    subject = {"subject": "who", "keep_subject": "pseudonym"} if followed else {"subject": "record"}
    plan = shoal.Plan(k=k, attributes=attributes, **subject)
    many = sum(map(sum, persons))
    return Case(persons, numbers, words, known, plan, [dice.choice("abc") for _ in range(many)], followed)


def _column(dice: random.Random, *, small: bool) -> tuple[dict[str, Any], Categories]:
    """Choose what a column of categories is, and what stands for a class; small ones are judged by every original."""
    operator = dice.choice(["mode", "mode", "draw", "median", "median", "convex_median", "medoid"])
    if operator == "medoid" and small:
        operator = "mode"
    most = [2, 3, 4] if operator in ("convex_median", "medoid") or small else [2, 3, 5, 16]
    levels = tuple(f"w{i}" for i in range(dice.choice(most)))
    if operator == "medoid":
        paths = paths_in(TREE)
        return {"kind": "nominal", "aggregate": operator, "hierarchy": TREE}, Categories(
            operator, tuple(paths), tuple(paths.values())
        )
    ordinal = operator in ("median", "convex_median") or dice.random() < 0.2
    kind = {"kind": "ordinal", "order": list(levels)} if ordinal else {"kind": "nominal"}
    return {**kind, "aggregate": operator}, Categories(operator, levels)


def _means(dice: random.Random, persons: list[list[int]]) -> list[float]:
    """Return means of all kinds, those of an amount that few have, or those of whole numbers."""
    kind = dice.random()
    if kind < 0.25:
        few = dice.choice([0.02, 0.05, 0.2])
        return [dice.choice([9000.0, 9500.0, 11_000.0]) if dice.random() < few else 0.0 for _ in persons]
    if kind < 0.5:
        return [sum(dice.randint(0, 6) for _ in range(sum(group))) / sum(group) for group in persons]
    drawn = [dice.choice([dice.uniform(0, 100), dice.gauss(50, 12), dice.lognormvariate(3, 1)]) for _ in persons]
    return [round(mean, 2) for mean in drawn]


def _spread(dice: random.Random, classes: int) -> list[float]:
    """Return means that no two classes share: each is one of its own to a reader."""
    scale = dice.choice([1, 0.01, 1000])
    return [round(scale * (place + dice.uniform(0, 0.5)), 6) for place in dice.sample(range(classes), classes)]
