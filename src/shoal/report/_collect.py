"""Collect what a report says from the original table, its release and the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.plan.treatment import treatment
from shoal.progress import Progress
from shoal.report.attempts import chosen_attacks
from shoal.report.bounds import bounds_of
from shoal.report.cautions import cautions, remedies
from shoal.report.continuous import Continuous
from shoal.report.correlations import correlation_drift
from shoal.report.data import AttributeRow, Fact, ReportData
from shoal.report.distributions import distributions_of
from shoal.report.edition import Edition, Guard
from shoal.report.group_histograms import distance_histograms, size_histogram
from shoal.report.judgements import published_judgement
from shoal.report.limits import limits_of
from shoal.report.provenance import plan_text, provenance
from shoal.report.scores import fact, may_show, score_rows
from shoal.report.statistics import GathersStatistics, Statistics
from shoal.report.summary.make import make_summary
from shoal.report.table_statistics import table_statistics
from shoal.run.release import Release


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
        Prove how far the loss is from the best possible at most (`shoal.refinement.lower_bound`), for an internal
        edition: that takes up to a minute.
    attacks
        What to try against the release, by the names of `shoal.attacks.ATTACKS`; the quick ones if None, ``["all"]`` or
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
    guard = Guard.of(edition, release.manifest["output"]["rows"], plan)
    gather = release.gather_statistics if isinstance(release, GathersStatistics) else partial(table_statistics, release)
    chosen = chosen_attacks(attacks)
    found = gather(original, plan, guard, attacks=chosen, certificate=certificate, progress=progress)
    return _composed(release, plan, guard, found, name)


def _composed(release: Release, plan: Plan, guard: Guard, found: Statistics, name: str | None) -> ReportData:
    """Return what a report says of statistics, as far as the edition may show them."""
    distributions = distributions_of(found.columns, plan, guard)
    lost = {column.name: column.lost if isinstance(column, Continuous) else None for column in found.columns}
    scores, classes = found.scores, found.sizes.count
    bounds = bounds_of(scores, classes, found.records, lost)
    drift = correlation_drift(found.correlations, guard)
    found_cautions = cautions(release, plan, scores, distributions, drift, guard)
    summary = make_summary(
        release,
        plan,
        guard,
        name=name,
        subjects=found.subjects,
        dropped=found.dropped,
        attempts=found.attempts,
        scores=scores,
        bounds=bounds,
        columns=found.columns,
        drift=drift,
        cautions=found_cautions,
    )
    attempts = () if found.attempts is None or guard.external else found.attempts.values()
    return ReportData(
        edition=guard.edition,
        title=summary.title,
        summary=summary,
        attempts=tuple(each.to_dict() for each in attempts),
        facts=_facts(found, classes, guard, bounds),
        guarantees=tuple(published_judgement(each, plan, guard).to_dict() for each in release.guarantees.values()),
        attributes=_attribute_rows(plan),
        recoding=found.recoding,
        plan=plan_text(plan, guard),
        sizes=size_histogram(found.sizes, guard)
        if found.subject_sizes is None or not guard.counts_subjects
        else size_histogram(found.subject_sizes, guard, of="subject"),
        closeness=distance_histograms(found.distances, guard, found.limits),
        distributions=distributions,
        drift=drift,
        scores=score_rows(scores, guard, bounds),
        population=found.population,
        riskiest=found.riskiest,
        cautions=found_cautions,
        remedies=remedies(release, guard),
        limits=(*limits_of(release, plan), *found.notes),
        provenance=provenance(
            release.manifest,
            guard,
            refined=None if guard.external else found.refined,
            certified=found.certified,
        ),
    )


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


def _facts(found: Statistics, classes: int, guard: Guard, bounds: Mapping[str, float]) -> tuple[Fact, ...]:
    dropped, subjects = found.dropped, found.subjects
    return (
        Fact("records", found.records),
        *([Fact("records dropped", dropped)] if dropped and guard.shows(dropped) else []),
        *([] if subjects is None or guard.external else [Fact(f"subjects ({subjects.name})", subjects.count)]),
        Fact("classes", classes),
        *(
            fact(name, score, guard, bounds, subjects=subjects is not None)
            for key, name in _HEADLINES.items()
            if (score := found.scores.get(key)) is not None and may_show(score, guard, bounds)
        ),
    )
