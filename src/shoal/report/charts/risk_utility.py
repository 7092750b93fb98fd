"""Plans on one map of risk and loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from shoal.compare import Run
from shoal.measure import MEASURES
from shoal.report.charts.style import SERIES, chart_of, light

WIDTH, HEIGHT = 520, 400
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")


def risk_utility_map(
    runs: Sequence[Run],
    front: Sequence[bool],
    *,
    axes: tuple[str, str],
    picked: Run | None,
    limits: Mapping[str, float] | None = None,
) -> Any:
    """Draw each run by what it loses and what it gives away; the front is joined, the pick is ringed.

    Parameters
    ----------
    runs, front
        Results, and which of them no other beats.
    axes
        The measures of risk (upward) and of utility (to the right).
    picked
        The run to ring.
    limits
        Bounds on the two measures, drawn as dashed lines.

    Notes
    -----
    Methods are told apart by shape and colour; hollow points do not guarantee k. Runs on the front carry their number
    in the table.
    """
    risk, utility = axes
    rows = [
        {
            "number": number,
            "risk": run.scores[risk],
            "utility": run.scores[utility],
            "method": str(run.choices.get("method", "plan")),
            "front": best,
            "picked": run is picked,
            "holds": run.holds,
            "tip": f"{number}: {run.name}; {risk} {run.scores[risk]:.4g}, {utility} {run.scores[utility]:.4g}",
        }
        for number, (run, best) in enumerate(zip(runs, front, strict=True), 1)
        if risk in run.scores and utility in run.scores
    ]
    methods = list(dict.fromkeys(str(row["method"]) for row in rows))
    scale, axis = alt.Scale(zero=False, nice=True), alt.Axis(labelFontSize=13, titleFontSize=13, tickCount=6)
    x = alt.X("utility:Q", title=_title(utility), scale=scale, axis=axis)
    y = alt.Y("risk:Q", title=_title(risk), scale=scale, axis=axis)
    legend = alt.Legend() if len(methods) > 1 else None
    shapes = alt.Scale(domain=methods, range=[SHAPES[i % len(SHAPES)] for i in range(len(methods))])
    colours = alt.Scale(domain=methods, range=[light(SERIES[i % len(SERIES)]) for i in range(len(methods))])

    def points(chosen: list[dict[str, Any]], *, filled: bool) -> Any:
        return (
            chart_of(chosen)
            .mark_point(filled=filled, size=70, opacity=1, strokeWidth=2)
            .encode(
                x=x,
                y=y,
                shape=alt.Shape("method:N", scale=shapes, legend=legend),
                color=alt.Color("method:N", scale=colours, legend=legend),
                description="tip:N",
            )
        )

    kept = points([row for row in rows if row["holds"]], filled=True)
    open_ = points([row for row in rows if not row["holds"]], filled=False)
    best = [row for row in rows if row["front"]]
    line = chart_of(best).mark_line(color=light("muted"), strokeDash=[4, 3], strokeWidth=1.5).encode(x=x, y=y)
    numbers = (
        chart_of(_apart(best))
        .mark_text(align="left", dx=8, dy=-8, fontSize=13, color=light("ink"))
        .encode(x=x, y=y, text="number:Q")
    )
    rings = (
        chart_of([row for row in rows if row["picked"]])
        .mark_point(size=320, strokeWidth=2.5, color=light("limit"), filled=False)
        .encode(x=x, y=y, description="tip:N")
    )
    rules = [
        chart_of([{"limit": limit, "tip": f"{key} {limit:g}"}])
        .mark_rule(color=light("limit"), strokeDash=[6, 4], strokeWidth=1.5)
        .encode(**{side: alt.datum(limit, type="quantitative")}, description="tip:N")
        for side, key in (("y", risk), ("x", utility))
        if (limit := (limits or {}).get(key)) is not None
    ]
    return alt.layer(line, kept, open_, numbers, rings, *rules).properties(width=WIDTH, height=HEIGHT)


def _apart(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows whose numbers do not stand on the number of a row before."""
    spans = {axis: max(r[axis] for r in rows) - min(r[axis] for r in rows) or 1.0 for axis in ("risk", "utility")}
    kept: list[dict[str, Any]] = []
    for row in rows:
        if all(any(abs(row[axis] - other[axis]) > 0.04 * span for axis, span in spans.items()) for other in kept):
            kept.append(row)
    return kept


def _title(key: str) -> str:
    what = MEASURES[key].definition
    unit = f" ({what.unit})" if what.unit else ""
    return f"{key}{unit}, {what.better} is better"
