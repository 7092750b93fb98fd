"""Draw the charts of docs/dependence.md and docs/steering.md; Census and Tarragona from SHOAL_REFERENCE_DATA."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl

from shoal.report.charts import trade_off_chart
from shoal.reproduce.charts import block_chart, weight_chart
from shoal.reproduce.domingo_ferrer_2017.bucket_weight import perfectly_correlated, weight_curve
from shoal.reproduce.rebollo_monedero_2016.figures import (
    GAUSSIAN_KS,
    REFERENCE_KS,
    block_curves,
    dependence_curves,
    gaussian,
    sides,
)

HERE = Path(__file__).parent


def main() -> None:
    """Write the pictures beside this file."""
    reference = Path(os.environ["SHOAL_REFERENCE_DATA"])
    for correlation in (0.5, 0.9):
        rows = dependence_curves(*gaussian(correlation), ks=GAUSSIAN_KS)
        trade_off_chart(rows).save(HERE / f"dependence-gaussian-{round(10 * correlation)}.svg")
    for name in ("census", "tarragona"):
        x, y = sides(pl.read_csv(reference / f"{name}.csv").to_numpy().astype(np.float64))
        trade_off_chart(dependence_curves(x, y, ks=REFERENCE_KS)).save(HERE / f"dependence-{name}.svg")
        if name == "census":
            block_chart(block_curves(x, y)).save(HERE / "dependence-blocks.svg")
    weights = [*range(0, 90, 5), *range(90, 101)]
    weight_chart(weight_curve(*perfectly_correlated(), weights, t=0.05), 0.05).save(HERE / "steering-weight.svg")


if __name__ == "__main__":
    main()
