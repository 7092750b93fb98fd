"""Categories before and after: bins, summary, one sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kinds import Kind
from shoal.kinds.column import Column
from shoal.report.report_data import Bin, Plain
from shoal.report.wording import plural

MOST_CATEGORIES = 12
MISSING = "missing"
KEPT = "records that kept their category"
STILL_THERE = "categories of the original"
COMPARED = (KEPT, STILL_THERE)
"""What a summary says of both tables together."""


@dataclass(frozen=True, eq=False)
class Codes:
    """The categories of a column in both tables by one list of labels; missing is the last of them."""

    name: str
    kind: Kind
    labels: tuple[str, ...]  # the original's categories in their order, then those that only the release has
    counts: NDArray[np.int64]  # records of each label, before and after
    changed: int  # records that have another category than before

    @classmethod
    def of(cls, before: Column, after: Column) -> Codes:
        """Bring the categories of two tables that are at hand together by how they are written."""
        codes = JointCodes.of(before, after)
        counts = np.stack([np.bincount(side, minlength=len(codes.labels)) for side in (codes.before, codes.after)])
        return cls(before.name, before.kind, codes.labels, counts, int((codes.before != codes.after).sum()))

    @property
    def records(self) -> int:
        """How many there are."""
        return int(self.counts[0].sum())

    @property
    def moves(self) -> NDArray[np.int64]:
        """Records that each label has more than before."""
        return np.asarray(self.counts[1] - self.counts[0])

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which categories occur before and after; that a value is missing is none."""
        return np.asarray(self.counts[:, [label != MISSING for label in self.labels]] > 0)

    @property
    def lost(self) -> int:
        """Categories that the release does not have any more."""
        before, after = self.present
        return int((before & ~after).sum())

    def bins(self) -> tuple[Bin, ...]:
        """Return the records of each category; of many, those shown whose shares moved most, and the rest together."""
        before, after = self.counts
        present = [i for i in range(len(self.labels)) if before[i] or after[i]]
        shown = present
        if len(present) > MOST_CATEGORIES:
            shown = sorted(present, key=lambda i: (-abs(self.moves[i]), -before[i]))[:MOST_CATEGORIES]
        shown = sorted(shown) if self.kind.is_ordinal else sorted(shown, key=lambda i: -before[i])
        bins = [Bin(self.labels[i], None, None, int(before[i]), int(after[i])) for i in shown]
        rest = [i for i in present if i not in set(shown)]
        if rest:
            label = plural(len(rest), "other category", "other categories")
            bins.append(Bin(label, None, None, int(before[rest].sum()), int(after[rest].sum())))
        return tuple(bins)

    def summary(self) -> tuple[tuple[str, Plain, Plain], ...]:
        """Return the numbers of categories and of records that kept theirs."""
        before, after = self.present.sum(axis=1).tolist()
        return (
            ("missing", *self.counts[:, self.labels.index(MISSING)].tolist()),
            ("categories", before, after),
            (STILL_THERE, before, before - self.lost),
            (KEPT, self.records, self.records - self.changed),
        )

    def sentence(self) -> str:
        """Say how many records changed category, whether categories disappeared, and whose share moved most."""
        before, after = self.present
        gained = int((after & ~before).sum())  # such as nodes of a tree
        many = f"{_whole_percent(self.changed, self.records)} of the records have another category than before"
        gone = plural(self.lost, "category is", "categories are")
        lost = f"; {gone} not in the release any more" if self.lost else ""
        new = f", {gained:,} {'is' if gained == 1 else 'are'} new in it" if gained else ""
        return f"{many}{lost}{new}. {self._largest_move()}"

    def _largest_move(self) -> str:
        place = int(np.abs(self.moves).argmax())
        if self.moves[place] == 0:
            return "Every category has as many records as before."
        before, after = (f"{100 * count / self.records:.1f}" for count in self.counts[:, place])
        return (
            f"The share that moved most is that of {self.labels[place]}, from {before} to {after}\N{NO-BREAK SPACE}%."
        )


@dataclass(frozen=True, eq=False)
class JointCodes:
    """The labels of two tables together, and the place of each record's category among them, before and after."""

    labels: tuple[str, ...]
    before: NDArray[np.int64]
    after: NDArray[np.int64]

    @classmethod
    def of(cls, before: Column, after: Column) -> JointCodes:
        """Bring the labels of two columns together by how they are written."""
        places: dict[str, int] = {}
        for column in (before, after):
            for level in column.levels:
                places.setdefault(MISSING if level is None else str(level), len(places))
        missing = places.setdefault(MISSING, len(places))
        sides = []
        for column in (before, after):
            levels = [missing if level is None else places[str(level)] for level in column.levels]
            codes = np.array([*levels, missing], dtype=np.int64)[column.values]
            sides.append(codes if column.missing is None else np.where(column.missing, missing, codes))
        return cls(tuple(places), *sides)


def _whole_percent(part: int, of: int) -> str:
    """Return a share in whole percents; what is not nothing is not told as nothing, and not all as all.

    Examples
    --------
    >>> [_whole_percent(part, 1000).replace("\\xa0", " ") for part in (0, 3, 17, 997, 1000)]
    ['0 %', 'Under 1 %', '2 %', 'Over 99 %', '100 %']
    """
    share = 100 * part / of
    if part and share < 0.5:
        return "Under 1\N{NO-BREAK SPACE}%"
    if part < of and share >= 99.5:
        return "Over 99\N{NO-BREAK SPACE}%"
    return f"{share:.0f}\N{NO-BREAK SPACE}%"
