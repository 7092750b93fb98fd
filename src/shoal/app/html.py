"""Elements of pages: all text is escaped, as in reports, and attributes are written as Python allows."""

from __future__ import annotations

import html
from typing import Any

from shoal.report.markup import Markup, join
from shoal.report.wording import readable

_VOID = frozenset({"input", "br", "hr", "link", "meta", "img"})


def h(tag: str, *children: Any, **attributes: Any) -> Markup:
    """Return an element: ``class_`` is class, ``data_poll`` is data-poll, True is an attribute alone, None is none.

    Examples
    --------
    >>> str(h("button", "a < b", type="submit", aria_label="go", disabled=False))
    '<button type="submit" aria-label="go">a &lt; b</button>'
    """
    parts = [f"<{tag}"]
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        written = name.rstrip("_").replace("_", "-")
        # Values come back with a form as they are; everything else is for eyes and ears.
        text = html.escape(str(value) if name == "value" else readable(str(value)))
        parts.append(f" {written}" if value is True else f' {written}="{text}"')
    parts.append(">")
    return Markup("".join(parts) + ("" if tag in _VOID else f"{join(c for c in children if c is not None)}</{tag}>"))


def select(name: str, options: list[tuple[str, str]], chosen: str, **attributes: Any) -> Markup:
    """Return a choice of values with their words."""
    known = [value for value, _ in options]
    entries = options if chosen in known else [(chosen, chosen or "–"), *options]
    return h(
        "select",
        *(h("option", words, value=value, selected=value == chosen) for value, words in entries),
        name=name,
        **attributes,
    )


def form(action: str, *children: Any, **attributes: Any) -> Markup:
    """Return a form that the page sends without leaving."""
    return h("form", *children, method="post", action=action, data_swap=True, **attributes)


def button(words: str, *, kind: str = "", **attributes: Any) -> Markup:
    """Return a button."""
    return h("button", words, type=attributes.pop("type", "submit"), class_=f"button {kind}".strip(), **attributes)


def hidden(name: str, value: str) -> Markup:
    """Return a value that goes along with a form."""
    return h("input", type="hidden", name=name, value=value)


def field(label: str, control: Markup, *, hint: str = "", term: str = "") -> Markup:
    """Return a control with its label in plain words, the term of the field beside it, and a hint below."""
    words = [label, *([" ", h("small", term)] if term else [])]
    return h(
        "label",
        h("span", *words, class_="label"),
        control,
        h("span", hint, class_="hint") if hint else None,
        class_="field",
    )
