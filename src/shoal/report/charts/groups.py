"""How classes are spread over their sizes, and over their distances from the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from shoal.report.charts.style import HEIGHT, WIDTH, chart_of, extent, label_axis, light
from shoal.report.data import Histogram


def histogram(data: Histogram, title: str) -> Any:
    """Draw how classes are spread: one bar per size or interval of sizes."""
    rows = [
        {"label": bar.label, "amount": bar.amount, "tip": f"{bar.label}: {bar.amount:,} {data.unit}"}
        for bar in data.bars
    ]
    labels = [bar.label for bar in data.bars]
    base = chart_of(rows).encode(description="tip:N")
    if sum(map(len, labels)) * 7 > WIDTH:  # long labels stand beside the bars
        return (
            base.mark_bar(color=light("only"))
            .encode(
                y=alt.Y("label:N", sort=labels, title=None, axis=label_axis(labels)),
                x=alt.X("amount:Q", title=data.unit, axis=alt.Axis(tickCount=4, tickMinStep=1)),
            )
            .properties(
                width=WIDTH - extent(labels),
                height=18 * len(rows),
                title=alt.Title(title, fontSize=11, fontWeight="normal", color=light("muted"), anchor="start"),
            )
        )
    bars = base.mark_bar(color=light("only"), size=min(40, 0.85 * WIDTH / len(rows)))
    return bars.encode(
        x=alt.X("label:N", sort=labels, title=title, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("amount:Q", title=data.unit, axis=alt.Axis(tickCount=5, tickMinStep=1)),
    ).properties(width=WIDTH, height=HEIGHT)


@dataclass(frozen=True)
class Axes:
    """Where the axes of charts end that are compared with each other; None where each ends by itself."""

    farthest: float | None = None
    most: int | None = None


def common_axes(histograms: Sequence[Histogram]) -> Axes:
    """Return axes that all of these fit on, so that bars of one attribute mean what those of another do."""
    bars = [bar for each in histograms for bar in each.bars]
    ends = [bar.high for bar in bars] + [each.limit for each in histograms if each.limit]
    return Axes(max(ends, default=None), max((bar.amount for bar in bars), default=None))


def distances(data: Histogram, axes: Axes | None = None) -> Any:
    """Draw how far classes are from the table: bars over the distance, a dashed line at what was asked."""
    title, axes = "EMD to the whole table (0 to 1)", axes or Axes()
    across = alt.Scale(domain=[0, axes.farthest], nice=False) if axes.farthest else alt.Undefined
    upward = alt.Scale(domain=[0, axes.most]) if axes.most else alt.Undefined
    rows = [
        {"low": bar.low, "high": bar.high, "amount": bar.amount, "tip": f"{bar.label}: {bar.amount:,} {data.unit}"}
        for bar in data.bars
    ]
    bars = (
        chart_of(rows)
        .mark_rect(color=light("only"))
        .encode(
            x=alt.X("low:Q", title=title, scale=across, axis=alt.Axis(tickCount=5, grid=False)),
            x2="high:Q",
            y=alt.Y("amount:Q", title=data.unit, scale=upward, axis=alt.Axis(tickCount=5, tickMinStep=1)),
            y2=alt.datum(0),
            description="tip:N",
        )
    )
    if data.limit is None:
        return bars.properties(width=WIDTH, height=HEIGHT)
    asked = chart_of([{"limit": data.limit, "tip": f"asked: at most {data.limit:g}"}])
    rule = asked.mark_rule(color=light("limit"), strokeDash=[5, 3], strokeWidth=2).encode(
        x="limit:Q", description="tip:N"
    )
    name = asked.mark_text(color=light("limit"), align="right", dx=-4, dy=6, baseline="top").encode(
        x="limit:Q", y=alt.value(0), text=alt.value("asked")
    )
    return (bars + rule + name).properties(width=WIDTH, height=HEIGHT)
