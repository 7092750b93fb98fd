"""Draw the charts of docs/dependence.md and docs/steering.md; Census and Tarragona from SHOAL_REFERENCE_DATA."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl
from themed import save

from shoal.report.charts import trade_off_chart
from shoal.reproduce.charts import block_chart, weight_chart
from shoal.reproduce.domingo_ferrer_2017 import perfectly_correlated, weight_curve
from shoal.reproduce.rebollo_monedero_2016 import (
    GAUSSIAN_KS,
    REFERENCE_KS,
    block_curves,
    dependence_curves,
    gaussian,
    sides,
)


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
