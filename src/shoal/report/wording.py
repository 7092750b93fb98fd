"""Numbers as people read them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, TypeGuard


def number(value: float | int | None, digits: int = 4) -> str:
    """Write a number with a few significant digits and thousands apart.

    Examples
    --------
    >>> number(1234567), number(0.00012345), number(12345.678), number(45.0), number(None)
    ('1,234,567', '0.0001234', '12,346', '45', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if isinstance(value, int) or (value == round(value) and abs(value) < 1e15):
        return f"{int(value):,}"
    if 1e-5 <= abs(value) < 1e15:
        decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
        text = f"{value:,.{decimals}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:.{digits}g}"


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether a value is a number: true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def percent(share: float | None) -> str:
    """Write a share in percent.

    Examples
    --------
    >>> percent(0.0896), percent(1 / 5000), percent(6e-9), percent(0.0), percent(None), percent(-0.0023)
    ('9.0 %', '0.02 %', '< 0.0001 %', '0 %', '–', '−0.2 %')
    """
    if share is None:
        return "–"
    if share < 0:  # a difference
        return "0 %" if share > -1e-6 else f"\N{MINUS SIGN}{percent(-share)}"
    value = 100 * share
    if value == 0 or value >= 99.95:
        return f"{value:.0f} %"
    if value < 0.0001:
        return "< 0.0001 %"
    return f"{value:.1f} %" if value >= 0.95 else f"{number(value, 1)} %"


def readable(text: str) -> str:
    """Return text that can be drawn and written: controls as the pictures of them, what is no character as U+FFFD.

    Examples
    --------
    >>> readable("a\\x00b\\x1b[2J"), readable("\\ud800"), readable("\\ufffe"), readable("Łódź")
    ('a␀b␛[2J', '�', '�', 'Łódź')
    """
    return _UNREADABLE.sub(lambda sign: _PICTURES.get(sign[0], "\N{REPLACEMENT CHARACTER}"), text)


_UNREADABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
    + "]"
)
"""Controls but tab and line feed, marks that turn the direction of what follows, halves of pairs, noncharacters."""

_PICTURES = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {"\x7f": "\N{SYMBOL FOR DELETE}"}


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> plural(1, "group"), plural(1200, "category", "categories")
    ('1 group', '1,200 categories')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Return names in a row.

    Examples
    --------
    >>> listed(["age"]), listed(["age", "sex"], "or"), listed(["age", "sex", "stay"])
    ('age', 'age or sex', 'age, sex and stay')
    """
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def abridged(names: Sequence[str], last: str = "and") -> str:
    """Return names in a row, of many the first few and how many others there are.

    Examples
    --------
    >>> abridged(["age", "sex"]), abridged([f"x{i}" for i in range(40)], "or")
    ('age and sex', 'x0, x1, x2, x3, x4 or 35 others')
    """
    if len(names) <= _MANY:
        return listed(names, last)
    return listed([*names[:_FEW], f"{len(names) - _FEW:,} others"], last)


_MANY, _FEW = 12, 5
"""More names than so many are a wall of words: so many of them are told."""


def spoken(name: str) -> str:
    """Return the name of a guarantee as people write it.

    Examples
    --------
    >>> spoken("probabilistic_k_anonymity"), spoken("t_closeness")
    ('probabilistic k-anonymity', 't-closeness')
    """
    return re.sub(r"(?<![a-z])([a-z])_", r"\1-", name).replace("_", " ")
