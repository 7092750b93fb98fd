"""How a category is written: what makes two values of different types the same category."""

from __future__ import annotations

from typing import Any


def category_text(category: Any) -> str:
    """Return the text of a category; a whole number has one text, whatever its type.

    >>> category_text(3), category_text(3.0), category_text("3"), category_text(2.5)
    ('3', '3', '3', '2.5')
    """
    return str(int(category)) if isinstance(category, float) and category.is_integer() else str(category)
