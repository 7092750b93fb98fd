"""Every chart of shoal, as Vega-Lite through Altair: one definition for report, comparison and notebook."""

from shoal.report.charts.columns import before_after, drift_matrix
from shoal.report.charts.groups import common_axes, distances, histogram
from shoal.report.charts.risk_utility import risk_utility_map
from shoal.report.charts.style import PALETTE, by_itself, dark_css, svg
from shoal.report.charts.trade_off import trade_off_chart

__all__ = [
    "PALETTE",
    "before_after",
    "by_itself",
    "common_axes",
    "dark_css",
    "distances",
    "drift_matrix",
    "histogram",
    "risk_utility_map",
    "svg",
    "trade_off_chart",
]
