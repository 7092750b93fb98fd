"""The pipeline: a frame and a plan in, a release out. The stages stand here in order."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from shoal.frames import Table
from shoal.giveaways import Giveaway, Survey, as_manifest, find_giveaways, find_in_release, refuse_giveaways
from shoal.masking.gaps import count_gaps
from shoal.masking.inputs import read_inputs
from shoal.masking.permutation import domain_column, unchanged_after_permutation
from shoal.masking.preflight import constant_sentence, forecast, require_feasible, slow_sentences
from shoal.masking.pseudonyms import check_key, pseudonym_column
from shoal.masking.recoding import recoded, recoding_in_manifest
from shoal.masking.row_order import row_order
from shoal.masking.stopwatch import Stopwatch
from shoal.masking.suppression import mask_kept
from shoal.masking.totals import check_released_totals, require_followable
from shoal.plan import Plan
from shoal.plan.attribute_blocks import require_guarantee
from shoal.plan.missing_cells import open_table
from shoal.plan.plan import require_plan
from shoal.progress import Progress, shown
from shoal.republish.earlier_release import Earlier
from shoal.run.backends import backend_of
from shoal.run.history import History
from shoal.run.manifest import make_manifest
from shoal.run.model.model import Learnt, Model
from shoal.run.release import FrameT, Release, refer_to
from shoal.run.verify import refuse_broken, verify

logger = logging.getLogger("shoal")


def anonymize(
    frame: FrameT,
    plan: Plan,
    *,
    after: Sequence[Release | Earlier] = (),
    after_anyway: bool = False,
    previous: Model | None = None,
    remember: bytes | None = None,
    hold_back: bool = False,
    key: bytes | None = None,
    progress: Progress = None,
    strict: bool = False,
    giveaways: Sequence[Giveaway] = (),
) -> Release[FrameT]:
    """Anonymize a table.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow table; every column must be declared in the plan.
    plan
        Every choice of the run.
    after
        Earlier releases of the same table: what they and the new one leave of a person together is judged, too.
    after_anyway
        Release although fewer than k are left together with earlier releases. The release and its manifest say so.
    previous
        The model of the last release of a table that has grown since, made with ``remember``: who stays keeps
        companions who stay, and what differences of the releases leave of anybody is judged.
    remember
        32 secret bytes by which the model of this release remembers who stood with whom, for the next release.
    hold_back
        Leave records out that a difference from the previous release would part from others in fewer than k: newcomers
        until k are there, and a group of which fewer than k left or changed.
    progress
        Called now and then with (records settled, records); True for a bar, False for none, None for a bar in notebooks
        and at a prompt. What t-closeness asks of the groups is logged before, to the logger ``shoal`` at level INFO.
    key
        32 secret bytes that make the pseudonyms of ``keep_subject``, so that a later release has the same; a random key
        that is forgotten if None.
    strict
        Release nothing that the manifest would warn of.
    giveaways
        What else leaves with the table that the caller knows of, such as the label of a file; warned of with the rest.

    Returns
    -------
    Release
        The masked table, the same kind of frame as came in, with its groups, guarantees and manifest.

    Raises
    ------
    PlanError, DataError
        The plan or the table is wrong.
    GuaranteeError
        What the plan asks for cannot be guaranteed, or the run is strict and would be warned of (`GiveawayError`);
        nothing is released.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"name": ["Ann", "Bo", "Cy", "Di"], "age": [30, 34, 61, 67], "pay": [7, 8, 9, 5]})
    >>> plan = Plan(k=2, attributes={
    ...     "name": {"role": "identifier"},
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "pay": {"role": "confidential", "kind": "numeric"},
    ... })
    >>> anonymize(frame, plan).data.to_dict(as_series=False)
    {'age': [32.0, 32.0, 64.0, 64.0], 'pay': [7, 8, 9, 5]}
    """
    require_plan(plan)
    require_guarantee(plan)
    check_key(key, plan)
    history = History(after, previous, remember, hold_back=hold_back, anyway=after_anyway)
    backend = backend_of(frame)
    history.check(plan, None if backend is None else backend.name)
    if backend is None:
        return _stages(frame, plan, history, key, progress, giveaways, strict=strict)
    with shown(progress, "grouping records") as report:
        release = backend.anonymize(frame, plan, progress=report, **({} if key is None else {"key": key}))
    return _warned(release, giveaways, strict=strict)


def _stages(
    frame: FrameT,
    plan: Plan,
    history: History,
    key: bytes | None,
    progress: Progress,
    found: Sequence[Giveaway],
    *,
    strict: bool,
) -> Release[FrameT]:
    """Take a table in memory through the stages: read, look for giveaways, mask, verify, order, manifest."""
    watch = Stopwatch()
    with watch("read"):
        whole = open_table(frame, plan)
        held = history.eligible_rows(whole, plan)
        came = whole if held is None else whole.take(held)
        recoding = recoded(came, plan)
        inputs = read_inputs(recoding.table, plan)
        require_followable(inputs.constant, plan)
        require_feasible(inputs, plan)
        past = history.match(came, recoding.table, inputs, plan)
        inputs = past.grouped(inputs, plan.k)
    with watch("check"):
        found = (*found, *find_giveaways(Survey(recoding.table, plan, subjects=inputs.subjects)))
        if strict:
            refuse_giveaways(found)
    for sentence in (
        *constant_sentence(inputs, plan),
        *slow_sentences(inputs, plan),
        *forecast(inputs, plan).sentences,
    ):
        logger.info(sentence)
    with shown(progress, "grouping records") as report:
        kept = mask_kept(came, recoding.table, inputs, plan, watch, report)
    table, inputs, masked, rows, suppressed = kept.table, kept.inputs, kept.masked, kept.rows, kept.said
    partition, points, refining = masked.partition, masked.points, masked.refining
    with watch("replace"):
        named = pseudonym_column(table, inputs, plan, key)
        data = table.replace({**masked.columns, **domain_column(inputs, plan), **named}, drop=plan.dropped_names())
        del kept, masked  # large, and of no more use
    with watch("check"):
        released = Table.of(data)
        labels, blocks = partition.labels, tuple(block.columns for block in partition.blocks)
        guarantees = verify(table, released, labels, plan, points=lambda: points, domains=inputs.domains, blocks=blocks)
        refuse_broken(guarantees, plan)
        totals = check_released_totals(released, plan)
        together = past.judge(table, released, labels, plan, inputs)
        guarantees = guarantees.adding(*together)
        found += find_in_release(Survey(table, plan, released=released, labels=labels))
        found += past.warnings(together)
        if strict:
            refuse_giveaways(found)
        unchanged = unchanged_after_permutation(table, released, labels, plan)
        ledger = past.ledger(table, released, inputs, plan)
        learnt = Learnt.of(inputs.encoder, labels, inputs.subjects, ledger)
        gaps = count_gaps(recoding.before if rows is None else recoding.before.take(rows), released, plan)
    with watch("order"):
        order = row_order(came if rows is None else came.take(rows), plan)
        released = released.take(order.rows) if order.shuffled else released
    manifest = make_manifest(
        whole,
        released,
        partition,
        guarantees,
        found,
        plan,
        watch,
        subjects=inputs.subjects,
        constant=inputs.constant,
        order=order,
        unchanged=unchanged,
        gaps=gaps,
    ).adding(
        **recoding_in_manifest(recoding.steps),
        **totals,
        **suppressed,
        **({} if refining is None else {"refine": refining.to_dict()}),
        **past.to_dict(held_back=len(whole) - len(came)),
    )
    partition = partition.take(order.rows)
    rows = order.rows if rows is None else rows[order.rows]
    rows = rows if held is None else held[rows]
    return Release(
        released.data, partition.labels, guarantees, manifest, partition, rows, refer_to(frame), learnt=learnt
    )


def _warned(release: Release, giveaways: Sequence[Giveaway], *, strict: bool) -> Release:
    """Return the release of a backend with what the caller knows of, or refuse it."""
    found = (*giveaways, *release.giveaways)
    if strict:
        refuse_giveaways(found)
    return replace(release, manifest=release.manifest.adding(**as_manifest(found)))
