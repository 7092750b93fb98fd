"""What the weight of dependence costs and brings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

from shoal.comparison.tradeoff import TradeOff
from shoal.report.charts.style import SERIES, light

SIZE = 280
FARTHEST = 2.0
"""Where relative increments are cut off: beyond three times the plain distortion nobody chooses a weight."""


def trade_off_chart(rows: Sequence[TradeOff]) -> alt.HConcatChart:
    """Draw what the weight of dependence costs and brings: D_Y against D_X, both relative to λ = 0, and ℓ_avg.

    Parameters
    ----------
    rows
        What `shoal.comparison.tradeoff.trade_offs` returned.

    Returns
    -------
    altair.HConcatChart
        One line per k, a dot per λ.

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

    def line(x: alt.X, y: alt.Y, *, clip: bool = False) -> alt.Chart:
        mark = alt.Chart(data).mark_line(point=True, strokeWidth=1.5, clip=clip)
        drawn: alt.Chart = mark.encode(x, y, color=group, order="weight:Q", tooltip=tooltip)
        return drawn.properties(width=SIZE, height=SIZE)

    ends = (
        alt.Chart(data)
        .transform_filter("datum.weight == 0 || datum.weight == 1")
        .mark_text(align="left", dx=6, dy=-4, fontSize=10)
        .encode(alt.X("d_x:Q"), alt.Y("d_y:Q"), alt.Text("label:N"), color=group)
        .transform_calculate(label="'λ = ' + datum.weight")
    )
    costs = line(
        alt.X("d_x:Q", title="D_X: loss of the quasi-identifiers"),
        alt.Y("d_y:Q", title="D_Y: loss of what they tell"),
    ).properties(title=_title("Lower left is better"))
    farthest = min(max(row.d_x_change for row in rows), FARTHEST)
    span = alt.Scale(domain=[min(row.d_x_change for row in rows), farthest])
    changes = line(
        alt.X("d_x_change:Q", title="D_X against λ = 0", axis=alt.Axis(format="+%"), scale=span),
        alt.Y("d_y_change:Q", title="D_Y against λ = 0", axis=alt.Axis(format="+%")),
        clip=True,
    ).properties(title=_title("Below the dotted line more is gained than lost"))
    even = alt.Chart(alt.InlineData(values=[{"x": share, "y": -share} for share in (0.0, min(farthest, 1.0))]))
    diagonal = even.mark_line(strokeDash=[2, 3], color=light("muted")).encode(alt.X("x:Q"), alt.Y("y:Q"))
    diversity = line(
        alt.X("weight:Q", title="λ: weight of the confidential side"),
        alt.Y("l_avg:Q", title="ℓ_avg: confidential values in a group", scale=alt.Scale(zero=True)),
    ).properties(title=_title("Higher hides better"))
    panels = (alt.layer(costs, ends), alt.layer(diagonal, changes), alt.layer(diversity))
    return alt.hconcat(*panels)


def _title(text: str) -> alt.TitleParams:
    return alt.TitleParams(text, color=light("ink"), fontSize=12, fontWeight="normal", anchor="start")
