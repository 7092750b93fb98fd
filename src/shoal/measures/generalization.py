"""Releases of tools that generalize: intervals stand for their middle, and what is starred out is lost.

ARX and sdcMicro release "20-29", "[20, 30[" or "*". To be judged beside numbers they must become some: an interval the
middle of its ends, an open one its end, a star no value at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.frames import Categories, FrameColumn, Numbers, Table
from shoal.plan import Plan
from shoal.plan.attribute import Role

_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_INTERVAL = re.compile(rf"[\[\](]?\s*({_NUMBER})\s*(?:,|;|-|–|\.\.|:|to)\s*({_NUMBER})\s*[\])\[]?")
_OPEN = re.compile(
    rf"(?:[<>]=?|[≤≥])\s*({_NUMBER})|({_NUMBER})\s*\+|({_NUMBER})\s*(?:and|or)\s+(?:more|over|under|less)"
)
_STARS = re.compile(r"\*+|\(\*\)|suppressed", re.IGNORECASE)


@dataclass(frozen=True)
class Generalized:
    """What a column of a release holds in place of values.

    Parameters
    ----------
    name
        The column.
    intervals, open_ended, suppressed
        Cells that are intervals, intervals without an end on one side, and stars.
    """

    name: str
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
        labels = [str(label).strip() for label in categories.labels]
        kind = plan.attributes[name].compared
        numeric = kind is not None and kind.is_number
        counts = np.bincount(categories.codes[categories.codes >= 0], minlength=len(labels))
        column = _as_numbers(labels, categories) if numeric else _without_stars(labels, categories)
        reading = _reading(name, labels, counts, numeric=numeric)
        if reading and column is not None:
            columns[name] = column
            readings.append(reading)
    return ReadTable(Table.of(released.replace(columns)) if columns else released, tuple(readings))


def is_generalized(texts: Sequence[str]) -> bool:
    """Whether one of some cells is an interval or a star."""
    return any(_STARS.fullmatch(text) or (not _is_number(text) and _middle(text) is not None) for text in texts)


def _as_numbers(labels: Sequence[str], categories: Categories) -> Numbers | None:
    values: list[float] = []
    taken: set[float] = set()
    for label in sorted(labels, key=_is_number, reverse=True):  # plain numbers first: they stay what they are
        value = np.nan if _STARS.fullmatch(label) or not label else _middle(label)
        if value is None:
            return None
        while value in taken and not _is_number(label):
            value = float(np.nextafter(value, np.inf))  # readers tell 25 from 20-30: the classes must not become one
        taken.add(value)
        values.append(value)
    of_label = dict(zip(sorted(labels, key=_is_number, reverse=True), values, strict=True))
    numbers = np.array([*(of_label[label] for label in labels), np.nan])[categories.codes]  # code -1 reads the last
    absent = np.isnan(numbers)
    return Numbers(numbers, absent if absent.any() else None)


def _without_stars(labels: Sequence[str], categories: Categories) -> Categories:
    codes = np.array([-1 if _STARS.fullmatch(label) else code for code, label in enumerate(labels)] + [-1], np.int32)
    return Categories(codes[categories.codes], categories.labels, categories.scale)


def _reading(name: str, labels: Sequence[str], counts: np.ndarray, *, numeric: bool) -> Generalized:
    def cells(kind: str) -> int:
        return int(sum(count for label, count in zip(labels, counts, strict=True) if _sort(label) == kind))

    if not numeric:
        return Generalized(name, suppressed=cells("star"))
    return Generalized(name, cells("interval"), cells("open"), cells("star"))


def _sort(label: str) -> str:
    if _STARS.fullmatch(label):
        return "star"
    if _is_number(label):
        return "number"
    return "interval" if _INTERVAL.fullmatch(label) else "open" if _OPEN.fullmatch(label) else "text"


def _middle(label: str) -> float | None:
    """Return the number that stands for a cell: its own, the middle of its ends, or its one end; None where none is."""
    if _is_number(label):
        return float(label)
    both = _INTERVAL.fullmatch(label)
    if both is not None:
        return (float(both[1]) + float(both[2])) / 2
    one = _OPEN.fullmatch(label)
    return None if one is None else float(next(end for end in one.groups() if end is not None))


def _is_number(label: str) -> bool:
    return re.fullmatch(_NUMBER, label) is not None
