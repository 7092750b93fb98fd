"""Charts of a report by themselves, as Altair objects."""

from __future__ import annotations

from typing import Any

from shoal.errors import PlanError, nearest
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.report.categorical import Codes
from shoal.report.continuous import Continuous
from shoal.report.data import Distribution, ReportData
from shoal.report.distributions import distributions_of
from shoal.report.edition import Edition, Guard
from shoal.report.sides import Sides
from shoal.report.statistics import GathersStatistics
from shoal.run.release import Release


def plot(original: Any, release: Release, plan: Plan, column: str, *, edition: Edition | str) -> Any:
    """Draw a column before and after; `Release.plot` says what the arguments are."""
    known = (*plan.names(Role.QUASI_IDENTIFIER), *plan.names(Role.CONFIDENTIAL))
    if column not in known:
        raise PlanError(
            f"there is nothing to draw of {column!r}: it is no quasi-identifier and no confidential attribute"
            f"{nearest(column, known)}"
        )
    guard = Guard.of(edition, release.manifest["output"]["rows"], plan)
    spread = distributions_of(_columns(original, release, plan, guard, column), plan, guard)
    found = next(each for each in spread if each.name == column)
    if not found.bins:
        raise PlanError(f"{column!r} cannot be drawn for this edition: {found.sentence}")
    return before_after(found)


def _columns(original: Any, release: Release, plan: Plan, guard: Guard, name: str) -> tuple[Continuous | Codes, ...]:
    """Return what is known of a column, and of others where its classes are judged by all of them together."""
    if isinstance(release, GathersStatistics):
        return release.gather_statistics(original, plan, guard, attacks=(), certificate=False, progress=False).columns
    sides = Sides.of(original, release.in_original_order(), plan, guard)
    return sides.columns(plan, guard, sides.pairs(plan, None if guard.external else [name]))


def before_after(found: Distribution) -> Any:
    """Draw how a column is spread before and after, as a chart that stands by itself."""
    charts = _charts()
    return charts.by_itself(charts.before_after(found)).properties(title=found.name)


def charts_of(data: ReportData) -> dict[str, Any]:
    """Return the charts of a report by name: sizes, those of closeness, of every column and of correlations."""
    charts = _charts()
    found: dict[str, Any] = {}
    if data.sizes.bars:
        found["sizes"] = charts.by_itself(charts.histogram(data.sizes, data.sizes.name))
    axes = charts.common_axes(data.closeness)
    found |= {
        f"closeness of {each.name}": charts.by_itself(charts.distances(each, axes)).properties(title=each.name)
        for each in data.closeness
        if each.bars
    }
    found |= {each.name: before_after(each) for each in data.distributions if each.bins}
    if data.drift is not None:
        found["correlations"] = charts.by_itself(charts.drift_matrix(data.drift))
    return found


def _charts() -> Any:
    try:
        from shoal.report import charts
    except ModuleNotFoundError as error:
        raise PlanError(f"a chart needs {error.name}: install it with pip install 'shoal[charts]'") from None
    return charts
