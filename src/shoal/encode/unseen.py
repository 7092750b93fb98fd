"""Characters that nobody sees: without them, two texts that look alike are one."""

from __future__ import annotations

import unicodedata
from bisect import bisect
from functools import lru_cache

_IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""Default_Ignorable_Code_Point of the Unicode Character Database (DerivedCoreProperties.txt of version 14.0), first and
last of each range: variation selectors, fillers, joiners, tags. Python's ``unicodedata`` does not have the property."""

_STARTS = [first for first, _ in _IGNORABLE]

_BLANKS = frozenset("\t\n\u2800\U00016fe4\U0001d159")
"""What looks like a space and is none by its category: tab, end of line, an empty Braille cell, a Khitan filler, a note
without a head."""


def visible(text: str) -> str:
    """Return a text without what nobody sees: controls, marks of format, what is ignorable; blanks are spaces.

    Examples
    --------
    >>> visible("ann\\u200b"), visible("a\\x01nn\\ufe0f"), visible("ann\\u2800lee")
    ('ann', 'ann', 'ann lee')
    """
    return "".join(map(_seen, text))


@lru_cache(1 << 14)
def _seen(letter: str) -> str:
    """Return what is seen of a letter: itself, a space or nothing."""
    category = unicodedata.category(letter)
    if category in ("Zs", "Zl", "Zp") or letter in _BLANKS:
        return " "
    place = bisect(_STARTS, ord(letter)) - 1
    ignorable = place >= 0 and ord(letter) <= _IGNORABLE[place][1]
    return "" if ignorable or category in ("Cc", "Cf") else letter
