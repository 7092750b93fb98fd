"""Charts as pages show them: SVG without links, scripts or styles of its own, whatever the words in it look like."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shoal.report.data import Distribution

_TAG = re.compile(r'<[^<>"]*(?:"[^"]*"[^<>"]*)*>')
_ATTRIBUTE = re.compile(r' ([\w:-]+)="([^"]*)"')
_NOT_IN_PAGES = ("style", "role", "aria-roledescription")


@dataclass(frozen=True)
class ColumnChart:
    """How a column is spread before and after, and the chart of it (None where it cannot be drawn)."""

    distribution: Distribution
    svg: str | None


def column_chart(distribution: Distribution, *, drawn: bool = True) -> ColumnChart:
    """Draw a column as the report does, or leave the drawing out; its numbers are there in any case."""
    from shoal.report.charts import before_after, svg

    return ColumnChart(distribution, for_page(svg(before_after(distribution))) if drawn and distribution.bins else None)


def for_page(svg: str | None) -> str | None:
    """Return a drawing as pages allow it: one picture, no links, and no style inside elements (the sheet has it)."""
    # Tag by tag, for the words of a chart may look like anything.
    return None if svg is None else _TAG.sub(_tag_for_page, svg)


def _tag_for_page(tag: re.Match[str]) -> str:
    return "" if tag[0].startswith(("<a ", "</a>")) else _ATTRIBUTE.sub(_attribute_for_page, tag[0])


def _attribute_for_page(attribute: re.Match[str]) -> str:
    name, value = attribute.groups()
    if name in _NOT_IN_PAGES and value != "img":
        return ""
    return f' data-tip="{value}"' if name == "aria-label" else attribute[0]
