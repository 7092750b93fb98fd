"""HTML by templates: all text is escaped and can be read, all numbers carry their exact value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from shoal.report.wording import is_number, number, percent, readable, spoken

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Markup", "environment", "fill", "join", "quantity", "render", "style_sheet", "table"]


def render(name: str, /, **values: Any) -> Markup:
    """Return what a template makes of values.

    Its name is a room and a file in the folder ``templates`` there, as templates name each other, too. Text is escaped,
    controls in it are drawn as pictures of them; `Markup` stays as it is, and so does a value that passed
    ``forceescape``, such as that of a field, which comes back with its form.

    Examples
    --------
    >>> render("report/table.html", head=["a < b"], rows=[], styles=[""], class_="", label="Table").count("a &lt; b")
    1
    """
    return Markup(environment().get_template(name).render(values))


@cache
def environment() -> Environment:
    """Return what templates of HTML are read by; what is written otherwise takes an overlay of it."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # who makes no page does not wait for it

    environment = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {"number": number, "percent": percent, "quantity": quantity, "spoken": spoken}
    environment.filters["map_rows"] = _map_rows
    environment.globals["table"] = table
    return environment


def _source(name: str) -> str:
    room, _, file = name.partition("/")
    return files("shoal").joinpath(room, "templates", file).read_text(encoding="utf-8")


def _map_rows(items: Iterable[Any], *fields: str | int) -> list[tuple[Any, ...]]:
    """Return some fields of each item, by attribute or by place."""
    return [
        tuple(item[field] if isinstance(field, int) else getattr(item, field) for field in fields) for item in items
    ]


def _shown(value: Any) -> Any:
    return value if isinstance(value, Markup) else readable(str(value))


def join(children: Iterable[Any]) -> Markup:
    """Return children one after another."""
    return Markup("").join(_shown(child) for child in children)


def fill(html: str, *values: Any) -> Markup:
    """Return a small piece of HTML with values in its places, escaped as in a template.

    Examples
    --------
    >>> str(fill("<li>{}</li>", "a < b"))
    '<li>a &lt; b</li>'
    """
    return Markup(html).format(*map(_shown, values))


def quantity(value: Any, *, unit: str = "") -> Markup:
    """Return a number as people read it, with its exact value beside for machines; text stays text.

    Examples
    --------
    >>> str(quantity(0.123456789))
    '<data value="0.123456789">0.1235</data>'
    """
    if value is None:
        return Markup("–")
    if not is_number(value):
        return escape(_shown(value))
    text = number(value) + (f" {unit}" if unit else "")
    return fill('<data value="{}">{}</data>', json.dumps(value), text)


def table(
    head: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    class_: str = "",
    right: Sequence[int] | None = None,
    label: str = "Table",
) -> Markup:
    """Return a table; the first cell of each row is its heading.

    Columns of numbers and their heads stand to the right, or those that ``right`` names. Those who reach the table by
    keys hear its label.

    Examples
    --------
    >>> table(("size", "classes"), [("5", 200)]).count('class="number"')
    2
    """
    cells = [tuple(row) for row in rows]
    styles = ["", *(_style([row[i] for row in cells]) for i in range(1, len(head)))]
    if right is not None and cells:
        styles = ["number" if i in right else style if style == "date" else "" for i, style in enumerate(styles)]
    return render("report/table.html", head=head, rows=cells, styles=styles, class_=class_, label=label)


def style_sheet() -> str:
    """Return the style of all pages, with the colours of charts in the dark where charts can be drawn."""
    style = files("shoal.report").joinpath("style.css").read_text(encoding="utf-8")
    try:
        from shoal.report.charts import dark_css
    except ModuleNotFoundError:
        return style
    return f"{style}\n@media screen and (prefers-color-scheme: dark) {{\n{dark_css()}\n}}"


_DATE = re.compile(r"\d{4}-\d\d(-\d\d([T ][\d:.]+)?)?")


def _style(cells: Sequence[Any]) -> str:
    """Return how a column stands: numbers to the right, dates unbroken, all else as it comes."""
    present = [cell for cell in cells if cell is not None and cell != ""]
    if present and all(is_number(cell) or (isinstance(cell, Markup) and cell.startswith("<data")) for cell in present):
        return "number"
    return "date" if present and all(isinstance(cell, str) and _DATE.fullmatch(cell) for cell in present) else ""
