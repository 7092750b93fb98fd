"""Whole numbers of few levels: codes that look like numbers, and must not be averaged."""

from __future__ import annotations

from shoal.plan.propose.profile import words_of
from shoal.plan.propose.vocabulary import COUNTS

MOST_LEVELS = 15
"""More different whole numbers than these are amounts, unless the name says that they are codes."""

FEWEST_RECORDS = 5
"""Records for each level, below which nothing can be said."""


def looks_like_codes(name: str, distinct: int, present: int) -> bool:
    """Whether whole numbers are few enough to be codes of categories, and the name does not say that they count.

    Examples
    --------
    >>> looks_like_codes("roof", 7, 900), looks_like_codes("children", 7, 900), looks_like_codes("pay", 700, 900)
    (True, False, False)
    """
    return 1 < distinct <= MOST_LEVELS and present >= FEWEST_RECORDS * distinct and not words_of(name) & COUNTS
