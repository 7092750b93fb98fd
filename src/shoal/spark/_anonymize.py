"""Anonymize a Spark table: learn, cut, shuffle, mask, judge. The stages stand here in order."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import version

import numpy as np
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from shoal.errors import PlanError
from shoal.errors import counted as number_of_things
from shoal.frames import Table
from shoal.giveaways import as_manifest
from shoal.kinds.registry import read_column
from shoal.masking.inputs import WholeTable
from shoal.masking.pseudonyms import new_key
from shoal.masking.recoding import recoding_in_manifest
from shoal.masking.stopwatch import Stopwatch
from shoal.masking.totals import require_followable
from shoal.options import plain
from shoal.plan import Plan
from shoal.plan.attribute_blocks import require_guarantee
from shoal.protect.guarantee import Distribution
from shoal.run.gate import refuse_broken
from shoal.run.manifest import manifest_of, versions
from shoal.run.release import Partition
from shoal.spark.cuts import Cuts, Layout
from shoal.spark.exchange import can_be_packed, in_batches, on_fragments
from shoal.spark.fields import FRAGMENT, LOSS, RECORDS, SUBJECT, sampled, with_longitudes
from shoal.spark.fit import Fit, count_values, fit, require_single_records
from shoal.spark.fragments import FragmentMask, join, regrouped, renumbered, unable_fragments, why_not_shifted
from shoal.spark.giveaways import find_in_release_of, find_in_table
from shoal.spark.judge import judge, judge_blocks
from shoal.spark.locate import Assignment, Locator, assign, assign_subjects, count_cells
from shoal.spark.measures import Measuring, in_manifest
from shoal.spark.messages import in_words, require_supported
from shoal.spark.recodings import count_steps, prepare
from shoal.spark.release import SparkRelease
from shoal.spark.session import followed
from shoal.spark.strata import Strata, distributions, strata_of
from shoal.spark.subjects import (
    SubjectCounts,
    count_subjects,
    require_domains,
    require_pseudonyms,
    subjects_of_fragments,
    with_subjects,
)
from shoal.spark.table_checks import check_totals_of, released_schema

logger = logging.getLogger("shoal")

FRAGMENT_SIZE = 1_000_000
"""Records of a fragment, about: a worker holds one at a time."""
SAMPLE = 1 << 17
"""Records that cuts are learnt from."""
CELLS = 32
"""Cells for each fragment: the finer, the more equal fragments are."""

Settle = Callable[["DataFrame"], "DataFrame"]
"""Computes a table once, and returns it as it can be read again."""


def anonymize(
    frame: DataFrame,
    plan: Plan,
    *,
    fragment_size: int = FRAGMENT_SIZE,
    measure: bool = False,
    progress: Callable[[int, int], None] | None = None,
    key: bytes | None = None,
    settle: Settle | None = None,
) -> SparkRelease:
    """Anonymize a table of Spark.

    Parameters
    ----------
    frame
        A Spark DataFrame; every column must be declared in the plan.
    plan
        Every choice of the run.
    fragment_size
        Records of a fragment, about: what one worker groups at a time.
    measure
        Whether the release is measured, as a report needs it: the manifest then tells every measure.
    progress
        Called now and then with (tasks done, tasks known).
    key
        32 secret bytes that make the pseudonyms of ``keep_subject``; a random key that is forgotten if None.
    settle
        Computes the masked table once and returns it as it can be read again. It is kept by the executors, on their
        disks, if left out.

    Returns
    -------
    SparkRelease
        The masked table as a Spark DataFrame, with its guarantees and manifest.

    Raises
    ------
    PlanError, DataError
        The plan or the table is wrong, or the plan asks for what a cluster cannot do.
    GuaranteeError
        What the plan asks for cannot be guaranteed; nothing is released.
    SparkError
        The job failed for another reason; the sentence names the file with the trace.
    """
    fragment_size = plain(fragment_size)
    if isinstance(fragment_size, bool) or not isinstance(fragment_size, int) or fragment_size < 2 * plan.k:
        raise PlanError(f"fragment_size must be a whole number of at least 2k = {2 * plan.k}, not {fragment_size!r}")
    require_guarantee(plan)
    require_supported(plan)
    with in_words(), followed(frame.sparkSession, progress):
        return _run(frame, plan, fragment_size, settle or on_disks, measure=measure, key=key)


@dataclass(eq=False)
class _Job:
    """What a run has learnt of the table."""

    table: DataFrame  # as the plan compares it, with its subjects
    plan: Plan
    fit: Fit
    distributions: dict[str, Distribution]  # of confidential attributes
    subjects: SubjectCounts | None
    domains: Distribution | None  # the values of by
    fragment_size: int

    @property
    def fragments(self) -> int:
        """How many fragments there are at least."""
        return max(1, round(self.fit.records / self.fragment_size))

    @property
    def constant(self) -> frozenset[str]:
        """The quasi-identifiers that are the same in all records of a subject."""
        return frozenset() if self.subjects is None else self.subjects.constant

    @property
    def whole(self) -> WholeTable:
        """What fragments must know of the whole table."""
        return WholeTable(self.fit.encoder, self.fit.steering, self.constant, self.distributions)

    def released_schema(self, *, measure: bool) -> T.StructType:
        """Return the columns that fragments return: those that leave, what was measured, and subjects behind them."""
        fields = released_schema(self.table, self.plan).fields
        place = len(fields) - (self.subjects is not None)
        loss = [T.StructField(LOSS, T.BinaryType(), nullable=True)] if measure else []
        return T.StructType([*fields[:place], *loss, *fields[place:]])


def _run(
    frame: DataFrame, plan: Plan, fragment_size: int, settle: Settle, *, measure: bool, key: bytes | None
) -> SparkRelease:
    watch = Stopwatch()
    with watch("learn"):
        prepared = prepare(frame, plan, keep=measure)
        learnt = fit(prepared.table, plan)
        records = learnt.records
        require_single_records(prepared.table, plan)
        table = with_subjects(prepared.table, plan)
        subjects = None if plan.subject_column() is None else count_subjects(table, plan)
        require_followable(frozenset() if subjects is None else subjects.constant, plan)
        domains = None if plan.by is None else count_values(table, plan.by)
        if domains is not None:
            require_domains(table, plan, domains.records)
        counts = distributions(table, plan)
        giveaways = find_in_table(table, plan, records)
        measuring = Measuring.of(table, learnt.plan, records) if measure else None
    job = _Job(table, plan, learnt, counts, subjects, domains, fragment_size)
    with watch("cut"):
        assigned = _assigned(job)
    count = assigned.fragments
    logger.info("Spark masks %s records in %s", f"{records:,}", number_of_things(count, "fragment"))
    schema = job.released_schema(measure=measure)
    arrow = to_arrow_schema(schema, timezone=str(frame.sparkSession.conf.get("spark.sql.session.timeZone")))
    alone = why_not_shifted(plan, count)
    look = None if measuring is None else measuring.look
    with watch("mask"):
        if alone is None and assigned.locator is not None:
            assigned = regrouped(assigned, assigned.locator, learnt.plan, job.whole)
        mask = FragmentMask(learnt.plan, arrow, None if count == 1 else job.whole, look, key or new_key())
        settled = settle(
            on_fragments(assigned.table, FRAGMENT, assigned.fragments, mask, schema, before=assigned.before)
        )
    with watch("check"):
        verdict = judge(settled, plan, job.distributions, job.constant)
        refuse_broken(verdict.guarantees, plan)
        blocks = judge_blocks(settled, plan)
        giveaways += find_in_release_of(settled, plan, verdict)
        sums = check_totals_of(settled, plan)
        require_pseudonyms(settled, plan)
        steps = count_steps(frame, plan, prepared.asked) if plan.recodings() else ()
    beside = {SUBJECT, LOSS}.intersection(settled.columns)
    data = settled.drop(*beside) if beside else settled  # which is persisted as it is
    how = {
        "fragments": count,
        "fragment_size": fragment_size,
        "second_pass": "shifted fragments" if alone is None else f"none: {alone}",
        **({"smallest_class_of_blocks": blocks} if blocks else {}),
        **({"missing": dict(learnt.gaps)} if learnt.gaps else {}),
    }
    sections = {
        "versions": {**versions(), "pyspark": version("pyspark")},
        "input": {"rows": records, "columns": frame.columns},
        "output": {"rows": verdict.records, "columns": data.columns},
        "order": {"asked": plan.order, "shuffled": True, "followed": []},
        "groups": verdict.groups,
        **({} if subjects is None else {"subjects": verdict.subject_counts(subjects)}),
        "guarantees": verdict.guarantees.to_list(),
        **as_manifest(giveaways),
        "spark": how,
        "seconds": dict(watch.seconds),
        **recoding_in_manifest(steps),
        **sums,
    }
    manifest = manifest_of(plan, sections)
    evidence = None
    if measuring is not None:
        evidence = measuring.evidence(settled, counts, None if subjects is None else subjects.count)
        manifest = manifest.adding(measures=in_manifest(evidence, verdict))
    none = np.empty(0, dtype=np.int64)  # rows have no positions
    return SparkRelease(data, none, verdict.guarantees, manifest, Partition((), none), none, evidence=evidence)


def _assigned(job: _Job) -> Assignment:
    """Return the table with the fragment of each record, or what adds it."""
    plan, table = job.fit.plan, job.table
    strata = strata_of(plan, job.distributions, job.fit.records // job.fragments) if job.subjects is None else None
    sizes = np.array([job.fit.records]) if job.domains is None else job.domains.records
    layout = Layout.of(sizes, job.fragment_size, 1 if strata is None else strata.count, exact=strata is not None)
    if layout.count == 1:
        return Assignment(table.withColumn(FRAGMENT, F.lit(0).cast("long")), 1)
    values = None if job.domains is None else job.domains.values.data[plan.by].combine_chunks()
    locator = Locator(plan, job.fit.encoder, _cuts(job, strata, layout.count), layout, strata, values)
    if job.subjects is None:
        locator = count_cells(table, locator)
        packs = not job.distributions and can_be_packed(table.schema, job.fragment_size)
        if packs and not locator.layout.has_borders:
            return Assignment(table, layout.count, locator, in_batches(locator.add_fragment))
        assigned = Assignment(assign(table, locator, plan.seed), layout.count, locator)
    else:
        assigned = assign_subjects(table, locator)
    numbers = np.arange(layout.count)
    if job.subjects is not None:
        few = np.flatnonzero(subjects_of_fragments(assigned.table, layout.count) < 2 * plan.k)
        numbers = join(numbers, few)
    while job.distributions and numbers.max() > 0:
        unable = unable_fragments(renumbered(assigned.table, numbers), plan, job.whole)
        if not len(unable):
            break
        numbers = join(np.arange(numbers.max() + 1), unable)[numbers]
    return replace(assigned, table=renumbered(assigned.table, numbers), fragments=int(numbers.max()) + 1)


def _cuts(job: _Job, strata: Strata | None, fragments: int) -> Cuts:
    """Learn the cells of the space on a sample."""
    plan = job.fit.plan
    read = with_longitudes(plan, plan.masked_names())
    names = list(dict.fromkeys((*read, *([] if strata is None else [strata.name]))))
    sample = sampled(job.table, names, job.fit.records, SAMPLE, plan.seed)
    table = Table.of(sample.select(names))
    points = job.fit.encoder.apply([read_column(table, plan.spec(name)) for name in plan.masked_names()])
    of_each = np.zeros(len(table), dtype=np.int64) if strata is None else strata.locate(sample[strata.name])
    count = 1 if strata is None else strata.count
    depth = math.ceil(math.log2(CELLS * fragments))
    return Cuts.learn(points, sample[RECORDS].to_numpy().astype(np.int64), of_each, count, depth)


def on_disks(frame: DataFrame) -> DataFrame:
    """Keep a table on the disks of the executors; what is lost with one of them is computed again, to the same."""
    return frame.persist(StorageLevel.DISK_ONLY)
