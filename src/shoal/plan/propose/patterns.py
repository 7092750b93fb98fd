"""Patterns in the cells of a column: e-mail, phone and national numbers, diagnoses, sentences, codes."""

from __future__ import annotations

import re

from shoal.plan.propose.column_words import COUNTS
from shoal.plan.propose.profile import Profile, words_of

MOST = 0.9
"""The share of cells that must fit a pattern: a table is typed by people."""

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_PHONE = re.compile(r"(\+|00)?[\d()][\d\s()./-]{5,18}\d")
_SEPARATED = re.compile(r"^\+|\d[\s()./-]+\d")
_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}")
_ICD = re.compile(r"[A-TV-Z]\d[\dAB]\.?[\dA-Z]{0,4}")
_NATIONAL = (
    re.compile(r"\d{3}-\d{2}-\d{4}"),  # United States
    re.compile(r"\d{8}[A-Z]|[XYZ]\d{7}[A-Z]"),  # Spain
    re.compile(r"[A-Z]{2}\d{6}[A-D]"),  # United Kingdom
    re.compile(r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]"),  # Italy
    re.compile(r"[12]\d{2}(0\d|1[0-2])\d{8}(\d{2})?"),  # France
    re.compile(r"\d{2}[01]\d[0-3]\d[-+]?\d{4}"),  # Sweden, Denmark
    re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}"),  # account numbers
)


def is_email(profile: Profile) -> bool:
    """Whether the cells are e-mail addresses."""
    return profile.share(_EMAIL.fullmatch(text) is not None for text in profile.texts) >= MOST


def is_phone(profile: Profile) -> bool:
    """Whether the cells are phone numbers: seven digits and more, in groups or with a sign before them."""
    if profile.kind == "date" or (profile.kind == "numeric" and not profile.whole):
        return False
    share = profile.share(
        _PHONE.fullmatch(text) is not None
        and _SEPARATED.search(text) is not None
        and _DATE.fullmatch(text) is None
        and sum(letter.isdigit() for letter in text) >= 7
        for text in profile.texts
    )
    return share >= MOST


def is_national_number(profile: Profile) -> bool:
    """Whether nearly all cells are written as the numbers that states and banks give to people, and most differ."""
    if profile.uniqueness < 0.2:
        return False
    return any(
        profile.share(pattern.fullmatch(text) is not None for text in profile.texts) >= MOST for pattern in _NATIONAL
    )


def is_icd(profile: Profile) -> bool:
    """Whether the cells are diagnoses by the international classification: a letter, two digits, what follows."""
    texts = profile.texts
    return len(texts) > 1 and profile.share(_ICD.fullmatch(text) is not None for text in texts) >= MOST


def is_free_text(profile: Profile) -> bool:
    """Whether the cells are sentences: several words each, and hardly one twice."""
    several = profile.share(len(text.split()) >= 4 for text in profile.texts)
    return several >= 0.5 and profile.uniqueness >= 0.3


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
