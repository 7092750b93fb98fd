"""HTML, built safely: all text is escaped, all numbers carry their exact value."""

from __future__ import annotations

import html
import json
import re
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
    """Return an element; ``class_`` stands for the attribute ``class``, ``aria_label`` for ``aria-label``.

    Examples
    --------
    >>> element("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    opened = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{html.escape(readable(value))}"' for name, value in attributes.items()
    )
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


def table(
    head: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    class_: str = "",
    right: Sequence[int] | None = None,
    label: str = "Table",
) -> Markup:
    """Return a table; the first cell of each row is its heading, columns of numbers and their heads stand to the right.

    Parameters
    ----------
    head, rows
        What stands in it.
    class_
        A class for its style.
    right
        Which columns stand to the right; those of numbers if None.
    label
        What those hear who reach it by keys.

    Examples
    --------
    >>> table(("size", "classes"), [("5", 200)]).count('class="number"')
    2
    """
    listed = [tuple(row) for row in rows]
    kinds = {i: _kind(cells) for i in range(1, len(head)) if (cells := [row[i] for row in listed])}
    if right is not None:
        kinds |= {i: "number" if i in right else "date" if kind == "date" else "" for i, kind in kinds.items()}

    def styled(place: int) -> dict[str, str]:
        return {"class_": kinds[place]} if kinds.get(place) else {}

    body = []
    for first, *others in listed:
        cells = [
            element("td", cell if isinstance(cell, Markup) else quantity(cell), **styled(i))
            for i, cell in enumerate(others, 1)
        ]
        body.append(element("tr", element("th", first, scope="row"), *cells))
    top = element("tr", *(element("th", title, scope="col", **styled(i)) for i, title in enumerate(head)))
    inner = element("table", element("thead", top), element("tbody", *body), **({"class_": class_} if class_ else {}))
    # A table that is wider than the screen scrolls by itself, and can be reached and scrolled by keys.
    return element("div", inner, class_="scroll", tabindex="0", role="region", aria_label=label)


_DATE = re.compile(r"\d{4}-\d\d(-\d\d([T ][\d:.]+)?)?")


def _kind(cells: Sequence[Any]) -> str:
    """Return how a column stands: numbers to the right, dates unbroken, all else as it comes."""
    there = [cell for cell in cells if cell is not None and cell != ""]
    if there and all(_is_number(cell) for cell in there):
        return "number"
    return "date" if there and all(isinstance(cell, str) and _DATE.fullmatch(cell) for cell in there) else ""


def _is_number(cell: Any) -> bool:
    return (isinstance(cell, int | float) and not isinstance(cell, bool)) or (
        isinstance(cell, Markup) and cell.startswith("<data")
    )
