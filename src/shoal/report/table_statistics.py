"""Statistics of tables that are at hand: of a release beside its original, and of a released table by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes import subjects_of_each
from shoal.constrain import emd
from shoal.encode import Subjects, read_weights
from shoal.frames import Table
from shoal.kinds import Missing
from shoal.kinds.column import Column, Spec
from shoal.kinds.registry import read_column
from shoal.masking.inputs import read_subjects_of
from shoal.masking.recoding import coarsened, recoded
from shoal.masking.refinement import estimate_refinement, estimate_sentence, refinement_sentence
from shoal.measures import Score, il_percent, measure_release, measure_released, visible_groups
from shoal.measures.loss_bound import bound_loss
from shoal.measures.tables import recoded_pair, released_subjects
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.plan.missing_values import open_table
from shoal.progress import shown
from shoal.protect import Closeness, Demand, asked, released_classes
from shoal.protect.t_closeness import TCloseness
from shoal.recode import RECODINGS, Recoded
from shoal.report.attempts import attempts_on
from shoal.report.categorical import Codes
from shoal.report.continuous import Continuous
from shoal.report.correlations import correlation_drift
from shoal.report.group_histograms import ClassSpread
from shoal.report.population_estimates import population_rows
from shoal.report.report_data import PopulationRow, RecodingRow
from shoal.report.report_statistics import ReleaseStatistics, Statistics, SubjectCount, Trials
from shoal.report.riskiest import RiskyClasses, category_names
from shoal.report.spread import whole_days
from shoal.run.release import Release

CERTIFICATE_SECONDS = 60.0
"""What proving a bound may take: what is proven until then counts."""

Pairs = Sequence[tuple[Column, Column]]
"""Columns before and after."""


def table_statistics(original: Any, release: Release, plan: Plan, trials: Trials) -> Statistics:
    """Return everything that an internal report is made of, from the records themselves."""
    given, release = release, release.in_original_order()
    recoding = recoded(open_table(original, plan), plan, judge_totals=False)
    original_table = recoding.before
    table = original_table.take(release.rows) if len(release.rows) < len(original_table) else original_table
    released, labels = open_table(release.data, plan), visible_groups(release, plan)
    subjects = read_subjects_of(table, plan)
    pairs = column_pairs(table, released, plan)
    with shown(trials.progress, "linking records") as report:
        scores = measure_release(original, release, plan, progress=report)
    rules = closeness_rules(plan.demand(), released)
    distances = _distances(labels, rules, scores)
    classes = _class_statistics(labels, subjects, rules, distances)
    with shown(trials.progress, "attacking the release") as report:
        attempts = attempts_on(original, given, plan, trials.attacks, report)
    risky = RiskyClasses(
        plan.names(Role.QUASI_IDENTIFIER),
        scores,
        distances,
        days=[before.name for before, _ in pairs if whole_days(before)],
        categories=category_names(plan),
    )
    options = {"released": release.data, "rows": release.rows, "seconds": CERTIFICATE_SECONDS}
    bound = bound_loss(original, plan, **options, progress=trials.progress) if trials.certificate else None
    return Statistics(
        names=released.names,
        records=len(table),
        dropped=len(original_table) - len(table),
        subjects=None if subjects is None else SubjectCount(subjects.name, subjects.count),
        columns=_spreads(pairs),
        drift=correlation_drift(pairs),
        scores=scores,
        **classes,
        riskiest=risky.among(released, labels),
        attempts=attempts,
        recoding=_recoding_rows(recoding, plan),
        population=_population(original_table, table, pairs, plan),
        refined=_refined(table, release, plan),
        certified=None if bound is None else bound.sentence,
    )


def released_statistics(released: Table, plan: Plan) -> ReleaseStatistics:
    """Return what a released table shows by itself.

    The groups of a permutation are not seen in it, and neither is what they hold. Sums do not depend on the order of
    the records: it may be that of the original, where another tool made the release.
    """
    released = released.take(_canonical_order(released))
    columns = [_released_column(released, plan, name) for name in _names(plan)]
    seen: dict[str, Any] = {}
    if plan.release is not ReleaseMode.PERMUTE:
        labels, scores = released_classes(released, plan.demand()), measure_released(released, plan)
        rules = closeness_rules(plan.demand(), released)
        subjects, distances = released_subjects(released, plan), _distances(labels, rules, scores)
        seen = {"scores": scores, **_class_statistics(labels, subjects, rules, distances)}
    spreads = _spreads([(column, column) for column in columns])
    return ReleaseStatistics(names=released.names, records=len(released), columns=spreads, **seen)


def _class_statistics(
    labels: NDArray[np.int64],
    subjects: Subjects | None,
    rules: Sequence[Closeness],
    distances: Mapping[str, NDArray[np.float64]],
) -> dict[str, Any]:
    """Return what statistics say of classes, by the names of their fields."""
    return {
        "sizes": ClassSpread.of(np.bincount(labels)),
        "subject_sizes": None if subjects is None else ClassSpread.of(subjects_of_each(labels, subjects.numbers)),
        "distances": {name: ClassSpread.of(values) for name, values in distances.items()},
        "limits": {rule.attribute.name: float(rule.t) for rule in rules},
    }


def _canonical_order(table: Table) -> NDArray[np.int64]:
    """Return the rows in the order of how their cells are written."""
    ranks = []
    for name in table.names:
        codes = table.class_codes(name)
        distinct, first, place = np.unique(codes, return_index=True, return_inverse=True)
        texts = [str(table.frame[name][int(row)]) for row in first]
        rank = np.empty(len(distinct), dtype=np.int64)
        rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        ranks.append(rank[place])
    return np.lexsort(ranks[::-1])


def column_pairs(table: Table, released: Table, plan: Plan, names: Iterable[str] | None = None) -> Pairs:
    """Read quasi-identifiers and confidential attributes of both tables, or some of them.

    Missing cells are no mistake here.
    """
    return [
        (read_column(table, _shown_spec(plan, name)), _released_column(released, plan, name))
        for name in (_names(plan) if names is None else names)
    ]


def _names(plan: Plan) -> tuple[str, ...]:
    return (*plan.names(Role.QUASI_IDENTIFIER), *plan.names(Role.CONFIDENTIAL))


def _released_column(released: Table, plan: Plan, name: str) -> Column:
    return read_column(released, replace(_shown_spec(plan, name), generalized=True))


def _shown_spec(plan: Plan, name: str) -> Spec:
    spec = plan.spec(name)
    return replace(spec, kind=spec.kind.in_files, missing=Missing.IMPUTE)


def _spreads(pairs: Pairs) -> tuple[Continuous | Codes, ...]:
    return tuple((Continuous if before.kind.is_continuous else Codes).of(before, after) for before, after in pairs)


def plotted_column(original: Any, release: Release, plan: Plan, name: str) -> Continuous | Codes:
    """Return one column of a release beside its original."""
    release = release.in_original_order()
    table = recoded(open_table(original, plan), plan, judge_totals=False).before
    table = table.take(release.rows) if len(release.rows) < len(table) else table
    return _spreads(column_pairs(table, open_table(release.data, plan), plan, [name]))[0]


def _recoding_rows(recoding: Recoded, plan: Plan) -> tuple[RecodingRow, ...]:
    """Return a row for each recoding of each column, in the order in which they were applied.

    Information loss is told of quasi-identifiers, as the measures tell it, at the last recoding of a column that loses
    something; it is that of all of them together.
    """
    lost = dict(il_percent(recoded_pair(recoding, plan)).attributes) if coarsened(plan) else {}
    masked = plan.names(Role.QUASI_IDENTIFIER)
    last = {step.column: step for step in recoding.steps if step.key not in RECODINGS or RECODINGS[step.key].loses}
    return tuple(
        RecodingRow(
            step.column,
            step.words,
            step.cells,
            step.of,
            lost.get(step.column) if step.column in masked and last.get(step.column) is step else None,
        )
        for step in recoding.steps
    )


def _population(original_table: Table, table: Table, pairs: Pairs, plan: Plan) -> tuple[PopulationRow, ...]:
    """Return estimates of the population."""
    if plan.weights is None:
        return ()
    if table is not original_table:  # dropped records are missed in the estimates
        pairs = [
            (read_column(original_table, replace(before.spec, missing=Missing.IMPUTE)), after)
            for before, after in pairs
        ]
    return population_rows(pairs, (read_weights(original_table, plan.weights), read_weights(table, plan.weights)))


def _refined(table: Table, release: Release, plan: Plan) -> str | None:
    """Say what refining saved, or would have saved where it was not asked for."""
    if "refine" in release.manifest:
        return refinement_sentence(release.manifest["refine"])
    estimate = estimate_refinement(table, release.labels, plan) if release.guarantees.holds else None
    return None if estimate is None else estimate_sentence(estimate)


def _distances(
    labels: NDArray[np.int64], rules: Sequence[Closeness], scores: Mapping[str, Score]
) -> dict[str, NDArray[np.float64]]:
    """Return the distances of the groups from the table by attribute.

    Where the plan asks for closeness, distances are those it asks for: by its order or tree of the categories.
    """
    distances = dict(scores["emd_max"].groups) if "emd_max" in scores else {}
    return distances | {rule.attribute.name: emd(rule.attribute, labels) for rule in rules}


def closeness_rules(demand: Demand, released: Table) -> list[Closeness]:
    """Return what groups must keep to be close to the whole table."""
    return [
        rule
        for guarantee in asked(demand)
        # What keeps points is close to a neighbourhood instead.
        if isinstance(guarantee, TCloseness) and not guarantee.keeps_points
        for rule in guarantee.rules(demand, released)
        if isinstance(rule, Closeness)
    ]
