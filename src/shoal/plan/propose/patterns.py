"""Patterns in the cells of a column: e-mail, phone and national numbers, diagnoses, sentences."""

from __future__ import annotations

import re

from shoal.plan.propose.profile import Profile

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
