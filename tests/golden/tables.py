"""Small tables of every kind of column, made without a library of random numbers: they are the same everywhere."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Iterator
from functools import cache

import polars as pl

from shoal import examples

Columns = dict[str, list]
"""Values by the name of their column; None is a missing cell."""


@cache
def discharges(n: int = 400) -> Columns:
    """Generated discharges, each of a patient of its own."""
    frame = examples.discharges(5000, seed=0).head(n).with_columns(pl.col("severity").cast(pl.String))
    return frame.to_dict(as_series=False)


@cache
def survey(n: int = 240) -> Columns:
    """Persons who come more than once, with quasi-identifiers and confidential attributes of every kind."""
    draw = _draws(1)
    ages = [18 + next(draw) % 70 for _ in range(n)]
    return {
        "person": [f"p{i * 7 % 90:03d}" for i in range(n)],
        "age": ages,
        "income": [(90_000 + age * 1_500 + next(draw) % 300 * (next(draw) % 900)) / 100 for age in ages],
        "born": [dt.date(2024 - age, 1, 1) + dt.timedelta(days=next(draw) % 365) for age in ages],
        "region": [1 + next(draw) % 4 for _ in range(n)],
        "grade": [("low", "mid", "high", "top")[next(draw) % 4] for _ in range(n)],
        "step": [1 + next(draw) % 12 for _ in range(n)],
        "smoker": [("no", "yes", "no")[next(draw) % 3] for _ in range(n)],
        "cost": [(next(draw) % 4_000 + age * 37) / 4 for age in ages],
        "illness": [("flu", "asthma", "ulcer", "gastritis", "colitis")[next(draw) % 5] for _ in range(n)],
        "stage": [("I", "II", "III", "IV")[next(draw) % 4] for _ in range(n)],
        "since": [dt.date(2023, 1, 1) + dt.timedelta(days=next(draw) % 60) for _ in range(n)],
        "site": [("north", "south")[next(draw) % 2] for _ in range(n)],
        "share": [(50 + next(draw) % 200) / 100 for _ in range(n)],
    }


@cache
def holes() -> Columns:
    """The survey with missing cells in every kind of column."""
    whole = survey()
    holed = ("age", "income", "born", "region", "grade", "cost", "illness", "stage")
    return {
        name: [None if name in holed and (i * 13 + j * 7) % 17 == 0 else value for i, value in enumerate(values)]
        for j, (name, values) in enumerate(whole.items())
    }


@cache
def ties() -> Columns:
    """Duplicates and a constant: almost every distance is equal to another."""
    draw = _draws(2)
    return {
        "age": [30 + 10 * (next(draw) % 3) for _ in range(90)],
        "height": [170] * 90,
        "town": [("Vic", "Olot")[next(draw) % 2] for _ in range(90)],
        "pay": [1_000 + 500 * (next(draw) % 3) for _ in range(90)],
    }


@cache
def panel() -> Columns:
    """Six numeric columns, correlated in pairs, and two confidential ones."""
    draw = _draws(3)
    base = [[next(draw) % 1_000 for _ in range(200)] for _ in range(3)]
    pairs = {
        name: [value * (j + 1) + next(draw) % (150 + 100 * j) for value in base[j // 2]]
        for j, name in enumerate("abcdef")
    }
    return {
        **pairs,
        "pay": [(2 * x + next(draw) % 700) / 10 for x in base[0]],
        "debt": [next(draw) % 50 * (next(draw) % 9) for _ in range(200)],
    }


@cache
def few() -> Columns:
    """Fewer than 2k records."""
    return {name: values[:7] for name, values in survey().items()}


TABLES = {"discharges": discharges, "survey": survey, "holes": holes, "ties": ties, "panel": panel, "few": few}
"""The tables by name."""


def to_csv(columns: Columns, *, delimiter: str = ",", decimal: str = ".", date: str = "%Y-%m-%d") -> str:
    """Write a table as CSV text; missing cells are empty."""

    def written(value: object) -> str:
        match value:
            case None:
                return ""
            case float():
                return repr(value).replace(".", decimal)
            case dt.date():
                return value.strftime(date)
            case _:
                return str(value)

    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([written(value) for value in row] for row in zip(*columns.values(), strict=True))
    return text.getvalue()


def _draws(seed: int) -> Iterator[int]:
    state = seed
    while True:
        state = (1_103_515_245 * state + 12_345) % 2**31
        yield state >> 8
