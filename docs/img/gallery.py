"""Draw the charts of docs/gallery.md, and two pictures of the front page, from the table in examples/."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from themed import save

import shoal
from shoal.comparison import compare, pareto_front, parse_bounds, pick
from shoal.comparison.tradeoff import KEYS, weight_trade_offs
from shoal.report import charts, collect, external_edition

EXAMPLES = Path(__file__).parents[2] / "examples"


def table() -> tuple[pl.DataFrame, shoal.Plan]:
    """Return the bundled table with its plan."""
    frame = pl.read_csv(EXAMPLES / "discharges.csv", schema_overrides={"postcode": pl.String}, try_parse_dates=True)
    return frame, shoal.Plan.load(EXAMPLES / "discharges.toml")


def draw_report() -> None:
    """Draw the charts of a report: of the internal edition, and a column as the external edition shows it."""
    frame, plan = table()
    plan = plan.replace(closeness={"t": 0.3, "attributes": ["charge"]})
    release = shoal.anonymize(frame, plan)
    data = collect(frame, release, plan, attacks=[])
    save(charts.histogram(data.sizes, data.sizes.name), "gallery-sizes")
    save(charts.distances(next(each for each in data.closeness if each.name == "charge")), "gallery-closeness")
    columns = {each.name: each for each in data.distributions}
    for name in ("age", "admitted", "severity", "postcode"):
        save(charts.before_after(columns[name]), f"gallery-{name}")
    assert data.drift is not None
    save(charts.drift_matrix(data.drift), "gallery-correlations")
    outside = external_edition(release.data, plan, release.guarantees.values())
    shown = next(each for each in outside.distributions if each.name == "age")
    save(charts.before_after(shown), "gallery-external")


def draw_comparison() -> None:
    """Draw the map of a comparison, and what weights of dependence cost and bring."""
    frame, plan = table()
    grid = {"method": ["mdav", "vmdav"], "k": [3, 5, 10, 20], "refine": ["none", "quick"]}
    axes = ("dld", "il_percent")
    runs = compare(frame, plan, grid, keys=axes)
    best = pick(runs, parse_bounds("dld <= 5"))
    save(charts.risk_utility_map(runs, pareto_front(runs, axes), axes=axes, picked=best), "gallery-map")
    plan = plan.replace(subject="record", dependence={"weight": 0.2})
    runs = compare(frame, plan, {"k": [5, 10], "dependence.weight": [0, 0.1, 0.2, 0.3, 0.5, 0.7, 1]}, keys=KEYS)
    (rows,) = weight_trade_offs(runs, plan.k).values()
    save(charts.trade_off_chart(rows), "gallery-weights")


if __name__ == "__main__":
    draw_report()
    draw_comparison()
