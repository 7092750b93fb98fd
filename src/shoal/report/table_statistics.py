"""Statistics of a table and its release that are at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes import subjects_of_each
from shoal.constrain import emd
from shoal.encode import read_weights
from shoal.frames import Table
from shoal.kinds import Missing
from shoal.kinds.column import Column
from shoal.kinds.registry import read_column
from shoal.masking.inputs import read_subjects_of
from shoal.masking.refinement import refinement_sentence
from shoal.measures import Score, measure_release
from shoal.measures.loss_bound import bound_loss
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.progress import Progress, shown
from shoal.protect import Closeness, Demand, asked
from shoal.protect.t_closeness import TCloseness
from shoal.report.attempts import attempts_on
from shoal.report.correlations import Correlations
from shoal.report.data import PopulationRow
from shoal.report.edition import Guard
from shoal.report.group_histograms import ClassSpread
from shoal.report.numbers import whole_days
from shoal.report.population import population_rows
from shoal.report.recoding import recoding_rows
from shoal.report.riskiest import category_names, riskiest_groups
from shoal.report.sides import Sides
from shoal.report.statistics import Statistics, SubjectCount
from shoal.run.refinement_estimate import estimate_refinement, estimate_sentence
from shoal.run.release import Release

CERTIFICATE_SECONDS = 60.0
"""What proving a bound may take: what is proven until then counts."""


def table_statistics(
    release: Release,
    original: Any,
    plan: Plan,
    guard: Guard,
    *,
    attacks: Sequence[str],
    certificate: bool,
    progress: Progress,
) -> Statistics:
    """Return everything that a report is made of, from the records themselves.

    Parameters
    ----------
    release, original, plan
        What came of the table, the table, and what was asked.
    guard
        Who reads the report.
    attacks
        What to try against the release.
    certificate
        Whether to prove how far the loss is from the best possible at most.
    progress
        Called now and then with the work done and the work to do, while records are linked; or whether to show a bar.
    """
    given, release = release, release.in_original_order()
    sides = Sides.of(original, release, plan, guard)
    whole, table, released, labels = sides.whole, sides.table, sides.released, sides.labels
    sizes = np.bincount(labels)
    subjects = read_subjects_of(table, plan)
    pairs = sides.pairs(plan)
    with shown(progress, "linking records") as report:
        scores = measure_release(original, release, plan, progress=report)
    distances, limits = _distances(released, labels, plan, scores)
    with shown(progress, "attacking the release") as report:
        attempts = attempts_on(original, given, plan, attacks, report)
    return Statistics(
        records=len(table),
        dropped=sides.dropped,
        subjects=None if subjects is None else SubjectCount(subjects.name, subjects.count),
        columns=sides.columns(plan, guard, pairs),
        correlations=Correlations.of(pairs),
        scores=scores,
        sizes=ClassSpread.of(sizes, sizes),
        subject_sizes=None if subjects is None else ClassSpread.of(subjects_of_each(labels, subjects.numbers), sizes),
        distances={name: ClassSpread.of(values, sizes) for name, values in distances.items()},
        limits=limits,
        riskiest=()
        if guard.external
        else riskiest_groups(
            released,
            labels,
            plan.names(Role.QUASI_IDENTIFIER),
            scores,
            distances,
            days=[before.name for before, _ in pairs if whole_days(before)],
            categories=category_names(plan),
        ),
        attempts=attempts,
        recoding=recoding_rows(sides.recoding, plan, guard),
        population=_population(whole, table, pairs, plan, guard),
        refined=None if guard.external else _refined(table, release, plan),
        certified=_certified(original, release, plan, progress) if certificate else None,
    )


def _population(
    whole: Table, table: Table, columns: Sequence[tuple[Column, Column]], plan: Plan, guard: Guard
) -> tuple[PopulationRow, ...]:
    """Return estimates of the population, which external readers see of the release alone."""
    if plan.weights is None or guard.external:
        return ()
    if table is not whole:  # dropped records are missed in the estimates
        columns = [
            (read_column(whole, replace(before.spec, missing=Missing.IMPUTE)), after) for before, after in columns
        ]
    return population_rows(columns, (read_weights(whole, plan.weights), read_weights(table, plan.weights)))


def _refined(table: Table, release: Release, plan: Plan) -> str | None:
    """Say what refining saved, or would have saved where it was not asked for."""
    if "refine" in release.manifest:
        return refinement_sentence(release.manifest["refine"])
    estimate = estimate_refinement(table, release, plan)
    return None if estimate is None else estimate_sentence(estimate)


def _certified(original: Any, release: Release, plan: Plan, progress: Progress) -> str | None:
    """Say how far the loss is from the best possible, by a bound that is proven."""
    found = bound_loss(
        original,
        plan,
        released=release.data,
        rows=release.rows,
        seconds=CERTIFICATE_SECONDS,
        progress=progress,
    )
    return found.sentence


def _distances(
    released: Table, labels: NDArray[np.int64], plan: Plan, scores: Mapping[str, Score]
) -> tuple[dict[str, NDArray[np.float64]], dict[str, float]]:
    """Return the distances of the groups from the table by attribute, and what was asked of them.

    Where the plan asks for closeness, distances are those it asks for: by its order or tree of the categories.
    """
    distances = dict(scores["emd_max"].groups) if "emd_max" in scores else {}
    rules = closeness_rules(plan.demand(), released)
    distances |= {rule.attribute.name: emd(rule.attribute, labels) for rule in rules}
    return distances, {rule.attribute.name: float(rule.t) for rule in rules}


def closeness_rules(demand: Demand, released: Table) -> list[Closeness]:
    """Return what groups must keep to be close to the whole table."""
    guarantees = [guarantee for guarantee in asked(demand) if isinstance(guarantee, TCloseness)]
    return [
        rule
        for guarantee in guarantees
        if not guarantee.keeps_points  # those are close to a neighbourhood instead
        for rule in guarantee.rules(demand, released)
        if isinstance(rule, Closeness)
    ]
