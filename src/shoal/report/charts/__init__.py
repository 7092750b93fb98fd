"""Every chart of shoal, as Vega-Lite through Altair: one definition for report, comparison and notebook."""

from shoal.report.charts.histograms import before_after, common_axes, distances, drift_matrix, histogram
from shoal.report.charts.plans import risk_utility_map, trade_off_chart
from shoal.report.charts.style import PALETTE, by_itself, dark_css, svg

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
