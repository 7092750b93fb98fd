"""Patterns in the cells of a column: e-mail, phone and national numbers, diagnoses, sentences, codes, no value."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from shoal.frames import MissingValue
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


def _fit(profile: Profile, pattern: re.Pattern[str]) -> bool:
    """Whether nearly all cells are written by a pattern."""
    return profile.share(pattern.fullmatch(text) is not None for text in profile.texts) >= MOST


def is_email(profile: Profile) -> bool:
    """Whether the cells are e-mail addresses."""
    return _fit(profile, _EMAIL)


def is_phone(profile: Profile) -> bool:
    """Whether the cells are phone numbers: seven digits and more, in groups or with a sign before them."""
    if profile.kind == "date" or (profile.kind == "numeric" and not profile.whole_numbers):
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
    return profile.uniqueness >= 0.2 and any(_fit(profile, pattern) for pattern in _NATIONAL)


def is_icd(profile: Profile) -> bool:
    """Whether the cells are diagnoses by the international classification: a letter, two digits, what follows."""
    return len(profile.texts) > 1 and _fit(profile, _ICD)


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


WORDS = ("NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None", ".", "-", "--", "?", "k.A.", "s/d")
"""What programs and people write for no value."""

_IN_TEXT = frozenset(WORDS) - {"None", "-", "--", "."}
_NEGATIVE = (-1, -6, -7, -8, -9, -66, -77, -88, -98, -99, -777, -888, -998, -999, -9999, -99999)
_POSITIVE = (88, 98, 99, 888, 998, 999, 8888, 9998, 9999, 99999, 999999)
_DATES = (
    "1900-01-01",
    "9999-12-31",
    "1111-11-11",
    "01/01/1900",
    "31/12/9999",
    "12/31/9999",
    "01.01.1900",
    "31.12.9999",
)
_FAR = 1.5
"""How many times the largest of the others a number must be to stand apart from them."""


def gap_candidates(profile: Profile) -> tuple[MissingValue, ...]:
    """Return the values of a column that seem to mean "no value".

    Notes
    -----
    A word counts among numbers and dates, and some also among names. A number counts where it is one that people use
    so, occurs twice and stands apart: negative where all others are not, or far above them.
    """
    texts = profile.texts
    words = [text for text in texts if text in (_IN_TEXT if profile.kind == "nominal" else WORDS)]
    if profile.kind == "date":
        dates = (text for text, count in zip(texts, profile.counts, strict=True) if text in _DATES and count > 1)
        return (*words, *dates)
    if profile.kind != "numeric":
        return tuple(words)
    values, counts = profile.numbers, profile.counts
    codes = {number for number in _NEGATIVE if _occurs(number, values, counts)}
    if codes and (values[~np.isin(values, list(codes))] < 0).any():
        codes = set()
    others = values[~np.isin(values, [*codes, np.nan]) & ~np.isnan(values)]
    for number in reversed(_POSITIVE):
        rest = others[others < number]
        if _occurs(number, values, counts) and len(rest) and not (others > number).any() and number > _FAR * rest.max():
            codes.add(number)
            others = rest
    return (*words, *sorted(codes))


def _occurs(number: int, values: np.ndarray, counts: np.ndarray) -> bool:
    return bool(counts[values == number].sum() > 1)


def without_gaps(profile: Profile, values: tuple[MissingValue, ...]) -> Profile:
    """Return what is seen of a column besides the cells that mean "no value"."""
    if not values:
        return profile
    written = {str(value) for value in values}
    numbers = [float(value) for value in values if not isinstance(value, str)]
    present = np.array([text not in written for text in profile.texts], dtype=np.bool_)
    if numbers:
        present &= ~np.isin(profile.numbers, numbers)
    total = int(profile.counts.sum())
    gaps = int(profile.counts[~present].sum()) * profile.present // max(total, 1)  # of a sample, as many of the table
    return replace(
        profile,
        present=profile.present - gaps,
        distinct=profile.distinct - int((~present).sum()),
        labels=tuple(label for label, keeps in zip(profile.labels, present, strict=True) if keeps),
        counts=profile.counts[present],
    )
