"""An outsider with a release and an external edition, who asks of each class what is left of it.

Whatever is told of an original column is a sum over classes: of squares, of records from an edge on or in a cell, of
records with a category. The outsider tries what each class can add by the release alone, then what it can still add if
the sum is as told and the others add what they can. Where that is less, too much was said.

Outsiders believe different things: that no value lies beyond the smallest or greatest released one, or some way out; on
one side, on both or on none; that numbers are whole. Each of them asks, and each by trying: values are parted among
those below, inside and beyond a cell in all ways, squares are counted in all corners of what is possible. Persons whose
records are known to be theirs move as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from fuzz.outsider_of_categories import Categories

VARIANCE = "variance, in percent of the original"
Ranges = tuple[np.ndarray, np.ndarray]
"""What each class adds to a sum at least and at most."""
Asked = Iterator[tuple[str, Ranges, float, float]]
"""What was told, what classes can add to it by the release alone, and between which bounds it lies."""


class Column(NamedTuple):
    """A released column: the value of each class, its records, how categories were found, whose records are whose."""

    values: Sequence[Any]
    sizes: Sequence[int]
    categories: Categories | None = None
    persons: Sequence[Sequence[int]] | None = None


class Belief(NamedTuple):
    """Between which ends values lie, and of which step they are multiples; 0 where they may be any number."""

    low: float
    high: float
    step: float = 0.0


def said_too_much(told: dict[str, Any], column: Column, fewest: int) -> Iterator[str]:
    """Say which numbers that are told of a column tell of a class."""
    if told["unit"] != "percent of records" or any(name != VARIANCE for name, _, _ in told["summary"]):
        yield f"{told['name']}: more is told than shares and the variance"
        return
    look = _words if column.categories else _numbers
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


def beliefs(column: Column) -> Iterator[Belief]:
    """Yield what outsiders may believe of a column of numbers."""
    means, sizes = np.array(column.values, dtype=float), np.array(column.sizes)
    start, end = float(means.min()), float(means.max())
    further = (end - start) / 5
    for low in (-np.inf, start - further, start):
        for high in (end, end + further, np.inf):
            yield Belief(low, high)
    sums = means * sizes
    if column.persons is None and (np.abs(sums - np.rint(sums)) < 1e-6).all():
        yield from (
            Belief(low, high, 1.0)
            for low in (-np.inf, float(np.floor(start)))
            for high in (float(np.ceil(end)), np.inf)
        )


def _numbers(told: dict[str, Any], column: Column, fewest: int) -> Asked:
    means, sizes = np.array(column.values, dtype=float), np.array(column.sizes)
    persons = column.persons or [(1,) * size for size in column.sizes]
    records = int(sizes.sum())
    for belief in beliefs(column):
        who = f"to who believes in {belief.low:g} to {belief.high:g}{' in whole numbers' if belief.step else ''}"
        for _, _, kept in told["summary"]:
            low, high = (float(word) / 100 for word in kept.split(" to "))
            whole = float((sizes * (means - (sizes @ means) / records) ** 2).sum())
            # What was kept of the variance everybody knows, so that its share tells what was lost. Who believes in no
            # end at all is told one by any bound, and cannot be asked.
            if np.isfinite([belief.low, belief.high]).any():
                ends = whole * (1 / high - 1), whole * (1 / low - 1) if low else np.inf
                yield f"the variance, {who},", squares(means, persons, belief), *ends
        above = 100
        for cell in told["bins"] if tells_shares(told) else ():
            if cell["low"] is not None:
                ends = (above - 0.5) * records / 100, (above + 0.5) * records / 100
                found = within(means, persons, belief, cell["low"], None)
                yield f"the share from {cell['low']} on, {who},", found, *ends
            ends = (cell["before"] - 1) * records / 100, (cell["before"] + 1) * records / 100
            found = within(means, persons, belief, cell["low"], cell["high"])
            yield f"the share of {cell['label']}, {who},", found, *ends
            above -= cell["before"]


def within(
    means: np.ndarray, persons: Sequence[Sequence[int]], belief: Belief, low: float | None, high: float | None
) -> Ranges:
    """Find how many records of each class can lie in a cell, by all ways to part it."""
    least, most = np.zeros(len(means)), np.zeros(len(means))
    of_class = [tuple(sorted(group)) for group in persons]
    for group in set(of_class):
        places = np.flatnonzero([each == group for each in of_class])
        size = sum(group)
        under, inside = ways_to_part(group)
        smallest, greatest = np.zeros(len(under)), np.zeros(len(under))
        fits, open_end = np.ones(len(under), bool), np.zeros(len(under), bool)
        for many, is_there, ends in (
            (under, low is not None, (None, low)),
            (inside, True, (low, high)),
            (size - under - inside, high is not None, (high, None)),
        ):
            first, last, unreached = _region(belief, *ends)
            some = many > 0
            fits &= ~some | (is_there and (first < last or (first == last and not unreached)))
            smallest[some] += many[some] * first
            greatest[some] += many[some] * last
            open_end |= some & unreached
        totals = size * means[places, None]
        slack = 1e-9 * size * np.maximum(1, np.abs(totals))
        fits = fits & (smallest <= totals + slack)
        fits &= np.where(open_end, totals < greatest - slack, totals <= greatest + slack)
        least[places] = np.where(fits, inside, size + 1).min(axis=1)
        most[places] = np.where(fits, inside, -1).max(axis=1)
    return least, most


def _region(belief: Belief, low: float | None, high: float | None) -> tuple[float, float, bool]:
    """Return the least and greatest values from one edge to another, and whether the last is not reached."""
    first = belief.low if low is None else max(belief.low, low)
    if belief.step and np.isfinite(first):
        first = float(np.ceil(first - 1e-9))
    if high is None or high > belief.high:
        return first, belief.high, False
    return (first, float(np.ceil(high - 1e-9)) - 1, False) if belief.step else (first, high, True)


@cache
def ways_to_part(persons: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return how many records of some persons can lie below and inside a cell, the others beyond."""
    found = {(0, 0)}
    for many in persons:
        found |= {(under + many, inside) for under, inside in found} | {(u, inside + many) for u, inside in found}
    under, inside = np.array(sorted(found)).T
    return under, inside


def squares(means: np.ndarray, persons: Sequence[Sequence[int]], belief: Belief) -> Ranges:
    """Find the fewest and most squares around the mean of each class."""
    pairs = [_squares_of(float(mean), tuple(sorted(group)), belief) for mean, group in zip(means, persons, strict=True)]
    least, most = np.array(pairs).T
    return least, most


@cache
def _squares_of(mean: float, persons: tuple[int, ...], belief: Belief) -> tuple[float, float]:
    """Put all persons but one at an end, in every way: squares are greatest in a corner of what is possible."""
    size, most = sum(persons), 0.0
    for place, many in enumerate(persons):
        if place and persons[place - 1] == many:
            continue
        others = persons[:place] + persons[place + 1 :]
        for at_high in _sums(others) if np.isfinite(belief.high) else {0}:
            at_low = size - many - at_high
            if at_low and not np.isfinite(belief.low):
                continue
            ends = [(count, end) for count, end in ((at_high, belief.high), (at_low, belief.low)) if count]
            value = (size * mean - sum(count * end for count, end in ends)) / many
            slack = 1e-9 * max(1.0, abs(mean))
            if belief.low - slack <= value <= belief.high + slack:
                found = many * (value - mean) ** 2 + sum(count * (end - mean) ** 2 for count, end in ends)
                most = max(most, found)
    least = 0.0
    if belief.step:  # whole numbers on both sides of the mean, and no others
        whole = np.floor(mean + 1e-9)
        upper = round(size * (mean - whole))
        least = upper * (whole + 1 - mean) ** 2 + (size - upper) * (whole - mean) ** 2
    return least, most


@cache
def _sums(persons: tuple[int, ...]) -> frozenset[int]:
    found = {0}
    for many in persons:
        found |= {each + many for each in found}
    return frozenset(found)


def _words(told: dict[str, Any], column: Column, fewest: int) -> Asked:
    categories, sizes = column.categories, np.array(column.sizes)
    assert categories is not None, "words are categories"
    records, known = int(sizes.sum()), set(column.values)
    if not tells_shares(told):
        return
    shown = {cell["label"] for cell in told["bins"]} & known
    persons = column.persons or [(1,) * size for size in column.sizes]
    changed = int(re.match(r"(\d+)", told["sentence"])[1])
    for others in (False, True):
        for cell in told["bins"]:
            names = {cell["label"]} if cell["label"] in known else known - shown
            joined = cell["label"] not in known
            low, high = (cell["before"] - 0.5) / 100 * records, (cell["before"] + 0.5) / 100 * records
            ranges = categories.having(column.values, persons, names, others=others, joined=joined)
            yield f"the share of {cell['label']}", ranges, max(low, fewest), high
        kept = categories.kept(column.values, persons, others=others)
        ranges = sizes - kept[1], sizes - kept[0]
        yield "how many changed", ranges, (changed - 0.5) / 100 * records, (changed + 0.5) / 100 * records
