"""Categories before and after: bins, summary, one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kinds import Kind, Operator
from shoal.kinds.column import Column
from shoal.report.category_absorption import ClassesOfCategories
from shoal.report.data import Bin, Plain
from shoal.report.edition import Guard
from shoal.report.wording import plural

MOST_CATEGORIES = 12
MISSING = "missing"
KEPT = "records that kept their category"
STILL_THERE = "categories of the original"


@dataclass(frozen=True, eq=False)
class Codes:
    """The categories of a column in both tables by one list of labels; missing is the last of them.

    Parameters
    ----------
    name, kind
        The column.
    labels
        The original's categories in their order, then those that only the release has, then missing.
    counts
        Records of each label, before and after.
    changed
        Records that have another category than before.
    classes
        Its classes, where an external reader sees those that categories were found for, and knows what follows from it.
    """

    name: str
    kind: Kind
    labels: tuple[str, ...]
    counts: NDArray[np.int64]
    changed: int
    classes: ClassesOfCategories | None = None

    @classmethod
    def of(
        cls,
        before: Column,
        after: Column,
        groups: NDArray[np.int64] | None = None,
        operator: Operator = Operator.MODE,
    ) -> Codes:
        """Bring the categories of two tables that are at hand together by how they are written.

        Groups are the classes that an external reader sees, where the operator found a category for each of them.
        """
        labels, x, y = joint_codes(before, after)
        counts = np.stack([np.bincount(side, minlength=len(labels)) for side in (x, y)])
        classes = None if groups is None else ClassesOfCategories.of(x, y, groups, operator)
        return cls(before.name, before.kind, labels, counts, int((x != y).sum()), classes)

    @property
    def ordered(self) -> bool:
        """Whether the order of the labels has a meaning."""
        return self.kind.is_ordinal

    @property
    def records(self) -> int:
        """How many there are."""
        return int(self.counts[0].sum())

    @property
    def moves(self) -> NDArray[np.int64]:
        """Records that each label has more than before."""
        return np.asarray(self.counts[1] - self.counts[0])

    @property
    def lost(self) -> int:
        """Categories that the release does not have any more; that nothing is missing any more loses none."""
        return self._only(0)

    @property
    def gained(self) -> int:
        """Categories that only the release has, such as nodes of a tree."""
        return self._only(1)

    def _only(self, side: int) -> int:
        there = self.counts > 0
        named = np.array([label != MISSING for label in self.labels])
        return int((there[side] & ~there[1 - side] & named).sum())


def joint_codes(before: Column, after: Column) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int64]]:
    """Return the labels of two tables together, and the place of each record's category among them."""
    known: dict[str, int] = {}
    for column in (before, after):
        for level in column.levels:
            known.setdefault(MISSING if level is None else str(level), len(known))
    missing = known.setdefault(MISSING, len(known))
    sides = []
    for column in (before, after):
        places = [missing if level is None else known[str(level)] for level in column.levels]
        codes = np.array([*places, missing], dtype=np.int64)[column.values]
        sides.append(codes if column.missing is None else np.where(column.missing, missing, codes))
    return tuple(known), sides[0], sides[1]


def category_bins(codes: Codes, guard: Guard, *, changed: bool) -> tuple[Bin, ...]:
    """Return the records of each category, as far as the edition may show them; the rest are joined in one bin.

    Of many categories those are shown whose shares moved most; to external readers, to whom that would tell who moved,
    the most frequent ones. A column whose values were masked counts as changed, whether any did or not.
    """
    published = not (guard.external and changed) or shares_are_safe(codes, guard)
    # What differs would be a few records, or none: nothing of it is shown.
    before = codes.counts[0] if published else codes.counts[1]
    shown, rest = _parts(codes, guard)
    if guard.external and len(shown) + bool(rest) < 2:
        return ()
    # In order of frequency, unless that order is itself something that external readers need not know.
    order = sorted(shown) if codes.ordered or guard.external else shown
    parts = [([i], codes.labels[i]) for i in order]
    if rest:
        joined = "all others" if guard.external else plural(len(rest), "other category", "other categories")
        parts.append((rest, joined))
    sides = [_amounts(side, [places for places, _ in parts], guard) for side in (before, codes.counts[1])]
    return tuple(
        Bin(label, None, None, first if published else None, second)
        for (_, label), first, second in zip(parts, *sides, strict=True)
    )


def _parts(codes: Codes, guard: Guard) -> tuple[list[int], list[int]]:
    """Return the categories that are shown by themselves, the most frequent first, and those that are joined.

    For external readers both follow from the release alone: which categories were frequent before, or had by few, is
    not theirs to learn. One that nobody left with is among those that are joined, if any are, or nowhere: neither its
    name, nor that it lacks, nor a part of its own tells how many records had it.
    """
    before, after = codes.counts
    if not guard.external:
        shown = [i for i in range(len(codes.labels)) if before[i] or after[i]]
        if len(shown) > MOST_CATEGORIES:
            shown = sorted(shown, key=lambda i: (-abs(codes.moves[i]), -before[i]))[:MOST_CATEGORIES]
        shown.sort(key=lambda i: -before[i])
        return shown, [i for i in range(len(codes.labels)) if (before[i] or after[i]) and i not in set(shown)]
    often = [i for i in range(len(codes.labels)) if after[i] >= guard.fewest]
    shown = sorted(often, key=lambda i: -after[i])[:MOST_CATEGORIES]
    rest = [i for i in range(len(codes.labels)) if after[i] and i not in set(shown)]
    # What is joined must be many records too, or subtraction would reveal them.
    while rest and shown and after[rest].sum() < guard.fewest:
        rest.append(shown.pop())
    return shown, [*rest, *(i for i in range(len(codes.labels)) if before[i] and not after[i])] if rest else []


def _amounts(counts: NDArray[np.int64], parts: Sequence[Sequence[int]], guard: Guard) -> list[int]:
    """Return what stands for the records of each part, of all that are in one."""
    amounts = [int(counts[list(places)].sum()) for places in parts]
    return [guard.amount(amount, of=sum(amounts)) for amount in amounts]


def shares_are_safe(codes: Codes, guard: Guard) -> bool:
    """Whether external readers may know the shares of the original, and how many records changed category.

    Notes
    -----
    Many changed, and many did not; and whatever one class had, the others could have made up for it
    (`shoal.report.category_absorption`): where no more than two of five can have had another category than they left
    with, and 40 % of all records had, each class is known.

    Shares are of the records in one of the parts. Where none are joined, those who had a category that nobody left with
    are in no part, and how many they are is not known. Whatever one class of m had, it may be that all others had
    categories of the release: then shares are of all records but at most m - 1, and a bound that two of the widest
    classes fit beside leaves one of them for what the class had, and the other for that.
    """
    if codes.classes is None or not _many_changed(codes, guard):
        return False
    shown, rest = _parts(codes, guard)
    parts = [*([i] for i in shown), *([rest] if rest else [])]
    if any(codes.counts[0][places].sum() < guard.fewest for places in parts):
        return False
    shares = _amounts(codes.counts[0], parts, guard)
    changed = guard.share(codes.changed, codes.records)
    return codes.classes.changes().hides_share(changed, codes.records) and all(
        codes.classes.having(places).hides_share(share, codes.records)
        for places, share in zip(parts, shares, strict=True)
    )


def _many_changed(codes: Codes, guard: Guard) -> bool:
    """Whether so many records changed category, and so many did not, that anybody may know how many."""
    return not guard.external or min(codes.changed, codes.records - codes.changed) >= guard.fewest


def summary(codes: Codes, guard: Guard) -> tuple[tuple[str, Plain, Plain], ...]:
    """Return the numbers of categories and of records that kept theirs; external readers do not see them."""
    if guard.external:
        return ()
    there = codes.counts[:, [label != MISSING for label in codes.labels]] > 0
    place = codes.labels.index(MISSING)
    return (
        ("missing", int(codes.counts[0, place]), int(codes.counts[1, place])),
        ("categories", int(there[0].sum()), int(there[1].sum())),
        (STILL_THERE, int(there[0].sum()), int(there[0].sum()) - codes.lost),
        (KEPT, codes.records, codes.records - codes.changed),
    )


def sentence(codes: Codes, guard: Guard) -> str:
    """Say how many records changed category, and whether categories disappeared."""
    changed = codes.changed
    if not guard.external or shares_are_safe(codes, guard):
        many = f"{_whole_percent(changed, codes.records)} of the records have another category than before"
    else:  # whether they are few is not said, either: of a few large classes that would tell, too
        many = "How many records have another category than before is not told: those of a class could be found from it"
    if guard.external:
        return f"{many}."
    lost = f"; {plural(codes.lost, 'category is', 'categories are')} not in the release any more" if codes.lost else ""
    new = f", {codes.gained:,} {'is' if codes.gained == 1 else 'are'} new in it" if codes.gained else ""
    return f"{many}{lost}{new}. {_largest_move(codes)}"


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


def _largest_move(codes: Codes) -> str:
    """Say which category's share moved most."""
    place = int(np.abs(codes.moves).argmax())
    if codes.moves[place] == 0:
        return "Every category has as many records as before."
    before, after = (f"{100 * count / codes.records:.1f}" for count in codes.counts[:, place])
    return f"The share that moved most is that of {codes.labels[place]}, from {before} to {after}\N{NO-BREAK SPACE}%."
