"""A column before and after as pages show it: what the report tells of it, and its chart."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.app.tasks.comparison import for_page
from shoal.report.data import Distribution


@dataclass(frozen=True)
class DrawnColumn:
    """How a column is spread before and after, and the chart of it (None where it cannot be drawn)."""

    distribution: Distribution
    chart: str | None


def drawn(distribution: Distribution, *, chart: bool = True) -> DrawnColumn:
    """Draw a column as the report does.

    Parameters
    ----------
    distribution
        What the report tells of the column.
    chart
        Whether to draw it at all; its numbers are there in any case.
    """
    from shoal.report.charts import before_after, svg

    return DrawnColumn(distribution, for_page(svg(before_after(distribution))) if chart and distribution.bins else None)
