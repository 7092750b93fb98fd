"""Collect what a report says from the original table, its release and the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes import subjects_of_each
from shoal.constrain import emd
from shoal.encode import Column, Subjects, read_column, read_weights
from shoal.errors import PlanError
from shoal.frames import Table
from shoal.kinds import Missing
from shoal.measure import Score, measure_release
from shoal.measure.loss_bound import bound_loss
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.treatment import treatment
from shoal.progress import Progress, shown
from shoal.protect import Closeness, Judgement, asked
from shoal.protect.t_closeness import TCloseness
from shoal.report.attempts import attempts_on, chosen_attacks
from shoal.report.bounds import bounds_of
from shoal.report.cautions import cautions, remedies
from shoal.report.correlations import correlation_drift
from shoal.report.data import AttributeRow, Fact, PopulationRow, ReportData
from shoal.report.distributions import variance_lost
from shoal.report.edition import Edition, Guard
from shoal.report.group_histograms import distance_histograms, size_histogram
from shoal.report.limits import limits_of
from shoal.report.numbers import whole_days
from shoal.report.population import population_rows
from shoal.report.provenance import plan_text, provenance
from shoal.report.recoding import recoding_rows
from shoal.report.riskiest import riskiest_groups
from shoal.report.scores import fact, may_show, score_rows
from shoal.report.sides import Sides
from shoal.report.summary.make import make_summary
from shoal.run.inputs import read_subjects_of
from shoal.run.intersection import NAME as INTERSECTION
from shoal.run.refining import refinement_sentence
from shoal.run.release import Release
from shoal.run.unrefined import estimate_refinement, estimate_sentence

CERTIFICATE_SECONDS = 60.0
"""What proving a bound may take: what is proven until then counts."""


def collect(
    original: Any,
    release: Release,
    plan: Plan,
    *,
    edition: Edition | str = Edition.INTERNAL,
    name: str | None = None,
    certificate: bool = False,
    attacks: Sequence[str] | None = None,
    progress: Progress = None,
) -> ReportData:
    """Collect what a report says.

    Parameters
    ----------
    original
        The table that was anonymized.
    release
        What came of it, by `shoal.anonymize` or by `assess`.
    plan
        What was asked.
    edition
        ``internal`` shows everything and stays with the original; ``external`` goes out with the release.
    name
        What to call the table in the title; external readers do not see it.
    certificate
        Prove how far the loss is from the best possible at most (`shoal.refine.lower_bound`), for an internal edition:
        that takes up to a minute.
    attacks
        What to try against the release, by the names of `shoal.attack.ATTACKS`; the quick ones if None, ``["all"]`` or
        ``["none"]``.
    progress
        Called now and then with the work done and the work to do, while records are linked; True for a bar, False for
        none, None for a bar in notebooks and at a prompt.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67], "pay": [7, 8, 9, 5]})
    >>> plan = Plan(k=2, attributes={
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "pay": {"role": "confidential", "kind": "numeric"},
    ... })
    >>> data = collect(frame, shoal.anonymize(frame, plan), plan)
    >>> data.sizes.sentence
    'All 2 classes have 2 records.'
    """
    if certificate and Edition(edition) is Edition.EXTERNAL:
        raise PlanError("certificate compares with the original, which external reports do not: leave one of them out")
    chosen, given = chosen_attacks(attacks), release
    release = release.in_original_order()
    sides = Sides.of(original, release, plan, Edition(edition))
    table, released, guard, labels = sides.table, sides.released, sides.guard, sides.labels
    sizes = np.bincount(labels)
    subjects = read_subjects_of(table, plan)
    columns = sides.columns(plan)
    with shown(progress, "linking records") as report:
        scores = measure_release(original, release, plan, progress=report)
    classes = sides.classes(plan, columns)
    distributions = sides.spread(plan, columns, classes)
    lost = {before.name: variance_lost(before, after, classes.get(before.name)) for before, after in columns}
    bounds = bounds_of(scores, labels, lost)
    drift = correlation_drift(columns, guard)
    distances, limits = _distances(released, labels, plan, scores)
    with shown(progress, "attacking the release") as report:
        attempts = attempts_on(original, given, plan, chosen, report)
    found = cautions(release, plan, scores, distributions, drift, guard)
    summary = make_summary(
        release,
        plan,
        guard,
        name=name,
        subjects=subjects,
        dropped=sides.dropped,
        attempts=attempts,
        scores=scores,
        bounds=bounds,
        columns=columns,
        drift=drift,
        cautions=found,
    )
    return ReportData(
        edition=guard.edition,
        title=summary.title,
        summary=summary,
        attempts=() if attempts is None or guard.external else tuple(each.to_dict() for each in attempts.values()),
        facts=_facts(len(table), sides.dropped, subjects, len(sizes), scores, guard, bounds),
        guarantees=tuple(_judgement(each, guard) for each in release.guarantees.values()),
        attributes=_attribute_rows(plan),
        recoding=recoding_rows(sides.recoding, plan, guard),
        plan=plan_text(plan, guard),
        sizes=size_histogram(
            sizes, guard, subjects=None if subjects is None else subjects_of_each(labels, subjects.numbers)
        ),
        closeness=distance_histograms(distances, sizes, guard, limits),
        distributions=distributions,
        drift=drift,
        scores=score_rows(scores, guard, bounds),
        population=_population(sides.whole, table, columns, plan, guard),
        riskiest=()
        if guard.external
        else riskiest_groups(
            released,
            labels,
            plan.names(Role.QUASI_IDENTIFIER),
            scores,
            distances,
            days=[before.name for before, _ in columns if whole_days(before)],
        ),
        cautions=found,
        remedies=remedies(release, guard),
        limits=limits_of(release, plan),
        provenance=provenance(
            release.manifest,
            guard,
            refined=None if guard.external else _refined(table, release, plan),
            certified=_certified(original, release, plan) if certificate else None,
        ),
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


def _certified(original: Any, release: Release, plan: Plan) -> str | None:
    """Say how far the loss is from the best possible, by a bound that is proven."""
    found = bound_loss(original, plan, released=release.data, seconds=CERTIFICATE_SECONDS)
    return found.sentence


def _judgement(judgement: Judgement, guard: Guard) -> dict[str, Any]:
    """Return a judgement as plain values; for external readers without counts of those whom an intruder finds."""
    values = judgement.to_dict()
    if guard.external:
        values["detail"] = {name: value for name, value in judgement.detail.items() if not isinstance(value, int)}
        if judgement.name == INTERSECTION:
            values["note"] = ""
    return values


def _distances(
    released: Table, labels: NDArray[np.int64], plan: Plan, scores: Mapping[str, Score]
) -> tuple[dict[str, NDArray[np.float64]], dict[str, float]]:
    """Return the distances of the groups from the table by attribute, and what was asked of them.

    Where the plan asks for closeness, distances are those it asks for: by its order or tree of the categories.
    """
    distances = dict(scores["emd_max"].groups) if "emd_max" in scores else {}
    rules = _closeness_rules(released, plan)
    distances |= {rule.attribute.name: emd(rule.attribute, labels) for rule in rules}
    return distances, {rule.attribute.name: float(rule.t) for rule in rules}


def _closeness_rules(released: Table, plan: Plan) -> list[Closeness]:
    """Return what groups must keep to be close to the whole table."""
    demand = plan.demand()
    guarantees = [guarantee for guarantee in asked(demand) if isinstance(guarantee, TCloseness)]
    return [
        rule
        for guarantee in guarantees
        if not guarantee.keeps_points  # those are close to a neighbourhood instead
        for rule in guarantee.rules(demand, released)
        if isinstance(rule, Closeness)
    ]


def _attribute_rows(plan: Plan) -> tuple[AttributeRow, ...]:
    return tuple(
        AttributeRow(name, attribute.role.value, attribute.kind.value if attribute.kind else "", treatment(name, plan))
        for name, attribute in plan.attributes.items()
    )


_HEADLINES = {
    "k_min": "smallest class",
    "il_percent": "information lost",
    "dld": "records linked to their original",
    "emd_max": "greatest EMD",
}
"""The measures that stand at the head of a report, and what they are called there."""


def _facts(
    records: int,
    dropped: int,
    subjects: Subjects | None,
    classes: int,
    scores: Mapping[str, Score],
    guard: Guard,
    bounds: Mapping[str, float],
) -> tuple[Fact, ...]:
    return (
        Fact("records", records),
        *([Fact("records dropped", dropped)] if dropped and guard.shows(dropped) else []),
        *([] if subjects is None or guard.external else [Fact(f"subjects ({subjects.name})", subjects.count)]),
        Fact("classes", classes),
        *(
            fact(name, score, guard, bounds)
            for key, name in _HEADLINES.items()
            if (score := scores.get(key)) is not None and may_show(score, guard, bounds)
        ),
    )
