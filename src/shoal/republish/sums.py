"""Sums: how few subjects a sum is about that follows from the released means of a growing table.

The subjects of a cell stood in the same classes in every release, so that whoever adds and subtracts released sums
takes all of their values of one release with the same factor. A subject drops out of the result if the factors of each
of its values add up to nothing: one that never changed does so when all factors do, one that changed and changed back
under more conditions. The result is about those that are left. If they are never fewer than k of any one cell, no sum
is about fewer than k, whichever cells it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

ValueHistory: TypeAlias = tuple[int, ...]
"""The value of a subject in each release, numbered as they came: (0, 1, 0) has changed, and changed back. Below zero
where it had none, which adds nothing to a sum."""

GAP = -1

_Counted: TypeAlias = tuple[tuple[ValueHistory, int], ...]
_PRIME = (1 << 61) - 1
_MOST_WORK = 2_000_000
"""Numbers that a search may look at, some tenths of a second. What is not decided by then counts as too few."""


@lru_cache(maxsize=1 << 16)
def fewest_in_a_sum(histories: _Counted, k: int) -> int:
    """Return the fewest subjects of a cell that a sum can be about; k where there are never fewer.

    Parameters
    ----------
    histories
        Those of the cell's subjects in one column, all different, each with the number of subjects that have it.
    k
        How many are enough.

    Notes
    -----
    Factors that leave a subject out are orthogonal to each of its values, a value being the releases in which the
    subject had it, as a vector of zeros and ones. Hence subjects can be left alone in a sum if and only if the values
    of all others span less than the values of all. To look for the fewest: some subjects that span all are found, one
    of which must be among those left alone, and so on without it.

    Examples
    --------
    Of five, three changed their value at once. A fourth that did so alone would be the difference of two sums:

    >>> fewest_in_a_sum((((0, 0), 2), ((0, 1), 3)), k=3), fewest_in_a_sum((((0, 0), 4), ((0, 1), 1)), k=3)
    (3, 1)

    Each change here is shared by three, and yet the first release less the second, and the third less the fourth, are
    together about one alone:

    >>> fewest_in_a_sum((((0, 0, 1, 1), 3), ((0, 1, 1, 0), 3), ((0, 1, 0, 1), 1)), k=3)
    1
    """
    counted = _without_repeats(sorted(histories, key=lambda each: -each[1]))
    return _Search(counted).fewest((), counted, k)


def _without_repeats(counted: Sequence[tuple[ValueHistory, int]]) -> _Counted:
    """Leave out releases in which everybody had the same value as in another one: they add nothing."""
    releases = dict.fromkeys(zip(*(history for history, _ in counted), strict=True))
    return tuple(zip(zip(*releases, strict=True), (count for _, count in counted), strict=True))


class _Search:
    """A search for the fewest subjects without whom the others do not span all that all span."""

    def __init__(self, counted: _Counted) -> None:
        self._work = 0
        self._rank = self._spanned(counted).rank

    def fewest(self, staying: _Counted, others: _Counted, enough: int) -> int:
        """Return how many of the others, at least, must go until the rest and those kept span less, or ``enough``."""
        if self._work > _MOST_WORK:
            return 0
        span, needed = self._spanned(staying), []
        for each in others:
            if span.rank == self._rank:
                break
            if span.add(each[0]):
                needed.append(each)
        self._work += span.work
        if span.rank < self._rank:
            return 0
        for place, each in enumerate(needed):
            if each[1] < enough:  # it goes, and those before it, whose going was tried, stay
                stay = tuple(needed[:place])
                rest = tuple(other for other in others if other is not each and other not in stay)
                enough = min(enough, each[1] + self.fewest((*staying, *stay), rest, enough - each[1]))
        return enough

    def _spanned(self, counted: _Counted) -> _Span:
        span = _Span()
        for history, _ in counted:
            span.add(history)
        self._work += span.work
        return span


class _Span:
    """What the values of some histories span.

    Notes
    -----
    Reckoned modulo a prime above two to the sixtieth, which is exact for up to 36 different releases: no determinant of
    zeros and ones of that size reaches it, by Hadamard's bound. Beyond, it would have to be a multiple of the prime.
    """

    def __init__(self) -> None:
        self._rows: dict[int, list[int]] = {}
        self.work = 0

    @property
    def rank(self) -> int:
        """Its dimension."""
        return len(self._rows)

    def add(self, history: ValueHistory) -> bool:
        """Take the values of a history in; say whether that made it larger."""
        before = self.rank
        for value in dict.fromkeys(history):
            if value != GAP:
                self._add([int(value == other) for other in history])
        return self.rank > before

    def _add(self, left: list[int]) -> None:
        for place in range(len(left)):
            factor = left[place]
            if not factor:
                continue
            row = self._rows.get(place)
            if row is None:
                inverse = pow(factor, -1, _PRIME)
                self._rows[place] = [one * inverse % _PRIME for one in left]
                return
            self.work += len(left)
            left = [(one - factor * other) % _PRIME for one, other in zip(left, row, strict=True)]
