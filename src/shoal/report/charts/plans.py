"""Plans on one map of risk and loss, and what the weight of dependence costs and brings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from shoal.comparison import Run
from shoal.comparison.criteria import definition_of
from shoal.comparison.tradeoff import TradeOff
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
    """Draw each run by what it loses (to the right) and what it gives away (upward).

    The front is joined, the pick is ringed, limits on the two measures are dashed lines. Methods are told apart by
    shape and colour; hollow points do not guarantee k. Every point carries its number in the table; points that stand
    on each other share a label. Under the pointer a point says what it is, and it ``links`` to its line in the table.
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
        marks = chart_of(chosen).mark_point(filled=filled, size=70, opacity=1, strokeWidth=2)
        shape = alt.Shape("method:N", scale=shapes, legend=legend)
        colour = alt.Color("method:N", scale=colours, legend=legend)
        href = {"href": "line:N"} if links else {}
        return marks.encode(x=x, y=y, shape=shape, color=colour, description="tip:N", **href)

    guaranteed = points([row for row in rows if row["holds"]], filled=True)
    unguaranteed = points([row for row in rows if not row["holds"]], filled=False)
    best = [row for row in rows if row["front"]]
    line = chart_of(best).mark_line(color=light("muted"), strokeDash=[4, 3], strokeWidth=1.5).encode(x=x, y=y)
    labels = chart_of(_labels(rows)).mark_text(align="left", dx=8, dy=-8, fontSize=12, color=light("ink"))
    numbers = labels.encode(x=x, y=y, text="label:N")
    chosen = chart_of([row for row in rows if row["picked"]])
    rings = chosen.mark_point(size=320, strokeWidth=2.5, color=light("limit"), filled=False)
    rings = rings.encode(x=x, y=y, description="tip:N")
    rules = [
        chart_of([{"limit": limit, "tip": f"{key} {limit:g}"}])
        .mark_rule(color=light("limit"), strokeDash=[6, 4], strokeWidth=1.5)
        .encode(**{side: alt.datum(limit, type="quantitative")}, description="tip:N")
        for side, key in (("y", risk), ("x", utility))
        if (limit := (limits or {}).get(key)) is not None
    ]
    return alt.layer(line, guaranteed, unguaranteed, numbers, rings, *rules).properties(width=WIDTH, height=HEIGHT)


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


SIZE = 280
FARTHEST = 2.0
"""Where relative increments are cut off: beyond three times the plain distortion nobody chooses a weight."""


def trade_off_chart(rows: Sequence[TradeOff]) -> alt.HConcatChart:
    """Draw what the weight of dependence costs and brings: D_Y against D_X, both relative to λ = 0, and ℓ_avg.

    There is one line per k, and a dot per λ.

    Notes
    -----
    Rebollo-Monedero et al. 2016, section V.B: the first two panels are the two parts of the trade-off figures, the
    third that of ℓ_avg. On the dotted line the confidential side gains, in percent, what the quasi-identifiers lose;
    below it, more.

    Examples
    --------
    >>> rows = [TradeOff(5, 0.0, 0.20, 0.6, 0.0, 0.0, 4.0), TradeOff(5, 0.1, 0.21, 0.4, 0.05, -1 / 3, 4.0)]
    >>> [len(chart.layer) for chart in trade_off_chart(rows).hconcat]
    [2, 2, 1]
    """
    # A change from nothing is infinite, and has no place on an axis.
    values = [{key: value if math.isfinite(value) else None for key, value in row.to_dict().items()} for row in rows]
    data = alt.InlineData(values=values)
    colours = alt.Scale(range=[light(name) for name in SERIES])
    group = alt.Color("k:O", title="k", scale=colours, legend=alt.Legend(titleColor=light("ink")))
    tooltip = [
        alt.Tooltip("k:Q"),
        alt.Tooltip("weight:Q", title="λ"),
        alt.Tooltip("d_x:Q", title="D_X", format=".4f"),
        alt.Tooltip("d_x_change:Q", title="D_X against λ = 0", format="+.1%"),
        alt.Tooltip("d_y:Q", title="D_Y", format=".4f"),
        alt.Tooltip("d_y_change:Q", title="D_Y against λ = 0", format="+.1%"),
        alt.Tooltip("l_avg:Q", title="ℓ_avg", format=".2f"),
    ]

    def line(title: str, x: alt.X, y: alt.Y, *, clip: bool = False) -> alt.Chart:
        mark = alt.Chart(data).mark_line(point=True, strokeWidth=1.5, clip=clip)
        drawn: alt.Chart = mark.encode(x, y, color=group, order="weight:Q", tooltip=tooltip)
        above = alt.TitleParams(title, color=light("ink"), fontSize=12, fontWeight="normal", anchor="start")
        return drawn.properties(width=SIZE, height=SIZE, title=above)

    ends = (
        alt.Chart(data)
        .transform_filter("datum.weight == 0 || datum.weight == 1")
        .mark_text(align="left", dx=6, dy=-4, fontSize=10)
        .encode(alt.X("d_x:Q"), alt.Y("d_y:Q"), alt.Text("label:N"), color=group)
        .transform_calculate(label="'λ = ' + datum.weight")
    )
    costs = line(
        "Lower left is better",
        alt.X("d_x:Q", title="D_X: loss of the quasi-identifiers"),
        alt.Y("d_y:Q", title="D_Y: loss of what they tell"),
    )
    farthest = min(max(row.d_x_change for row in rows), FARTHEST)
    span = alt.Scale(domain=[min(row.d_x_change for row in rows), farthest])
    changes = line(
        "Below the dotted line more is gained than lost",
        alt.X("d_x_change:Q", title="D_X against λ = 0", axis=alt.Axis(format="+%"), scale=span),
        alt.Y("d_y_change:Q", title="D_Y against λ = 0", axis=alt.Axis(format="+%")),
        clip=True,
    )
    even = alt.Chart(alt.InlineData(values=[{"x": share, "y": -share} for share in (0.0, min(farthest, 1.0))]))
    diagonal = even.mark_line(strokeDash=[2, 3], color=light("muted")).encode(alt.X("x:Q"), alt.Y("y:Q"))
    diversity = line(
        "Higher hides better",
        alt.X("weight:Q", title="λ: weight of the confidential side"),
        alt.Y("l_avg:Q", title="ℓ_avg: confidential values in a group", scale=alt.Scale(zero=True)),
    )
    return alt.hconcat(alt.layer(costs, ends), alt.layer(diagonal, changes), alt.layer(diversity))
