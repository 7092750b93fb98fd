"""Releases of tools that generalize: intervals stand for their middle, and what is starred out is lost.

ARX and sdcMicro release "20-29", "[20, 30[" or "*". To be judged beside numbers they must become some: an interval the
middle of its ends, an open one its end, a star no value at all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from shoal.frames import Categories, FrameColumn, Numbers, Table
from shoal.plan import Plan
from shoal.plan.attribute import Role

_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_INTERVAL = re.compile(rf"[\[\](]?\s*({_NUMBER})\s*(?:,|;|-|–|\.\.|:|to)\s*({_NUMBER})\s*[\])\[]?")
_OPEN = re.compile(
    rf"(?:[<>]=?|[≤≥])\s*({_NUMBER})|({_NUMBER})\s*\+|({_NUMBER})\s*(?:and|or)\s+(?:more|over|under|less)"
)
_PLAIN = re.compile(_NUMBER)
_STARS = re.compile(r"\*+|\(\*\)|suppressed", re.IGNORECASE)


@dataclass(frozen=True)
class Generalized:
    """What a column of a release holds in place of values."""

    name: str  # the column
    # intervals, open_ended, suppressed: cells that are intervals, intervals without an end on one side, and stars
    intervals: int = 0
    open_ended: int = 0
    suppressed: int = 0

    def __bool__(self) -> bool:
        return bool(self.intervals or self.open_ended or self.suppressed)

    @property
    def sentence(self) -> str:
        """Say how the cells were read.

        Examples
        --------
        >>> Generalized("age", intervals=90, suppressed=10).sentence
        'age: 90 intervals were read as their middle, 10 suppressed cells count as lost'
        """
        words = []
        for count, what, where in ((self.intervals, "interval", "middle"), (self.open_ended, "open interval", "end")):
            if count:
                were, their = ("s were", "their") if count > 1 else (" was", "its")
                words.append(f"{count:,} {what}{were} read as {their} {where}")
        if self.suppressed:
            words.append(
                f"{self.suppressed:,} suppressed cell{'s count' if self.suppressed > 1 else ' counts'} as lost"
            )
        return f"{self.name}: {', '.join(words)}"


class ReadTable(NamedTuple):
    """A table that can be compared, and what was read as something else, by column."""

    table: Table
    columns: tuple[Generalized, ...]


def read_generalized(released: Table, plan: Plan) -> ReadTable:
    """Turn what other tools write in place of values into what can be compared.

    Parameters
    ----------
    released
        The release of any tool. Columns without intervals and stars stay as they are.
    plan
        Says which columns are quasi-identifiers, and which of them are numeric.

    Returns
    -------
    The table, and what was found, by column. A column of text that is numeric by the plan becomes one of numbers where
    every cell is a number, an interval or a star; else it stays, and is refused where it is read.

    Examples
    --------
    >>> import polars as pl
    >>> plan = Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    >>> table, readings = read_generalized(Table.of(pl.DataFrame({"age": ["20-29", "[30, 40)", "*"]})), plan)
    >>> table.data["age"].to_list(), readings[0].sentence
    ([24.5, 35.0, None], 'age: 2 intervals were read as their middle, 1 suppressed cell counts as lost')
    """
    columns: dict[str, FrameColumn] = {}
    readings = []
    for name in plan.names(Role.QUASI_IDENTIFIER):
        if name not in released.names or released.dtype(name) not in ("string", "categorical"):
            continue
        if plan.attributes[name].hierarchy is not None:
            continue  # its inner nodes have names of their own, a star among them
        categories = released.categories(name)
        cells = [_Cell.of(str(label).strip()) for label in categories.labels]
        kind = plan.attributes[name].compared
        numeric = kind is not None and kind.is_number
        column = _as_numbers(cells, categories) if numeric else _without_stars(cells, categories)
        counts = np.bincount(categories.codes + 1, minlength=len(cells) + 1)[1:]
        kinds = np.array([cell.kind for cell in cells], dtype=str)
        stars, intervals, ends = (int(counts[kinds == kind].sum()) for kind in ("star", "interval", "open"))
        reading = Generalized(name, intervals, ends, stars) if numeric else Generalized(name, suppressed=stars)
        if reading and column is not None:
            columns[name] = column
            readings.append(reading)
    return ReadTable(Table.of(released.replace(columns)) if columns else released, tuple(readings))


def is_generalized(texts: Sequence[str]) -> bool:
    """Whether one of some cells is an interval or a star."""
    return any(_Cell.of(text).kind in ("interval", "open", "star") for text in texts)


class _Cell(NamedTuple):
    """A cell, what it is, and the number that stands for it: NaN where none does."""

    text: str
    kind: Literal["number", "interval", "open", "star", "blank", "text"]
    number: float = math.nan

    @classmethod
    def of(cls, text: str) -> _Cell:
        """Read a cell: a number stands for itself, the middle of its ends for an interval, its end for an open one."""
        if _STARS.fullmatch(text):
            return cls(text, "star")
        if _PLAIN.fullmatch(text):
            return cls(text, "number", float(text))
        if both := _INTERVAL.fullmatch(text):
            return cls(text, "interval", (float(both[1]) + float(both[2])) / 2)
        if one := _OPEN.fullmatch(text):
            return cls(text, "open", float(next(end for end in one.groups() if end is not None)))
        return cls(text, "text" if text else "blank")


def _as_numbers(cells: Sequence[_Cell], categories: Categories) -> Numbers | None:
    """Return a column of numbers; None where a cell is text."""
    number_of: dict[str, float] = {}
    taken: set[float] = set()
    for cell in sorted(cells, key=lambda cell: cell.kind != "number"):  # plain numbers first: they stay what they are
        if cell.kind == "text":
            return None
        number = cell.number
        while number in taken and cell.kind != "number":
            number = float(np.nextafter(number, np.inf))  # readers tell 25 from 20-30: the classes must not become one
        taken.add(number)
        number_of[cell.text] = number
    numbers = np.array([*(number_of[cell.text] for cell in cells), np.nan])[categories.codes]  # code -1 reads the last
    absent = np.isnan(numbers)
    return Numbers(numbers, absent if absent.any() else None)


def _without_stars(cells: Sequence[_Cell], categories: Categories) -> Categories:
    codes = np.array([-1 if cell.kind == "star" else code for code, cell in enumerate(cells)] + [-1], np.int32)
    return Categories(codes[categories.codes], categories.labels, categories.scale)
