"""Draw the charts of docs/dependence.md and docs/steering.md; Census and Tarragona from SHOAL_REFERENCE_DATA."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import altair as alt
import numpy as np
import polars as pl
from themed import save

from shoal.report.charts import trade_off_chart
from shoal.reproduce.domingo_ferrer_2017 import WeightRow, perfectly_correlated, weight_curve
from shoal.reproduce.rebollo_monedero_2016 import (
    GAUSSIAN_KS,
    REFERENCE_KS,
    BlockRow,
    block_curves,
    dependence_curves,
    gaussian,
    sides,
)

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


def main() -> None:
    """Write the pictures beside this file."""
    reference = Path(os.environ["SHOAL_REFERENCE_DATA"])
    for correlation in (0.5, 0.9):
        rows = dependence_curves(*gaussian(correlation), ks=GAUSSIAN_KS)
        save(trade_off_chart(rows), f"dependence-gaussian-{round(10 * correlation)}")
    for name in ("census", "tarragona"):
        x, y = sides(pl.read_csv(reference / f"{name}.csv").to_numpy().astype(np.float64))
        save(trade_off_chart(dependence_curves(x, y, ks=REFERENCE_KS)), f"dependence-{name}")
        if name == "census":
            save(block_chart(block_curves(x, y)), "dependence-blocks")
    weights = [*range(0, 90, 5), *range(90, 101)]
    save(weight_chart(weight_curve(*perfectly_correlated(), weights, t=0.05), 0.05), "steering-weight")


if __name__ == "__main__":
    main()
