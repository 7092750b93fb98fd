"""Bars over columns before and after and over classes, and cells for how far correlations moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import altair as alt
import numpy as np

from shoal.report.charts.style import HEIGHT, WIDTH, chart_of, extent, label_axis, light, most_lines
from shoal.report.report_data import Bin, Distribution, Drift, Histogram


def before_after(data: Distribution) -> Any:
    """Draw how a column is spread before and after: equal intervals as a histogram, all else as paired bars."""
    numbers = data.kind in ("numeric", "date")
    return _overlaid(data) if numbers and len(data.bins) > 1 else _paired(data)


def _paired(data: Distribution) -> Any:
    sides = _sides(data)
    rows = [
        {"label": bin.label, "side": side, "amount": amount, "tip": f"{bin.label}, {side}: {amount:,} {data.unit}"}
        for bin in data.bins
        for side, amount in zip(sides, (bin.before, bin.after) if data.compared else (bin.after,), strict=True)
    ]
    labels = [bin.label for bin in data.bins]
    chart = _lying(rows, labels, data.unit, labelOverlap="greedy", labelSeparation=8).encode(color=_side_colour(data))
    if data.compared:
        chart = chart.encode(yOffset=alt.YOffset("side:N", sort=sides))
    return chart.properties(
        width=max(120, WIDTH + 40 - extent(labels)),
        height=len(data.bins) * max(24 if data.compared else 18, 13 * most_lines(labels)),
    )


def _lying(rows: Sequence[dict[str, Any]], labels: Sequence[str], unit: str, **axis: Any) -> Any:
    """Draw bars that lie beside their labels."""
    return (
        chart_of(rows)
        .mark_bar()
        .encode(
            y=alt.Y("label:N", sort=labels, title=None, axis=label_axis(labels)),
            x=alt.X("amount:Q", title=unit, axis=alt.Axis(tickCount=4, **axis)),
            description="tip:N",
        )
    )


def _intervals(rows: Sequence[dict[str, Any]], x: alt.X, y: alt.Y, **encodings: Any) -> Any:
    """Draw bars that stand over intervals, each from its low to its high end."""
    ends = {"x": x, "x2": "high", "y": y, "y2": alt.datum(0)}
    return chart_of(rows).mark_rect().encode(**ends, description="tip:N", **encodings)


def _overlaid(data: Distribution) -> Any:
    """Draw intervals as bars before and a stepped line after; an open end is drawn one interval wide, and paler."""
    dates = data.kind == "date"
    kind, scale = ("T", alt.Scale(type="utc", nice=False)) if dates else ("Q", alt.Scale(nice=False, zero=False))
    # Numbers may be long.
    crowded: dict[str, Any] = {} if dates else {"labelOverlap": "greedy", "labelSeparation": 10}
    axis = alt.Axis(tickCount=6, grid=False, **crowded)
    rows = [
        {
            "low": low,
            "high": high,
            "side": _sides(data)[0],
            "records": bin.before if data.compared else bin.after,
            "after": bin.after,
            "open": bin.high is None or bin.low is None,
            "tip": f"{bin.label}: {bin.before:,} {data.unit}, after {bin.after:,}"
            if data.compared
            else f"{bin.label}: {bin.after:,} {data.unit}",
        }
        for bin, (low, high) in zip(data.bins, _drawn_ends(data.bins, dates=dates), strict=True)
    ]
    count = alt.Y("records:Q", title=data.unit, axis=alt.Axis(tickCount=5))
    chart = _intervals(
        rows,
        alt.X(f"low:{kind}", title=data.name, scale=scale, axis=axis),
        count,
        color=_side_colour(data),
        opacity=alt.condition("datum.open", alt.value(0.5), alt.value(1)),
    )
    if data.compared:
        # A stepped line needs the end of the last interval as a point of its own.
        ends = [*(row["low"] for row in rows), rows[-1]["high"]]
        steps = [
            {"low": end, "side": "after", "records": row["after"]}
            for end, row in zip(ends, [*rows, rows[-1]], strict=True)
        ]
        line = chart_of(steps).mark_line(interpolate="step-after", strokeWidth=2)
        chart += line.encode(x=f"low:{kind}", y=count, color=_side_colour(data))
    return chart.properties(width=WIDTH, height=HEIGHT)


def _sides(data: Distribution) -> list[str]:
    return ["before", "after"] if data.compared else ["released"]


def _side_colour(data: Distribution) -> Any:
    sides = _sides(data)
    colours = [light("before"), light("after")] if data.compared else [light("only")]
    legend = alt.Legend() if data.compared else None
    return alt.Color("side:N", scale=alt.Scale(domain=sides, range=colours), legend=legend)


def _drawn_ends(bins: Sequence[Bin], *, dates: bool) -> list[tuple[float, float]]:
    """Return where each interval is drawn; an open end lies as far out as the next interval is wide."""
    place = _date_place if dates else float
    ends = {end: place(end) for bin in bins for end in (bin.low, bin.high) if end is not None}
    width = (max(ends.values()) - min(ends.values())) / max(1, len(ends) - 1) or 1.0
    drawn = []
    for bin in bins:
        low = None if bin.low is None else ends[bin.low]
        high = None if bin.high is None else ends[bin.high]
        if low is None:
            low = high - width if high is not None else 0.0
        drawn.append((low, high if high is not None else low + width))
    return drawn


def _date_place(day: Any) -> float:
    """Return milliseconds from 1970, as Vega counts."""
    return float(np.datetime64(str(day), "ms").astype(np.int64))


MOST_COLUMNS = 20


def drift_matrix(data: Drift) -> Any:
    """Draw how far each correlation moved: orange up, blue down, the stronger the farther."""
    names = _most_moved(data)
    places = [data.columns.index(name) for name in names]
    rows = [
        {
            "row": data.columns[i],
            "column": data.columns[j],
            **_move(data.before[i][j], data.after[i][j]),
            "tip": f"{data.columns[i]} and {data.columns[j]}: {data.before[i][j]:.2f}, then {data.after[i][j]:.2f}",
        }
        for a, i in enumerate(places)
        for j in places[:a]
    ]
    side = min(40, 640 // max(1, len(names) - 1))
    most = max(0.1, *(row["far"] for row in rows))
    base = chart_of(rows).encode(
        x=alt.X("column:N", sort=names, title=None, axis=alt.Axis(labelAngle=-45)),
        y=alt.Y("row:N", sort=names, title=None, axis=label_axis(names)),
    )
    chart = base.mark_rect(stroke=light("line")).encode(
        fill=alt.Fill(
            "way:N",
            scale=alt.Scale(domain=["up", "down"], range=[light("up"), light("down")]),
            legend=None,
        ),
        fillOpacity=alt.FillOpacity("far:Q", scale=alt.Scale(domain=[0, most], range=[0, 0.85]), legend=None),
        description="tip:N",
    )
    if side >= 26:
        chart += base.mark_text(fontSize=10, color=light("ink")).encode(text="move:N")
    return chart.properties(width=side * (len(names) - 1), height=side * (len(names) - 1))


def _move(before: float, after: float) -> dict[str, Any]:
    moved = round(after - before, 2)
    return {"move": f"{moved:+.2f}" if moved else "0", "far": abs(after - before), "way": "up" if moved > 0 else "down"}


def _most_moved(data: Drift) -> list[str]:
    """Return the columns to draw: all, or those whose correlations moved most, in the table's order."""
    if len(data.columns) <= MOST_COLUMNS:
        return list(data.columns)
    chosen = set(np.argsort(-np.abs(data.moves).max(axis=1), kind="stable")[:MOST_COLUMNS].tolist())
    return [name for i, name in enumerate(data.columns) if i in chosen]


def histogram(data: Histogram, title: str) -> Any:
    """Draw how classes are spread: one bar per size or interval of sizes."""
    rows, labels = _bar_rows(data), [bar.label for bar in data.bars]
    if sum(map(len, labels)) * 7 > WIDTH:  # long labels stand beside the bars
        return (
            _lying(rows, labels, data.unit, tickMinStep=1)
            .mark_bar(color=light("only"))
            .properties(
                width=WIDTH - extent(labels),
                height=18 * len(rows),
                title=alt.Title(title, fontSize=11, fontWeight="normal", color=light("muted"), anchor="start"),
            )
        )
    bars = chart_of(rows).mark_bar(color=light("only"), size=min(40, 0.85 * WIDTH / len(rows)))
    return bars.encode(
        x=alt.X("label:N", sort=labels, title=title, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("amount:Q", title=data.unit, axis=alt.Axis(tickCount=5, tickMinStep=1)),
        description="tip:N",
    ).properties(width=WIDTH, height=HEIGHT)


def _bar_rows(data: Histogram) -> list[dict[str, Any]]:
    return [{**asdict(bar), "tip": f"{bar.label}: {bar.amount:,} {data.unit}"} for bar in data.bars]


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
    chart = _intervals(
        _bar_rows(data),
        alt.X("low:Q", title=title, scale=across, axis=alt.Axis(tickCount=5, grid=False)),
        alt.Y("amount:Q", title=data.unit, scale=upward, axis=alt.Axis(tickCount=5, tickMinStep=1)),
    ).mark_rect(color=light("only"))
    if data.limit is not None:
        asked = chart_of([{"limit": data.limit, "tip": f"asked: at most {data.limit:g}"}]).encode(x="limit:Q")
        rule = asked.mark_rule(color=light("limit"), strokeDash=[5, 3], strokeWidth=2).encode(description="tip:N")
        name = asked.mark_text(color=light("limit"), align="right", dx=-4, dy=6, baseline="top")
        chart = alt.layer(chart, rule, name.encode(y=alt.value(0), text=alt.value("asked")))
    return chart.properties(width=WIDTH, height=HEIGHT)
