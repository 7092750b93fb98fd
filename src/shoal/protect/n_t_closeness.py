"""(n, t)-Closeness: every class is close to its neighbourhood of at least n records instead of the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from shoal import _core
from shoal.encode import Subjects
from shoal.errors import PlanError
from shoal.labels import read_labels, rows_of_each
from shoal.options import Key, Options
from shoal.points import Points, comparable
from shoal.progress import Progress
from shoal.protect.guarantee import Demand, Evidence, Forecast, Judgement
from shoal.protect.rules import Rule, of_records, require_possible
from shoal.protect.t_closeness import Closeness, TCloseness, closeness_note


class Verdicts(NamedTuple):
    """For each group, its distance relative to t, and whether it is within."""

    shortfall: NDArray[np.float64]
    met: NDArray[np.bool_]


def judge_near(points: ArrayLike | Points, labels: ArrayLike, constraints: Sequence[Closeness], n: int) -> Verdicts:
    """Judge groups by (n, t)-closeness.

    Parameters
    ----------
    points
        Records: an array of scaled coordinates, or `Points`.
    labels
        (records,) group of each record, from 0.
    constraints
        The attributes and their t.
    n
        Fewest records of a neighbourhood.

    Returns
    -------
    Verdicts
        One for each group: the worst of its attributes.

    Notes
    -----
    Li et al. 2010: a class must be within t of some natural superset of at least n records. Here the natural superset
    of a group is the group and those with the nearest centroids, whole, until n records are together; and the table, so
    that t-closeness is enough.

    Examples
    --------
    >>> from shoal.protect import Closeness, Confidential
    >>> values = Confidential.ordered([1.0, 2.0, 1.0, 2.0, 8.0, 9.0, 8.0, 9.0])
    >>> points, labels = [0.0, 1.0, 2.0, 3.0, 14.0, 15.0, 16.0, 17.0], [0, 0, 1, 1, 2, 2, 3, 3]
    >>> judge_near(points, labels, [Closeness(values, 0.1)], 4).met
    array([ True,  True,  True,  True])
    >>> judge_near(points, labels, [Closeness(values, 0.1)], 5).met
    array([False, False, False, False])
    """
    points = comparable(points)
    array, count = read_labels(labels, len(points))
    kernels = [constraint.kernel for constraint in constraints]
    shortfall, met = _core.judge_neighbours(points.records(), array, count, whole_number(n), kernels)
    return Verdicts(shortfall, met.view(np.bool_))


def merge_near(
    points: Points, labels: NDArray[np.int64], rules: Sequence[Closeness], n: int, *, progress: Progress | None = None
) -> NDArray[np.int64]:
    """Merge groups until each is within t of its neighbourhood of n records, or of the table.

    A merger moves centroids, and with them the neighbourhoods of others. So merging goes in rounds: all groups are
    judged, then each that misses t joins the group whose centroid is nearest, the worst first, none twice in a round.
    """
    array, count = read_labels(labels, len(points))
    kernels = [rule.kernel for rule in rules]
    merged = _core.merge_neighbours(points.records(), array, count, whole_number(n), kernels, progress)
    if merged.max() == 0 and not judge_near(points, merged, rules, n).met.all():
        require_possible(rules)
    return merged


def whole_number(n: int) -> int:
    """Return the fewest records of a neighbourhood, or refuse what is none."""
    if n != int(n) or n < 1:
        raise PlanError(f"n must be a whole number of records from 1, not {n!r}")
    return int(n)


class NeighbourhoodOptions(Options):
    """The key of ``[closeness]`` that asks for it."""

    n: Annotated[
        Annotated[int, Field(ge=1, strict=True)] | None,
        Key(not_on_spark="compares groups with those around them, which may lie in other fragments"),
    ] = Field(None, description="merge: compare a group with its neighbourhood of n records: (n, t)-closeness")


class NTCloseness(TCloseness):
    """Every class is within t of its neighbourhood, or of the whole table."""

    name = "n_t_closeness"
    options: ClassVar[type[Options]] = NeighbourhoodOptions
    key = "n"
    example = 'closeness = { t = 0.2, method = "merge", n = 30 }'
    summary = "the confidential values of every class are distributed as in its neighbourhood of n records, within t"
    not_promised = "what is common in a neighbourhood may be known of everybody in it"
    keeps_points = True
    merges_by_itself = True
    in_streams = False  # a stream compares a group with all that came so far

    def is_asked(self, demand: Demand) -> bool:
        """Whether ``[closeness]`` compares groups with their neighbourhoods."""
        section: Any = demand.sections.get(self.section)
        return section is not None and section.n is not None

    def require_feasible(
        self, demand: Demand, rules: Sequence[Rule], domains: NDArray[np.int64] | None, subjects: Subjects | None = None
    ) -> None:
        """Neighbourhoods depend on the groups: what the coarsest ones keep tells nothing."""

    def forecast(self, demand: Demand, rules: Sequence[Any]) -> Forecast:
        """Groups start at k: how near a neighbourhood is cannot be known before."""
        return Forecast(demand.k)

    def merged(
        self,
        demand: Demand,
        points: Points,
        labels: NDArray[np.int64],
        rules: Sequence[Any],
        progress: Progress | None = None,
    ) -> NDArray[np.int64]:
        """Merge groups until each is close to its neighbourhood; a merger moves the neighbourhoods of others."""
        section: Any = demand.sections[self.section]
        return merge_near(points, labels, rules, section.n, progress=progress)

    def judge(self, demand: Demand, evidence: Evidence) -> Judgement:
        """Measure distances to neighbourhoods; where a class stands among the others, its original records tell."""
        section: Any = demand.sections[self.section]
        rules: Sequence[Any] = self.rules(demand, evidence.released)
        points = evidence.points()
        assert points is not None, "points are kept for a guarantee that asks for them"
        # Neighbourhoods stay inside a value of ``by``, as groups do.
        everybody = np.arange(len(points))
        worst, holds = [0.0] * len(rules), True
        for rows in [everybody] if evidence.domains is None else rows_of_each(evidence.domains):
            near, labels = points.take(rows), np.unique(evidence.classes[rows], return_inverse=True)[1]
            for place, rule in enumerate(of_records(rules, rows)):
                verdict = judge_near(near, labels, [rule], section.n)
                worst[place] = max(worst[place], float(verdict.shortfall.max()))
                holds &= bool(verdict.met.all())
        rule = rules[int(np.argmax(worst))]
        definition = (
            f"the confidential values of every class are at an earth mover's distance of at most t from those of "
            f"its {section.n} or more nearest records, or of the whole table"
        )
        note = closeness_note([(each, each.reached(short)) for each, short in zip(rules, worst, strict=True)], demand)
        return Judgement(self.name, self.asked(rule), rule.reached(max(worst)), holds, definition, note)
