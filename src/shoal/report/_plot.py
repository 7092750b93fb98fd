"""Charts of a report by themselves, as Altair objects."""

from __future__ import annotations

from typing import Any

from shoal.errors import PlanError, nearest
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.report.common_sections import distributions_of
from shoal.report.external import external_report
from shoal.report.report_data import Distribution, ReportData
from shoal.report.report_statistics import GathersStatistics, Trials
from shoal.report.summary.summary import Edition
from shoal.report.table_statistics import plotted_column
from shoal.run.release import Release


def plot(original: Any, release: Release, plan: Plan, column: str, *, edition: Edition | str) -> Any:
    """Draw a column before and after, or as released; `Release.plot` says what the arguments are."""
    names = (*plan.names(Role.QUASI_IDENTIFIER), *plan.names(Role.CONFIDENTIAL))
    if column not in names:
        raise PlanError(
            f"there is nothing to draw of {column!r}: it is no quasi-identifier and no confidential attribute"
            f"{nearest(column, names)}"
        )
    if Edition(edition) is Edition.EXTERNAL:
        drawn = external_report(release, plan).distributions
    elif isinstance(release, GathersStatistics):
        drawn = distributions_of(release.gather_statistics(plan, Trials(progress=False)).columns, plan)
    else:
        drawn = distributions_of([plotted_column(original, release, plan, column)], plan)
    distribution = next(each for each in drawn if each.name == column)
    if not distribution.bins:
        raise PlanError(f"{column!r} cannot be drawn for this edition: {distribution.sentence}")
    return before_after(distribution)


def before_after(distribution: Distribution) -> Any:
    """Draw how a column is spread before and after, as a chart that stands by itself."""
    charts = _charts()
    return charts.by_itself(charts.before_after(distribution)).properties(title=distribution.name)


def charts_of(data: ReportData) -> dict[str, Any]:
    """Return the charts of a report by name: sizes, those of closeness, of every column and of correlations."""
    charts = _charts()
    drawn: dict[str, Any] = {}
    if data.sizes.bars:
        drawn["sizes"] = charts.by_itself(charts.histogram(data.sizes, data.sizes.name))
    axes = charts.common_axes(data.closeness)
    drawn |= {
        f"closeness of {each.name}": charts.by_itself(charts.distances(each, axes)).properties(title=each.name)
        for each in data.closeness
        if each.bars
    }
    drawn |= {each.name: before_after(each) for each in data.distributions if each.bins}
    if data.drift is not None:
        drawn["correlations"] = charts.by_itself(charts.drift_matrix(data.drift))
    return drawn


def _charts() -> Any:
    try:
        from shoal.report import charts
    except ModuleNotFoundError as error:
        raise PlanError(f"a chart needs {error.name}: install it with pip install 'shoal[charts]'") from None
    return charts
