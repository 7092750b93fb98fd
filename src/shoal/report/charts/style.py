"""What all charts share: colours, type, and how they become a drawing.

Colours are those of `PALETTE`; a page that shows the charts in the dark swaps them by `dark_css`. Colour never carries
meaning alone: before is a filled bar, after an outline or the lower bar of a pair, a limit is dashed.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import vl_convert  # noqa: F401  what draws them: better missing here than in the middle of a report

from shoal.report.charts.drawing import draw
from shoal.report.wording import readable

PALETTE = {
    "ink": ("#1f2a33", "#e6ebf0"),
    "muted": ("#5a6772", "#a5b1bc"),
    "line": ("#d5dce2", "#3a4650"),
    "before": ("#7ba3c4", "#5f8fb8"),
    "after": ("#b3470c", "#ff9d5c"),
    "only": ("#2f6f8f", "#6fb3d2"),
    "limit": ("#8a1538", "#ff8fa8"),
    "up": ("#c2560c", "#ff9d5c"),
    "down": ("#2166ac", "#74b3e8"),
    "teal": ("#00795c", "#4fcba5"),
    "purple": ("#8c4a86", "#d79ad2"),
    "gold": ("#8a6d00", "#e0c040"),
}
"""Colours by name, on a light and on a dark page; blue and orange can be told apart by all kinds of colour vision."""

SERIES = ("only", "after", "teal", "purple", "gold", "muted", "limit", "ink")
"""Names of colours for things of different kinds, in the order they are given out."""

WIDTH = 275
HEIGHT = 150


def light(name: str) -> str:
    """Return a colour of the palette."""
    return PALETTE[name][0]


def dark_css() -> str:
    """Return the style rules that swap the colours of charts on a dark page."""
    return "\n".join(
        f'.chart [{paint}="{light}"] {{ {paint}: {dark}; }}'
        for light, dark in PALETTE.values()
        for paint in ("fill", "stroke")
    )


def svg(chart: Any) -> str | None:
    """Draw a chart as an SVG element that fits its place, can be read aloud, and tells numbers under the pointer.

    None where it cannot be drawn.
    """
    drawn = draw(_styled(chart).to_dict())
    if drawn is None:
        return None
    size = re.search(r'width="([\d.]+)" height="([\d.]+)" viewBox', drawn)
    assert size is not None, "Vega writes its size"
    drawn = drawn.replace(
        f'width="{size[1]}" height="{size[2]}" viewBox',
        f'role="img" style="max-width:{float(size[1]) * 1.3:.0f}px" viewBox',
        1,
    )
    # A hundredth of a pixel is enough; and Vega leads a place on the page to its own site.
    drawn = re.sub(r"\d+\.\d{3,}", lambda decimal: f"{float(decimal[0]):.2f}", drawn)
    drawn = re.sub(r'xlink:href="[^"#]*(#[\w-]+)"', r'href="\1"', drawn)
    return re.sub(r'(<path aria-label="([^"]*)"[^>]*)/>', r"\1><title>\2</title></path>", drawn)


def chart_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Start a chart of some rows."""
    return alt.Chart(alt.InlineData(values=list(rows)))


LABEL_WIDTH = 20
LABEL_LINES = 3
"""Characters and lines of a label on an axis; what is longer ends in dots, and is whole under the pointer."""


def wrapped(label: str) -> list[str]:
    """Return a label in a few short lines.

    Examples
    --------
    >>> wrapped("diseases of the circulatory system"), wrapped("flu"), wrapped("")
    (['diseases of the', 'circulatory system'], ['flu'], [''])
    """
    return textwrap.wrap(label, LABEL_WIDTH, max_lines=LABEL_LINES, placeholder="…") or [""]


def most_lines(labels: Iterable[str]) -> int:
    """Return how many lines the longest label takes."""
    return max((len(wrapped(label)) for label in labels), default=1)


def label_axis(labels: Sequence[str]) -> Any:
    """Return an axis with room for its labels, which stand in lines: readers' fonts are wider than Vega's."""
    lines = json.dumps({readable(label): wrapped(readable(label)) for label in labels})
    return alt.Axis(minExtent=extent(labels), labelLimit=0, labelExpr=f"{lines}[datum.value]", labelLineHeight=12)


def extent(labels: Iterable[str]) -> float:
    """Return the room that labels need on an axis: readers' fonts are wider than the one Vega measures with."""
    return 6.4 * max((len(line) for label in labels for line in wrapped(label)), default=0) + 8


def by_itself(chart: Any) -> Any:
    """Return a chart as it stands in a notebook: on paper, whatever the page is, and with numbers under the pointer."""
    return _styled(chart, background=_PAPER, padding=12, mark={"tooltip": {"content": "encoding"}})


_PAPER = "#ffffff"
_FONT = "system-ui, -apple-system, 'Segoe UI', sans-serif"


def _styled(chart: Any, *, background: str = "transparent", **more: Any) -> Any:
    return (
        chart.configure(background=background, font=_FONT, **more)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=light("ink"),
            titleColor=light("muted"),
            gridColor=light("line"),
            domainColor=light("muted"),
            tickColor=light("muted"),
            labelFontSize=11,
            titleFontSize=11,
            titleFontWeight="normal",
            labelLimit=180,
            titleLimit=2 * WIDTH,
            tickSize=4,
        )
        .configure_legend(
            labelColor=light("ink"), labelFontSize=11, title=None, orient="top", symbolStrokeWidth=2, offset=6
        )
    )
