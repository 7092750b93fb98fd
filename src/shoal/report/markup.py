"""HTML, built safely: all text is escaped, all numbers carry their exact value."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from typing import Any

from shoal.report.wording import number, readable


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def markup(child: Any) -> str:
    """Return HTML as it is, and anything else as escaped text."""
    return child if isinstance(child, Markup) else html.escape(readable(str(child)))


def element(tag: str, *children: Any, **attributes: str) -> Markup:
    """Return an element; ``class_`` stands for the attribute ``class``.

    Examples
    --------
    >>> element("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    opened = "".join(f' {name.rstrip("_")}="{html.escape(readable(value))}"' for name, value in attributes.items())
    return Markup(f"<{tag}{opened}>{join(children)}</{tag}>")


def join(children: Iterable[Any]) -> Markup:
    """Return children one after another."""
    return Markup("".join(markup(child) for child in children))


def quantity(value: Any, *, prefix: str = "", unit: str = "") -> Markup:
    """Return a number as people read it, with its exact value beside for machines; text stays text.

    Examples
    --------
    >>> quantity(0.123456789)
    '<data value="0.123456789">0.1235</data>'
    """
    if value is None:
        return Markup("–")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Markup(markup(value))
    text = prefix + number(value) + (f" {unit}" if unit else "")
    return element("data", text, value=json.dumps(value))


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], *, class_: str = "") -> Markup:
    """Return a table; the first cell of each row is its heading, numbers are set to the right."""
    body = []
    for first, *others in rows:
        cells = [
            element(
                "td",
                cell if isinstance(cell, Markup) else quantity(cell),
                **({"class_": "number"} if _is_number(cell) else {}),
            )
            for cell in others
        ]
        body.append(element("tr", element("th", first, scope="row"), *cells))
    top = element("tr", *(element("th", title, scope="col") for title in head))
    inner = element("table", element("thead", top), element("tbody", *body), **({"class_": class_} if class_ else {}))
    return element("div", inner, class_="scroll")


def _is_number(cell: Any) -> bool:
    return (isinstance(cell, int | float) and not isinstance(cell, bool)) or (
        isinstance(cell, Markup) and cell.startswith("<data")
    )
