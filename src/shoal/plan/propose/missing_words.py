"""Candidates for "no value": words and numbers that files have in place of one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.frames import MissingValue
from shoal.plan.propose.profile import Profile

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
        return (
            *words,
            *(text for text, count in zip(texts, profile.counts, strict=True) if text in _DATES and count > 1),
        )
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
