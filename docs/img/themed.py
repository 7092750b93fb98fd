"""Charts as pictures for pages: an SVG that is readable on light and on dark paper, and as large as it was drawn."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from shoal.report.charts import PALETTE, svg

HERE = Path(__file__).parent
ENLARGED = 1.3
"""Charts are drawn for the columns of a report; a page has more room."""

DEFAULTS = {"#000": "ink", "black": "ink", "#888": "muted", "grey": "muted", "#ddd": "line"}
"""What Vega draws with where a chart says nothing, and the names of the palette's colours for it."""


def save(chart: Any, name: str) -> None:
    """Draw a chart as the report does, and write it beside this file."""
    drawn = svg(chart)
    assert drawn is not None, f"{name} could not be drawn"
    (HERE / f"{name}.svg").write_text(themed(drawn) + "\n", encoding="utf-8")


def themed(drawn: str) -> str:
    """Return an SVG of Vega without a background, with its size, and with rules that swap its colours in the dark."""
    drawn = re.sub(r'<rect width="[\d.]+" height="[\d.]+" fill="white"/>', "", drawn, count=1)
    drawn = re.sub(r"</?a\b[^>]*>", "", drawn)  # a place in a report's table, which a picture does not have
    _, _, width, height = re.search(r'viewBox="([^"]+)"', drawn)[1].split()  # type: ignore[index]
    drawn = re.sub(r'( width="[\d.]+" height="[\d.]+"| style="max-width:\d+px")', "", drawn, count=1)
    size = f'width="{ENLARGED * float(width):.0f}" height="{ENLARGED * float(height):.0f}" viewBox'
    drawn = drawn.replace("viewBox", size, 1)
    return re.sub(r"(<svg[^>]*>)", rf"\1\n<style>\n{_dark()}</style>\n", drawn, count=1)


def _dark() -> str:
    colours = dict(PALETTE.values())
    colours |= {colour: PALETTE[name][1] for colour, name in DEFAULTS.items()}
    rules = "\n".join(
        f'[{paint}="{light}"] {{ {paint}: {dark} }}' for light, dark in colours.items() for paint in ("fill", "stroke")
    )
    return f"@media (prefers-color-scheme: dark) {{\n{rules}\n}}\n"
