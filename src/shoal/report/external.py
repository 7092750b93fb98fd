"""The external edition: a function of the released table, the plan and the guarantees, and of nothing else.

Whoever gets it has the released table. Nothing in it compares with the original, so that nothing of a single record can
be solved for, whatever is known beside: what was tried against the release, what it lost, how columns were spread
before, how many records did not leave. The seed, which undoes a permutation, and lists of categories, which may name
what few people have, stay inside as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from shoal.plan import Plan
from shoal.plan.missing_values import open_table
from shoal.plan.toml import dump_toml
from shoal.protect import Judgement
from shoal.protect.dominance import Dominance
from shoal.protect.identification_risk import IdentificationRisk
from shoal.protect.k_anonymity import KAnonymity
from shoal.protect.n_t_closeness import NTCloseness
from shoal.protect.registry import GUARANTEES
from shoal.protect.t_closeness import UNPROTECTED
from shoal.recode import RECODINGS
from shoal.report.cautions import limits_of, open_roles, released_cautions
from shoal.report.common_sections import released_distributions, report_data
from shoal.report.report_data import RecodingRow, ReportData
from shoal.report.report_statistics import GathersStatistics, ReleaseStatistics
from shoal.report.summary.page_one import summary_of, title_of, who_of
from shoal.report.summary.summary import Edition
from shoal.report.table_statistics import released_statistics
from shoal.republish.intersection import NAME as INTERSECTION
from shoal.run.manifest import versions
from shoal.run.release import Release

WITHHELD = (
    "What was tried against this release, and what it lost, compares with the original: whoever holds the original has "
    "it, in the internal edition."
)
_RISKS = (each.name for each in GUARANTEES.values() if isinstance(each, IdentificationRisk))
_COUNTS_SUBJECTS = {KAnonymity.name, *_RISKS}


def external_edition(
    released: Any, plan: Plan, guarantees: Iterable[Judgement], *, file_sha256: str | None = None
) -> ReportData:
    """Return the edition that goes out with a release.

    Parameters
    ----------
    released
        The released table, in any order of its rows.
    plan
        What was asked.
    guarantees
        What holds, as a run or `assess` judged it: the values of `Release.guarantees`.
    file_sha256
        The fingerprint of the released file, where there is one.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67], "pay": [7, 8, 9, 5]})
    >>> plan = Plan(k=2, attributes={
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "pay": {"role": "confidential", "kind": "numeric"},
    ... })
    >>> release = shoal.anonymize(frame, plan)
    >>> external_edition(release.data, plan, release.guarantees.values()).summary.answer
    'What is promised holds on the released table.'
    """
    return _edition(released_statistics(open_table(released, plan), plan), plan, guarantees, file_sha256)


def external_report(release: Release, plan: Plan) -> ReportData:
    """Return the external edition of a release, whose records may be at hand or elsewhere."""
    guarantees, file_sha256 = release.guarantees.values(), release.manifest["output"].get("file_sha256")
    if isinstance(release, GathersStatistics):
        return _edition(release.gather_release_statistics(plan), plan, guarantees, file_sha256)
    return external_edition(release.data, plan, guarantees, file_sha256=file_sha256)


def _edition(
    statistics: ReleaseStatistics, plan: Plan, guarantees: Iterable[Judgement], file_sha256: str | None
) -> ReportData:
    judgements = [published_judgement(each, plan) for each in guarantees]
    alike = statistics.sizes is not None and statistics.sizes.count == 1 and statistics.records >= 2 * plan.k
    cautions = released_cautions(judgements, plan, alike=alike)
    compared = any(each.name == INTERSECTION for each in judgements)
    return report_data(
        summary_of(
            plan,
            judgements,
            edition=Edition.EXTERNAL,
            title=title_of(plan),
            who=f"{who_of(statistics.records, plan)}.",
            untried=WITHHELD,
            decide=(*cautions, *open_roles(plan)),
        ),
        statistics,
        plan,
        judgements,
        recoding=_recoding_rows(plan),
        plan=_public_plan(plan),
        distributions=released_distributions(statistics.columns, plan),
        cautions=cautions,
        limits=limits_of(plan, "This one was compared with earlier ones, and with no other." if compared else ""),
        provenance=(
            ("released records", statistics.records),
            ("released columns", len(statistics.names)),
            ("released file, SHA-256", file_sha256),
            *((f"version of {name}", text) for name, text in versions().items()),
        ),
    )


def _recoding_rows(plan: Plan) -> tuple[RecodingRow, ...]:
    """Return what the plan says that was made coarser; how many cells that changed, only the original knows."""
    asked = plan.recodings()
    return tuple(
        RecodingRow(name, recoding.words(keys[key]), None, None)
        for key, recoding in RECODINGS.items()
        for name, keys in asked.items()
        if key in keys
    )


def published_judgement(judgement: Judgement, plan: Plan) -> Judgement:
    """Return a judgement without what external readers could find single persons by.

    Notes
    -----
    Counts of those whom an intruder finds stay inside. So does what was reached wherever more stands behind it than the
    released table shows: which records are of one subject, which have no value, where originals lie among each other,
    which record of an earlier release is which. By the released weights and classes, such a number would tell which
    records these are. What is told instead is that all keep to what was asked, or that one may be anything.
    """
    judgement = replace(
        judgement, detail={name: value for name, value in judgement.detail.items() if not isinstance(value, int)}
    )
    if not _follows_from_more(judgement.name, plan):
        return judgement
    reached = judgement.asked if judgement.holds and judgement.asked is not None else type(judgement.achieved)(1)
    definition, note = judgement.definition, judgement.note
    if judgement.name in (INTERSECTION, KAnonymity.name):  # who is whose, or whose originals are all one
        note = ""
    if judgement.name == NTCloseness.name:
        note = note[note.index(UNPROTECTED) :] if UNPROTECTED in note else ""  # without what each attribute reaches
    if judgement.name == plan.given_up() == KAnonymity.name:
        definition = f"k not guaranteed: {plan.demand().why_not_k}"
    return replace(judgement, achieved=reached, definition=definition, note=note, detail={})


def _follows_from_more(name: str, plan: Plan) -> bool:
    """Whether what was reached follows from more than the released table."""
    if name == Dominance.name:
        return plan.subject_column() is not None or any(
            plan.spec(each).missing.admits for each in plan.averaged_names()
        )
    hidden = plan.subject_column() in plan.dropped_names()  # whose records are whose
    return name in (INTERSECTION, NTCloseness.name) or (name in _COUNTS_SUBJECTS and hidden)


_NOT_OUTSIDE = ("seed", "format")
"""A seed undoes a permutation; the way dates are written is nobody's business."""


def _public_plan(plan: Plan) -> str:
    """Return the plan as TOML without the seed and without any list of values.

    What names columns and numbers stays: a list or a tree of categories could name what few people have.
    """
    values = plan.to_dict()
    attributes = values["attributes"]
    public: dict[str, Any] = {}
    for name, value in values.items():
        if name == "attributes":
            public[name] = {column: _single(about) for column, about in value.items()}
        elif isinstance(value, Mapping):
            by_column = {
                key: _single({column: item for column, item in inner.items() if column in attributes})
                for key, inner in value.items()
                if isinstance(inner, Mapping)
            }
            public[name] = _single(value) | {key: inner for key, inner in by_column.items() if inner}
        elif isinstance(value, list):
            public |= {name: [_single(item) for item in value]} if all(isinstance(i, Mapping) for i in value) else {}
        else:
            public |= _single({name: value})
    return dump_toml(public)


def _single(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in values.items()
        if name not in _NOT_OUTSIDE and not isinstance(value, Mapping | list)
    }
