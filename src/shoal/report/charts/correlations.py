"""How far correlations moved."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from shoal.report.charts.style import chart_of, label_axis, light
from shoal.report.data import Drift

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
    cells = base.mark_rect(stroke=light("line")).encode(
        fill=alt.Fill(
            "way:N",
            scale=alt.Scale(domain=["up", "down"], range=[light("up"), light("down")]),
            legend=None,
        ),
        fillOpacity=alt.FillOpacity("far:Q", scale=alt.Scale(domain=[0, most], range=[0, 0.85]), legend=None),
        description="tip:N",
    )
    chart = cells
    if side >= 26:
        text = base.mark_text(fontSize=10, color=light("ink")).encode(text="move:N")
        chart = cells + text
    return chart.properties(width=side * (len(names) - 1), height=side * (len(names) - 1))


def _move(before: float, after: float) -> dict[str, Any]:
    moved = round(after - before, 2)
    return {"move": f"{moved:+.2f}" if moved else "0", "far": abs(after - before), "way": "up" if moved > 0 else "down"}


def _most_moved(data: Drift) -> list[str]:
    """Return the columns to draw: all, or those whose correlations moved most, in the table's order."""
    if len(data.columns) <= MOST_COLUMNS:
        return list(data.columns)
    moved = np.abs(np.array(data.after) - np.array(data.before)).max(axis=1)
    chosen = set(np.argsort(-moved, kind="stable")[:MOST_COLUMNS].tolist())
    return [name for i, name in enumerate(data.columns) if i in chosen]
