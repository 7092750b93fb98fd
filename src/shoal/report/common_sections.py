"""What both editions of a report say in the same way: numbers at the head, guarantees, columns, classes, measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.treatment import treatment
from shoal.protect import Judgement
from shoal.report.categorical import COMPARED, Codes
from shoal.report.continuous import Continuous
from shoal.report.group_histograms import class_distances, class_sizes
from shoal.report.report_data import AttributeRow, Distribution, Fact, Histogram, Plain, ReportData, ScoreRow
from shoal.report.report_statistics import ReleaseStatistics
from shoal.report.summary.summary import Summary

UNSEEN = Histogram(
    "records in the class", "classes", (), "The groups that values were shuffled in are not seen in the released table."
)

_HEADLINES = {
    "k_min": "smallest class",
    "il_percent": "information lost",
    "dld": "records linked to their original",
    "emd_max": "greatest EMD",
}
"""The measures that stand at the head of a report, and what they are called there."""


def report_data(
    summary: Summary,
    statistics: ReleaseStatistics,
    plan: Plan,
    judgements: Iterable[Judgement],
    /,
    *,
    facts: Sequence[Fact] = (),
    provenance: Iterable[tuple[str, Plain]],
    **sections: Any,
) -> ReportData:
    """Return a report behind its page one.

    ``facts`` stand between the number of records and that of classes, and of ``provenance`` what is not known is left
    out; ``sections`` are those that the editions do not share.
    """
    sizes, subject_sizes, scores = statistics.sizes, statistics.subject_sizes, statistics.scores
    classes = [] if sizes is None else [Fact("classes", sizes.count)]
    return ReportData(
        edition=summary.edition,
        title=summary.title,
        summary=summary,
        facts=(Fact("records", statistics.records), *facts, *classes, *_headlines(statistics)),
        guarantees=tuple(each.to_dict() for each in judgements),
        attributes=attribute_rows(plan),
        sizes=UNSEEN if sizes is None else class_sizes(sizes, subject_sizes),
        closeness=tuple(
            class_distances(name, spread, statistics.limits.get(name)) for name, spread in statistics.distances.items()
        ),
        scores=tuple(
            ScoreRow(
                key=score.key,
                name=score.definition.called,
                value=score.value,
                aspect=score.definition.aspect,
                better=score.definition.better,
                low=score.definition.low,
                high=score.definition.high,
                definition=score.definition.text,
                columns=score.columns,
                interval=score.interval,
                attributes=dict(score.attributes),
                unit=score.definition.unit,
            )
            for score in scores.values()
        ),
        provenance=tuple((name, value) for name, value in provenance if value is not None),
        **sections,
    )


def attribute_rows(plan: Plan) -> tuple[AttributeRow, ...]:
    """Return what the plan says of every column, and what was done with it."""
    return tuple(
        AttributeRow(name, attribute.role.value, attribute.kind.value if attribute.kind else "", treatment(name, plan))
        for name, attribute in plan.attributes.items()
    )


def _headlines(statistics: ReleaseStatistics) -> Iterable[Fact]:
    """Return the measures that stand at the head; without subjects, those they count are records."""
    for key, name in _HEADLINES.items():
        if key in statistics.scores:
            score = statistics.scores[key]
            unit = score.definition.unit
            of_records = unit == "subjects" and statistics.subject_sizes is None
            yield Fact(name, score.value, "records" if of_records else unit)


EMPTY = "Too few records share a value of this column to show how it is spread."


def distributions_of(columns: Iterable[Continuous | Codes], plan: Plan) -> tuple[Distribution, ...]:
    """Return how columns are spread before and after, by their roles in a plan."""
    return tuple(_distribution(column, plan.attributes[column.name].role) for column in columns)


def released_distributions(columns: Iterable[Continuous | Codes], plan: Plan) -> tuple[Distribution, ...]:
    """Return how columns are spread in a release, of which both sides are the released table.

    That a column changed is said where the plan says so: whether any value did, only the original knows.
    """
    return tuple(
        replace(
            each,
            bins=tuple(replace(bin, before=None) for bin in each.bins),
            sentence="As released." if each.bins else EMPTY,
            changed=each.name in plan.changed_names(),
            summary=tuple((name, None, after) for name, _, after in each.summary if name not in COMPARED),
        )
        for each in distributions_of(columns, plan)
    )


def _distribution(column: Continuous | Codes, role: Role) -> Distribution:
    changed, bins = column.changed > 0, column.bins()
    return Distribution(
        name=column.name,
        role=role.value,
        kind=column.kind.value,
        unit="records",
        bins=bins,
        sentence=EMPTY if not bins else column.sentence() if changed else "Released as it is.",
        changed=changed,
        summary=column.summary(),
    )
