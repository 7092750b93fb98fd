"""Collect what a report says from the original table, its release and the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.plan.toml import dump_toml
from shoal.progress import Progress
from shoal.report.attempts import chosen_attacks
from shoal.report.cautions import cautions, compared_with, limits_of, remedies
from shoal.report.common_sections import distributions_of, report_data
from shoal.report.external import external_report
from shoal.report.report_data import Fact, Plain, ReportData
from shoal.report.report_statistics import GathersStatistics, Statistics, Trials
from shoal.report.summary.page_one import make_summary
from shoal.report.summary.summary import Edition
from shoal.report.table_statistics import table_statistics
from shoal.run.release import Manifest, Release


def collect(
    original: Any,
    release: Release,
    plan: Plan,
    *,
    edition: Edition | str = Edition.INTERNAL,
    name: str | None = None,
    certificate: bool = False,
    attacks: Sequence[str] | None = None,
    progress: Progress | bool | None = None,
) -> ReportData:
    """Collect what a report says.

    Parameters
    ----------
    original
        The table that was anonymized; an external edition does not look at it.
    release
        What came of it, by `shoal.anonymize` or by `assess`.
    plan
        What was asked.
    edition
        ``internal`` shows everything and stays with the original; ``external`` goes out with the release, and is made
        of the released table, the plan and the guarantees alone (`external_edition`).
    name
        What to call the table in the title; external readers do not see it.
    certificate
        Prove how far the loss is from the best possible at most (`shoal.refinement.lower_bound`), for an internal
        edition: that takes up to a minute.
    attacks
        What to try against the release, by the names of `shoal.attacks.ATTACKS`; the quick ones if None, ``["all"]`` or
        ``["none"]``. An external edition tries nothing.
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
    if Edition(edition) is Edition.EXTERNAL:
        if certificate:
            raise PlanError(
                "certificate compares with the original, which external reports do not: leave one of them out"
            )
        chosen_attacks(attacks)
        return external_report(release, plan)
    trials = Trials(chosen_attacks(attacks), certificate=certificate, progress=progress)
    if isinstance(release, GathersStatistics):
        return _internal_edition(release, plan, release.gather_statistics(plan, trials), name)
    return _internal_edition(release, plan, table_statistics(original, release, plan, trials), name)


def _internal_edition(release: Release, plan: Plan, statistics: Statistics, name: str | None) -> ReportData:
    """Return everything that statistics, plan and manifest say."""
    distributions = distributions_of(statistics.columns, plan)
    texts = cautions(release, plan, statistics.scores, distributions, statistics.drift)
    attempts = () if statistics.attempts is None else statistics.attempts.values()
    dropped, subjects = statistics.dropped, statistics.subjects
    return report_data(
        make_summary(release, plan, statistics, texts, name=name),
        statistics,
        plan,
        release.guarantees.values(),
        facts=(
            *([Fact("records dropped", dropped)] if dropped else []),
            *([] if subjects is None else [Fact(f"subjects ({subjects.name})", subjects.count)]),
        ),
        attempts=tuple(each.to_dict() for each in attempts),
        recoding=statistics.recoding,
        plan=dump_toml(plan.to_dict()),
        distributions=distributions,
        drift=statistics.drift,
        population=statistics.population,
        riskiest=statistics.riskiest,
        cautions=texts,
        remedies=remedies(release),
        limits=(*limits_of(plan, compared_with(release.manifest)), *statistics.notes),
        provenance=_provenance(release.manifest, statistics),
    )


def _provenance(manifest: Manifest, statistics: Statistics) -> Iterator[tuple[str, Plain]]:
    """Tell what the manifest says of input, output, versions and time, and what takes long came to."""
    source, output = manifest["input"], manifest["output"]
    yield "original file", source.get("file")
    yield "original file, SHA-256", source.get("file_sha256")
    yield "original contents, SHA-256", source.get("sha256")
    yield "original columns", len(source["columns"])
    yield "dropped columns", ", ".join(manifest["dropped_columns"]) or "none"
    yield from (
        (f"compared with {each['name']}, contents, SHA-256", each["sha256"]) for each in manifest.get("after", ())
    )
    yield "released records", output["rows"]
    yield "released columns", len(output["columns"])
    yield "released file, SHA-256", output.get("file_sha256")
    yield "released contents, SHA-256", output.get("sha256")
    yield "loss", statistics.certified
    if "order" in manifest:  # of a release by another tool it is not known
        yield "order of rows", "shuffled" if manifest["order"]["shuffled"] else "kept"
    yield from ((f"version of {name}", text) for name, text in manifest["versions"].items())
    yield "refinement", statistics.refined
    yield "seed", manifest["seed"]
    yield from ((f"seconds to {stage}", seconds) for stage, seconds in manifest.get("seconds", {}).items())
