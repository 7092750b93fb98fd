"""Plans on one map of risk and loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from shoal.comparison import Run
from shoal.comparison.keys import definition_of
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
    links: bool = True,
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
    links
        Whether there is a table that points link to.

    Notes
    -----
    Methods are told apart by shape and colour; hollow points do not guarantee k. Every point carries its number in the
    table; points that stand on each other share a label. Under the pointer a point says what it is, and it links to its
    line in the table.
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
            "line": f"#plan-{number}",
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
                **({"href": "line:N"} if links else {}),
            )
        )

    kept = points([row for row in rows if row["holds"]], filled=True)
    open_ = points([row for row in rows if not row["holds"]], filled=False)
    best = [row for row in rows if row["front"]]
    line = chart_of(best).mark_line(color=light("muted"), strokeDash=[4, 3], strokeWidth=1.5).encode(x=x, y=y)
    numbers = (
        chart_of(_labels(rows))
        .mark_text(align="left", dx=8, dy=-8, fontSize=12, color=light("ink"))
        .encode(x=x, y=y, text="label:N")
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


_NEAR = {"risk": 0.035, "utility": 0.045}
"""Shares of the axes within which labels would stand on each other."""


def _labels(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a label for every point: its number, or the numbers of those that stand where it stands."""
    spans = {axis: max(r[axis] for r in rows) - min(r[axis] for r in rows) or 1.0 for axis in _NEAR}
    places: list[list[dict[str, Any]]] = []
    for row in rows:
        near = (
            each
            for each in places
            if all(abs(row[axis] - each[0][axis]) <= share * spans[axis] for axis, share in _NEAR.items())
        )
        place = next(near, None)
        if place is None:
            places.append([row])
        else:
            place.append(row)
    return [
        {
            "risk": place[0]["risk"],
            "utility": max(row["utility"] for row in place),
            "label": runs_of_numbers([row["number"] for row in place]),
        }
        for place in places
    ]


def runs_of_numbers(numbers: Sequence[int]) -> str:
    """Write numbers in a few characters.

    Examples
    --------
    >>> runs_of_numbers([1, 2, 3, 7, 9, 10])
    '1–3, 7, 9, 10'
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _title(key: str) -> str:
    what = definition_of(key)
    beside = ", ".join(part for part in ("" if what.called == key else key, what.unit) if part)
    return f"{what.called} ({beside}), {what.better} is better" if beside else f"{what.called}, {what.better} is better"
