"""Charts of blocks (Rebollo-Monedero et al. 2016) and of weights (Domingo-Ferrer and Soria-Comas 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import altair as alt

from shoal.reproduce.domingo_ferrer_2017 import WeightRow
from shoal.reproduce.rebollo_monedero_2016 import BlockRow

SIZE = 280


def block_chart(rows: Sequence[BlockRow]) -> alt.HConcatChart:
    """Draw distortion and linkage against λ, one line per block size (Rebollo-Monedero et al. 2016, section V.C)."""
    data = alt.InlineData(values=[asdict(row) for row in rows])
    panels = []
    for field, title in (("d_x", "D_X: distortion"), ("dld", "DLD: % of records linked to their own")):
        line = alt.Chart(data).mark_line(point=True, strokeWidth=1.5)
        encoded: alt.Chart = line.encode(
            alt.X("weight:Q", title="λ"), alt.Y(f"{field}:Q", title=title), color=alt.Color("size:O", title="block")
        )
        panels.append(encoded.properties(width=SIZE, height=SIZE))
    return alt.hconcat(*panels)


def weight_chart(rows: Sequence[WeightRow], t: float) -> alt.LayerChart | alt.FacetChart:
    """Draw distances and losses against ω, t dotted (Domingo-Ferrer and Soria-Comas 2017, Figures 1 and 2)."""
    names = {"emd_max": "largest EMD", "emd_avg": "average EMD", "mse": "MSE", "mae": "MAE"}
    values = [
        {"weight": row.weight, "what": name, "value": getattr(row, key)} for row in rows for key, name in names.items()
    ]
    line = alt.Chart(alt.InlineData(values=values)).mark_line(strokeWidth=1.5)
    drawn: alt.Chart = line.encode(
        alt.X("weight:Q", title="ω: weight of the bucket number"),
        alt.Y("value:Q", title=None),
        color=alt.Color("what:N", title=None, sort=list(names.values())),
    )
    limit = alt.Chart(alt.InlineData(values=[{"t": t}])).mark_rule(strokeDash=[2, 3], color="grey")
    return alt.layer(drawn.properties(width=2 * SIZE, height=SIZE), limit.encode(alt.Y("t:Q")))
