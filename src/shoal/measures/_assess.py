"""A release and its original side by side: what holds, and what the measures say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import PlanError
from shoal.frames import Table
from shoal.giveaways import Survey, as_manifest, find_giveaways, find_in_release
from shoal.masking.attribute_blocks import AttributeBlocks
from shoal.masking.inputs import read_inputs, read_subjects_of
from shoal.masking.kept_gaps import count_gaps
from shoal.masking.recoding import recoding_in_manifest
from shoal.masking.steering import steered_points
from shoal.measures import MEASURES, Scores, compute
from shoal.measures.matching import MatchedTables
from shoal.measures.tables import pair_tables, released_pair
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.plan.attribute_blocks import number_of_blocks
from shoal.plan.missing_values import open_table
from shoal.protect import released_classes
from shoal.run.gate import GroupingEvidence, judge_release
from shoal.run.manifest import group_sizes, make_manifest, subject_counts
from shoal.run.release import Block, Partition, Release


def assess(
    original: Any, released: Any, plan: Plan, *, key_column: str | None = None, rows: ArrayLike | None = None
) -> Release:
    """Check a release made by any tool against a plan, as if shoal had made it.

    Parameters
    ----------
    original, released
        The two tables.
    plan
        What was asked.
    key_column
        Match records by this column, which both tables have; by row order if None.
    rows
        The original position of each released row, where they were shuffled: `Release.rows`.

    Returns
    -------
    Release
        In the order of the original, or where records were dropped in that of the release, with the guarantees as they
        are, also where they do not hold; groups are the records that look alike.

    Raises
    ------
    DataError
        The released rows are those of the original in another order, and nothing says how they belong together.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67]})
    >>> plan = Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    >>> assess(frame, pl.DataFrame({"age": [32, 32, 60, 70]}), plan).guarantees["k_anonymity"].achieved
    1
    """
    if plan.release is ReleaseMode.PERMUTE:
        raise PlanError(
            'release = "permute" leaves no trace in the tables, so they alone cannot show what holds: make the report '
            "with the release, by `shoal anonymize --report`"
        )
    matched = MatchedTables.read(original, released, plan, key_column=key_column, rows=rows, judge_totals=True)
    recoding, place = matched.recoding, matched.places
    matched.require_known_order()
    table, masked = matched.left(recoding.table), matched.after
    labels = released_classes(masked, plan.demand())
    partition = Partition((Block(plan.names(Role.QUASI_IDENTIFIER), labels),), labels)
    grouping = GroupingEvidence(
        labels,
        points=lambda: steered_points(read_inputs(table, plan), plan),
        domains=None if plan.by is None else table.class_codes(plan.by),
        blocks=_blocks(table, plan),
    )
    guarantees = judge_release(table, masked, plan, grouping)
    # What the release gives away, its rows give away as they stand there.
    as_given = table if place is None else table.take(np.argsort(place))
    survey = Survey(as_given, plan, released=matched.released, labels=labels, subjects=read_subjects_of(as_given, plan))
    giveaways = (*find_in_release(survey), *find_giveaways(survey))
    subjects = read_subjects_of(table, plan)
    gaps = count_gaps(matched.left(recoding.before), masked, plan)
    sections = {
        "groups": group_sizes(labels),
        **({} if subjects is None else {"subjects": subject_counts(subjects, labels)}),
        **({"gaps": gaps} if gaps else {}),
        "guarantees": guarantees.to_list(),
        **as_manifest(giveaways),
        "seconds": {},
        **recoding_in_manifest(recoding.steps),
    }
    manifest = make_manifest(matched.original, masked, plan, sections)
    return Release(masked.data, labels, guarantees, manifest, partition, matched.origins)


def _blocks(table: Table, plan: Plan) -> tuple[tuple[str, ...], ...]:
    """Return the columns that the plan masks together, where that is not all of them at once."""
    if number_of_blocks(plan) == 1:
        return ()
    division = AttributeBlocks.of(read_inputs(table, plan), plan)
    return tuple(tuple(name for column in block for name in column.names) for block in division.blocks)


def visible_groups(release: Release, plan: Plan) -> NDArray[np.int64]:
    """Return the group of each released row as a reader of the release sees it; those of a permutation are not seen."""
    if plan.release is ReleaseMode.PERMUTE:
        return release.labels
    return released_classes(open_table(release.data, plan), plan.demand())


def measure_release(
    original: Any,
    release: Release,
    plan: Plan,
    *,
    keys: Iterable[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Scores:
    """Measure a release on its own groups: those of a permutation, which tables alone do not show, among them.

    Parameters
    ----------
    original, release, plan
        The table, what came of it, and what was asked.
    keys
        The measures wanted; every one that the columns allow if None.
    progress
        Called now and then by the measures that take long, with the work done and the work to do.
    """
    release = release.in_original_order()
    pair = pair_tables(open_table(original, plan), open_table(release.data, plan), plan, rows=release.rows)
    return compute(replace(pair, labels=visible_groups(release, plan)), keys, progress=progress)


def measure_released(released: Table, plan: Plan) -> Scores:
    """Measure what a released table shows by itself, as `Definition.external` says of each measure.

    What counts subjects is left out where the table does not show which records are of one.
    """
    pair = released_pair(released, plan)
    hidden = plan.subject_column() is not None and pair.subjects is None
    follows = ("release",) if hidden else ("release", "subjects")
    keys = [
        measure.key
        for measure in MEASURES.values()
        if measure.definition.external in follows and measure.definition.applies(pair)
    ]
    return compute(pair, keys)
