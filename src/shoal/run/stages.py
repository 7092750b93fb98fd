"""The state of a run and its stages: each reads what the stages before it have set in the state, and adds to it."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes import subjects_of_each
from shoal.errors import DataError, GuaranteeError
from shoal.frames import Table
from shoal.giveaways import Giveaway, Survey, as_manifest, find_giveaways, find_in_release, refuse_giveaways
from shoal.masking.inputs import Inputs
from shoal.masking.kept_gaps import count_gaps
from shoal.masking.mask import Masking, coarser_groups, domain_column, mask_table
from shoal.masking.preflight import forecast, read_feasible, sentences_before
from shoal.masking.pseudonyms import pseudonym_column
from shoal.masking.recoding import recoded, recoding_in_manifest
from shoal.masking.row_order import RowOrder, row_order
from shoal.masking.stopwatch import Stopwatch
from shoal.masking.suppression import choose_suppression, suppression_counts
from shoal.masking.totals import check_released_totals
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.plan.missing_values import open_table
from shoal.progress import Progress, shown
from shoal.protect.probabilistic_k_anonymity import unchanged_groups
from shoal.recode import Recoded
from shoal.republish.intersection import NewRelease
from shoal.republish.prior_releases import PriorReleases
from shoal.run.gate import GroupingEvidence, judge_release, refuse_broken
from shoal.run.guarantees import Guarantees
from shoal.run.manifest import Manifest, group_sizes, make_manifest, subject_counts
from shoal.run.model.model import ModelState
from shoal.run.release_history import History

logger = logging.getLogger("shoal")


@dataclass(eq=False)
class RunState:
    """One run of a table in memory, from the frame that came in to the release that leaves.

    The first fields are given; each of the others is set by a stage of `shoal.run.pipeline.STAGES`, and may be read by
    the stages after it.
    """

    # frame, plan: the table as it came, and every choice of the run
    frame: Any
    plan: Plan
    history: History = field(default_factory=History)  # the releases before this one
    key: bytes | None = field(default=None, repr=False)  # makes pseudonyms; a random one that is forgotten if None
    progress: Progress | bool | None = None  # how grouping shows how far it is
    strict: bool = False  # whether a giveaway ends the run
    # what leaves beside the guarantees: what the caller knows of, and what stages add
    giveaways: tuple[Giveaway, ...] = ()
    watch: Stopwatch = field(default_factory=Stopwatch)  # the seconds of each step
    sections: dict[str, Any] = field(default_factory=dict)  # what stages have to say in the manifest

    input_table: Table = field(init=False)  # the table that came, as the plan reads it
    # the rows that may leave now; None where nothing is held back
    eligible_rows: NDArray[np.int64] | None = field(init=False)
    eligible_table: Table = field(init=False)  # those rows of the input table
    recoding: Recoded = field(init=False)  # the eligible table with coarser columns, and the steps to it
    # the records that are masked, recoded: all eligible ones until some are suppressed
    table: Table = field(init=False)
    # their places in the eligible table; None where none is suppressed
    kept_rows: NDArray[np.int64] | None = field(default=None, init=False)
    inputs: Inputs = field(init=False)  # what the plan reads of the table
    prior_releases: PriorReleases = field(init=False)  # earlier releases, record by record beside the table
    masking: Masking = field(init=False)  # the columns that change, and the groups
    released: Table = field(init=False)  # the table that will leave
    guarantees: Guarantees = field(init=False)  # what was asked, and what holds on the released table
    model_state: ModelState = field(init=False)  # what the model of the release is made of besides the release
    order: RowOrder = field(init=False)  # in which order the rows leave
    manifest: Manifest = field(init=False)  # the account of the run


Stage = Callable[[RunState], None]


def read(state: RunState) -> None:
    """Read the frame, and leave out rows that a previous release does not allow.

    Adds the input table, and the eligible rows and table.
    """
    state.input_table = open_table(state.frame, state.plan)
    state.eligible_rows = state.history.eligible_rows(state.input_table, state.plan)
    state.eligible_table = state.input_table
    if state.eligible_rows is not None:
        state.eligible_table = state.input_table.take(state.eligible_rows)


def recode(state: RunState) -> None:
    """Make columns of the eligible table coarser. Adds the recoding and the table that is masked."""
    state.recoding = recoded(state.eligible_table, state.plan)
    state.table = state.recoding.table
    state.sections |= recoding_in_manifest(state.recoding.steps)


def preflight(state: RunState) -> None:
    """Read the columns that the plan works on, and refuse what cannot be reached on them. Adds the inputs."""
    state.inputs = read_feasible(state.table, state.plan)


def match_history(state: RunState) -> None:
    """Put prior releases beside the table. Adds them, and confines the groups of the inputs to theirs."""
    state.prior_releases = state.history.match(state.eligible_table, state.table, state.inputs, state.plan)
    state.inputs = state.prior_releases.grouped(state.inputs, state.plan.k)
    held_back = len(state.input_table) - len(state.eligible_table)
    state.sections |= state.prior_releases.to_dict(held_back=held_back)


def survey(state: RunState) -> None:
    """Look for what the table would give away by its plan. Adds giveaways; a strict run ends at the first."""
    state.giveaways += find_giveaways(Survey(state.table, state.plan, subjects=state.inputs.subjects))
    if state.strict:
        refuse_giveaways(state.giveaways)


def announce(state: RunState) -> None:
    """Log what is known of the groups before the work."""
    for sentence in (*sentences_before(state.inputs, state.plan), *forecast(state.inputs, state.plan).sentences):
        logger.info(sentence)


def mask(state: RunState) -> None:
    """Group the records of the table and average the groups.

    Reads the table and the inputs; adds the masking, and where the plan drops records, leaves these out of both.
    """
    with shown(state.progress, "grouping records") as report:
        if state.plan.suppress is None or not _suppress(state, report):
            state.masking = _mask(state, state.table, state.inputs, report)
    if state.masking.refiner is not None:
        state.sections["refine"] = state.masking.refiner.to_dict()


def _mask(state: RunState, table: Table, inputs: Inputs, report: Progress | None) -> Masking:
    """Mask a table; where a rule looks at the groups around a group, until the classes that leave keep it.

    Each turn but the last leaves fewer groups, and all records together are the end of it.
    """
    masking = mask_table(state.eligible_table, inputs, state.plan, state.watch, report)
    while (groups := coarser_groups(table, masking, inputs, state.plan)) is not None:
        masking = mask_table(state.eligible_table, replace(inputs, start=groups), state.plan, state.watch)
    return masking


def _suppress(state: RunState, report: Progress | None) -> bool:
    """Mask the table without the records that cost most; say whether that saves anything, and was done."""
    inputs = None
    with state.watch("suppress"):
        suppression = choose_suppression(state.inputs, state.plan, report)
        if suppression is not None:
            remaining = state.table.take(suppression.rows)
            with contextlib.suppress(DataError, GuaranteeError):
                inputs = read_feasible(remaining, state.plan)
    if suppression is None:
        why = "the share allows less than one, or none costs anything"
    elif inputs is None:
        why = "without them the plan could not be carried out"
    else:
        masking = _mask(state, remaining, inputs, report)
        saved, of = suppression.saved(masking.partition.labels), len(state.table)
        if saved > 0:
            state.table, state.inputs, state.masking, state.kept_rows = remaining, inputs, masking, suppression.rows
            state.sections["suppressed"] = suppression_counts(
                state.plan, of, records=of - len(remaining), subjects=suppression.gone, saved=saved
            )
            return True
        why = "nothing would be saved"
    state.sections["suppressed"] = suppression_counts(state.plan, len(state.table)) | {"why": why}
    return False


def replace_columns(state: RunState) -> None:
    """Put the masked columns in the place of the original ones. Adds the released table, in the order of the input."""
    named = pseudonym_column(state.table, state.inputs, state.plan, state.key)
    changes = {**state.masking.columns, **domain_column(state.inputs, state.plan), **named}
    state.released = Table.of(state.table.replace(changes, drop=state.plan.dropped_names()))
    state.masking = replace(state.masking, columns={})  # large, and of no more use


def verify(state: RunState) -> None:
    """Judge every guarantee on the released table; a table that misses one does not leave. Adds the guarantees."""
    partition, points = state.masking.partition, state.masking.points
    blocks = tuple(block.columns for block in partition.blocks)
    grouping = GroupingEvidence(partition.labels, lambda: points, state.inputs.domains, blocks)
    state.guarantees = judge_release(state.table, state.released, state.plan, grouping)
    refuse_broken(state.guarantees, state.plan)
    state.sections |= check_released_totals(state.released, state.plan)


def compare_with_history(state: RunState) -> None:
    """Judge what all releases leave of a person together. Adds to guarantees and giveaways; a strict run may end."""
    labels, prior = state.masking.partition.labels, state.prior_releases
    new = NewRelease(state.table, state.released, labels, state.plan, state.inputs.subjects)
    together = prior.judge(new)
    state.guarantees = state.guarantees.adding(*together)
    state.giveaways += find_in_release(Survey(state.table, state.plan, released=state.released, labels=labels))
    state.giveaways += prior.warnings(together)
    if state.strict:
        refuse_giveaways(state.giveaways)


def count(state: RunState) -> None:
    """Count groups, subjects and gaps for the manifest. Adds these sections, and the state of the model."""
    plan, inputs, labels = state.plan, state.inputs, state.masking.partition.labels
    ledger = state.prior_releases.ledger(state.table, state.released, inputs, plan)
    sizes = subjects_of_each(labels, None if inputs.subjects is None else inputs.subjects.numbers)
    state.model_state = ModelState(inputs.encoder, sizes, ledger)
    before = state.recoding.before if state.kept_rows is None else state.recoding.before.take(state.kept_rows)
    gaps = count_gaps(before, state.released, plan)
    state.sections["groups"] = group_sizes(labels)
    if plan.release is ReleaseMode.PERMUTE:
        unchanged = unchanged_groups(state.table, state.released, labels, plan.names(Role.CONFIDENTIAL))
        state.sections["groups"]["unchanged"] = unchanged
    if inputs.subjects is not None:
        state.sections["subjects"] = subject_counts(inputs.subjects, labels, inputs.constant)
    if gaps:
        state.sections["gaps"] = gaps


def order_rows(state: RunState) -> None:
    """Shuffle the rows where their order would tell something. Adds the order; the released table follows it."""
    table = state.eligible_table if state.kept_rows is None else state.eligible_table.take(state.kept_rows)
    state.order = row_order(table, state.plan)
    if state.order.shuffled:
        state.released = state.released.take(state.order.rows)
    state.sections["order"] = state.order.to_dict()


def collect_manifest(state: RunState) -> None:
    """Collect what the stages have to say. Adds the manifest."""
    state.sections["guarantees"] = state.guarantees.to_list()
    state.sections |= as_manifest(state.giveaways)
    state.sections["seconds"] = dict(state.watch.seconds)
    state.manifest = make_manifest(state.input_table, state.released, state.plan, state.sections)
