"""Suppression: the few records that cost most are dropped, and the others are grouped without them.

Records are grouped once, those that would save most are taken out, and the run goes on with the table that is left, as
if it had come so: every guarantee is reached and judged on what is released. t-closeness compares with the released
table, which is what an outsider sees.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.masking.attribute_blocks import AttributeBlocks
from shoal.masking.average_points import group_averages
from shoal.masking.grouping import Grouper
from shoal.masking.inputs import Inputs
from shoal.masking.refinement import Refiner
from shoal.plan import Plan
from shoal.points import Points
from shoal.progress import Progress


@dataclass(frozen=True, eq=False)
class Suppression:
    """What is dropped of a table."""

    rows: NDArray[np.int64]  # the records that stay, in their order
    gone: int  # how many subjects have none left
    points: Points  # all records as they are compared
    loss: float  # the squared error of the groups that all records make

    def saved(self, labels: NDArray[np.int64]) -> float:
        """Return the percentage of the squared error that groups of the records that stay do not have."""
        if self.loss == 0:
            return 0.0
        return 100.0 * (1.0 - squared_error(self.points.take(self.rows), labels) / self.loss)


def suppression_sentence(manifest: Mapping[str, Any]) -> str | None:
    """Say what a manifest says of dropped records; nothing where the plan drops none."""
    about = manifest.get("suppressed")
    if about is None:
        return None
    if not about["records"]:
        return f"no record was dropped: {about['why']}"
    return (
        f"{about['records']:,} of {about['of']:,} records were dropped, which saved {about['saved_percent']:.3g} % of "
        "the squared error in the groups"
    )


def budget(plan: Plan, records: int) -> int:
    """Return how many records a plan may drop: the share as it is written, rounded down."""
    return 0 if plan.suppress is None else int(Fraction(repr(plan.suppress)) * records)


def choose_suppression(inputs: Inputs, plan: Plan, progress: Progress | None) -> Suppression | None:
    """Choose what to drop of a table; None where that is nothing.

    Greedy, by the squared error that is saved for a record dropped: a group as a whole, or single records of a group
    that keeps k subjects without them. A record of a group of k cannot go alone: the others would have to join groups
    elsewhere, which costs more than it saves where records are few.
    """
    records = len(inputs)
    most = budget(plan, records)
    if most == 0:
        return None
    blocks = AttributeBlocks.of(inputs, plan)
    (block,) = blocks.blocks
    labels = (
        Grouper(inputs, plan, blocks, Refiner(plan, inputs)).group(block, progress or (lambda done, total: None)).labels
    )
    points = blocks.points_of(block)
    subjects = np.arange(records) if inputs.subjects is None else inputs.subjects.numbers
    dropped = costliest(points, labels, most, k=plan.k, subjects=subjects, domains=inputs.domains)
    if len(dropped) == 0:
        return None
    rows = np.setdiff1d(np.arange(records), dropped)
    gone = 0 if inputs.subjects is None else len(np.unique(subjects)) - len(np.unique(subjects[rows]))
    return Suppression(rows, gone, points, squared_error(points, labels))


def suppression_counts(
    plan: Plan, of: int, *, records: int = 0, subjects: int = 0, saved: float = 0.0
) -> dict[str, Any]:
    """Return what the manifest says of dropped records; not which they were, which is nobody's business."""
    counts = {"asked": plan.suppress, "records": records, "of": of, "subjects": subjects}
    return {**counts, "saved_percent": round(saved, 2)}


def costliest(
    points: Points,
    labels: NDArray[np.int64],
    most: int,
    *,
    k: int,
    subjects: NDArray[np.integer[Any]],
    domains: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return at most so many rows whose loss saves most, each time that which saves most for a record dropped.

    A group keeps k subjects unless it goes as a whole, and the last group of a domain stays.
    """
    groups = _Groups(points, labels, k, subjects)
    where = np.zeros(len(labels), dtype=np.int64) if domains is None else np.unique(domains, return_inverse=True)[1]
    left_in = np.bincount([where[rows[0]] for rows in groups.rows])
    heap = [offer for group in range(len(groups.rows)) for offer in groups.offers(group)]
    heapq.heapify(heap)
    gone: list[int] = []
    while heap and len(gone) < most:
        gain, row, group, is_whole_group, version = heapq.heappop(heap)
        if version != groups.versions[group] or gain >= 0:
            continue
        rows = groups.rows[group]
        if is_whole_group:
            if len(gone) + len(rows) <= most and left_in[where[row]] > 1:
                gone += rows.tolist()
                left_in[where[row]] -= 1
                groups.leave(group, rows[:0])
        else:
            gone.append(row)
            groups.leave(group, rows[rows != row])
            for offer in groups.offers(group):
                heapq.heappush(heap, offer)
    return np.array(gone, dtype=np.int64)


Offer = tuple[float, int, int, bool, int]
"""What a drop costs less than nothing for each record, the first row, the group, whether all of it, and its version."""


class _Groups:
    """Groups that lose records, and what they offer to lose next."""

    def __init__(self, points: Points, labels: NDArray[np.int64], k: int, subjects: NDArray[np.integer[Any]]) -> None:
        self.points, self.k, self.subjects = points, k, subjects
        order = np.argsort(labels, kind="stable")
        self.rows = np.split(order, np.cumsum(np.bincount(labels))[:-1])
        self.versions = [0] * len(self.rows)
        distances = _squared_distances(points, labels)
        self._error = np.bincount(labels, distances.numbers + distances.categories)
        self._savings = savings(points, labels)

    def leave(self, group: int, rows: NDArray[np.int64]) -> None:
        """Let a group have these rows alone."""
        self.rows[group] = rows
        self.versions[group] += 1
        if len(rows):
            left, one = self.points.take(rows), np.zeros(len(rows), dtype=np.int64)
            self._error[group] = squared_error(left, one)
            self._savings[rows] = savings(left, one)

    def offers(self, group: int) -> Iterator[Offer]:
        """Return the whole group, and its costliest record where k subjects stay without it."""
        rows, version = self.rows[group], self.versions[group]
        yield -float(self._error[group]) / len(rows), int(rows[0]), group, True, version
        if len(rows) <= self.k:
            return
        # Those can go of more than k subjects, and of k the further records of one.
        _, whom, records = np.unique(self.subjects[rows], return_inverse=True, return_counts=True)
        spare = rows[(len(records) > self.k) | ((len(records) >= self.k) & (records[whom] > 1))]
        if len(spare):
            best = int(spare[np.argmax(self._savings[spare])])
            yield -float(self._savings[best]), best, group, False, version


def savings(points: Points, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what the squared error of its group loses without each record.

    Without x the error of n points falls by n / (n - 1) times its squared distance from their mean. The median rank and
    the commonest category are taken to stay.
    """
    sizes = np.bincount(labels)
    distances = _squared_distances(points, labels)
    alone = sizes[labels] == 1
    factor = sizes[labels] / np.where(alone, 1, sizes[labels] - 1)
    return np.where(alone, 0.0, distances.numbers * factor + distances.categories)


def squared_error(points: Points, labels: NDArray[np.int64]) -> float:
    """Return the squared distances of all records from the average of their group."""
    distances = _squared_distances(points, labels)
    return float(distances.numbers.sum() + distances.categories.sum())


class _SquaredDistances(NamedTuple):
    """The squared distance of each record from its group's average: in numbers, and in categories."""

    numbers: NDArray[np.float64]
    categories: NDArray[np.float64]


def _squared_distances(points: Points, labels: NDArray[np.int64]) -> _SquaredDistances:
    centres = group_averages(points, labels)
    numbers = ((points.coords - centres.coords[labels]) ** 2).sum(axis=1)
    steps = (points.ranks - centres.ranks[labels]) * points.rank_steps
    differ = (points.codes != centres.codes[labels]) * points.code_weights
    return _SquaredDistances(numbers, (steps**2).sum(axis=1) + differ.sum(axis=1))
