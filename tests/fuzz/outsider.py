"""An outsider with a release and an external edition, who asks of each class what is left of it.

Whatever is told of an original column is a sum over classes: of squares, of records from an edge on or in a cell, of
records with a category. The outsider counts by hand what each class can add by the release alone, then what it can
still add if the sum is as told and the others add what they can. Where that is less, too much was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

VARIANCE = "variance, in percent of the original"
Ranges = tuple[np.ndarray, np.ndarray]
"""What each class adds to a sum at least and at most."""


class Column(NamedTuple):
    """A released column: the value of each class, and its records."""

    values: Sequence[Any]
    sizes: Sequence[int]


def said_too_much(told: dict[str, Any], column: Column, fewest: int) -> Iterator[str]:
    """Say which numbers that are told of a column tell of a class."""
    if told["unit"] != "percent of records" or any(name != VARIANCE for name, _, _ in told["summary"]):
        yield f"{told['name']}: more is told than shares and the variance"
        return
    look = _words if isinstance(column.values[0], str) else _numbers
    for what, ranges, low, high in look(told, column, fewest):
        if not leaves_all(ranges, low, high):
            yield f"{told['name']}: {what} tells of a class"


def tells_shares(told: dict[str, Any]) -> bool:
    """Whether shares of the original stand beside those of the release."""
    return bool(told["bins"]) and told["bins"][0]["before"] is not None


def leaves_all(ranges: Ranges, low: float, high: float) -> bool:
    """Whether each class can still add all that it could, where the sum is told to lie between two bounds."""
    least, most = ranges
    slack = 1e-9 * max(1.0, float(np.abs(most).max()))
    others_least, others_most = least.sum() - least, most.sum() - most
    return bool((high - others_least >= most - slack).all() and (low - others_most <= least + slack).all())


def _numbers(told: dict[str, Any], column: Column, fewest: int) -> Iterator[tuple[str, Ranges, float, float]]:
    means, sizes = np.array(column.values, dtype=float), np.array(column.sizes)
    records = int(sizes.sum())
    for _, _, kept in told["summary"]:
        low, high = (float(word) / 100 for word in kept.split(" to "))
        whole = float((sizes * (means - (sizes @ means) / records) ** 2).sum())
        reach = np.maximum(means - means.min(), means.max() - means)
        squares = np.zeros(len(means)), sizes * (sizes - 1.0) * reach**2
        # What was kept of the variance everybody knows, so that its share tells what was lost.
        yield "the variance", squares, whole * (1 / high - 1), whole * (1 / low - 1) if low else np.inf
    if not tells_shares(told):
        return
    above = 100
    for cell in told["bins"]:
        if cell["low"] is not None:
            ends = [(above + half) * records / 100 for half in (-0.5, 0.5)]
            yield f"the share from {cell['low']} on", _within(means, sizes, cell["low"], None), ends[0], ends[1]
        inside = [(cell["before"] + one) * records / 100 for one in (-1, 1)]
        yield f"the share of {cell['label']}", _within(means, sizes, cell["low"], cell["high"]), inside[0], inside[1]
        above -= cell["before"]


def _within(means: np.ndarray, sizes: np.ndarray, low: float | None, high: float | None) -> Ranges:
    """Count how many values of each class can lie in a cell: all ways to part it in those below, inside and beyond."""
    start, end = means.min(), means.max()
    first, last = (start if low is None else low), (end if high is None else high)
    least, most = np.zeros(len(means)), np.zeros(len(means))
    for size in np.unique(sizes):
        inside, under = (grid.ravel() for grid in np.mgrid[0 : size + 1, 0 : size + 1])
        fits = inside + under <= size
        fits &= (under == 0) | (low is not None and low > start)
        fits &= (inside + under == size) | (high is not None and high < end)
        inside, under = inside[fits], under[fits]
        beyond = size - inside - under
        smallest = under * start + inside * max(first, start) + beyond * max(last, start)
        greatest = under * min(first, end) + inside * min(last, end) + beyond * end
        for place in np.flatnonzero(sizes == size):
            total, slack = size * means[place], 1e-9 * size * max(abs(start), abs(end))
            possible = inside[(smallest <= total + slack) & (total <= greatest + slack)]
            least[place], most[place] = possible.min(), possible.max()
    return least, most


def _words(told: dict[str, Any], column: Column, fewest: int) -> Iterator[tuple[str, Ranges, float, float]]:
    modes, sizes = np.array(column.values), np.array(column.sizes)
    records, known = int(sizes.sum()), set(column.values)
    if not tells_shares(told):
        return
    shown = {cell["label"] for cell in told["bins"]} & known
    for cell in told["bins"]:
        names = {cell["label"]} if cell["label"] in known else known - shown
        # Shares are of the records in one of the parts, which a few may not be.
        low, high = (cell["before"] - 0.5) / 100 * (records - fewest), (cell["before"] + 0.5) / 100 * records
        yield f"the share of {cell['label']}", _having(modes, sizes, names, len(known)), max(low, fewest), high
    changed = int(re.match(r"(\d+)", told["sentence"])[1])
    stays, most = _having(modes, sizes, set(), len(known))[0], sizes - np.ceil(sizes / max(len(known), 2))
    yield "how many changed", (stays, most), (changed - 0.5) / 100 * records, (changed + 0.5) / 100 * records


def _having(modes: np.ndarray, sizes: np.ndarray, names: set[str], known: int) -> Ranges:
    """Count how many records of each class can have had some categories, if none was commoner than the released one."""
    own = np.isin(modes, list(names))
    outside = known - len(names)
    least = np.where(own, np.ceil(sizes / (outside + 1)), 0)
    most = np.where(own, sizes, sizes - np.ceil(sizes / (len(names) + 1)))
    return least, most
