"""The pipeline: a frame and a plan in, a release out. The stages stand here in order."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from shoal.giveaways import Giveaway, as_manifest, refuse_giveaways
from shoal.masking.pseudonyms import check_key
from shoal.plan import Plan
from shoal.plan.attribute_blocks import require_guarantee
from shoal.plan.plan import require_plan
from shoal.progress import Progress, shown
from shoal.republish.earlier_release import Earlier
from shoal.run import stages
from shoal.run.backends import backend_of
from shoal.run.model.model import Model
from shoal.run.release import FrameT, Release, refer_to
from shoal.run.release_history import History

STAGES: tuple[tuple[str | None, stages.Stage], ...] = (
    ("read", stages.read),
    ("read", stages.recode),
    ("read", stages.preflight),
    ("read", stages.match_history),
    ("check", stages.survey),
    (None, stages.announce),
    (None, stages.mask),
    ("replace", stages.replace_columns),
    ("check", stages.verify),
    ("check", stages.compare_with_history),
    ("check", stages.count),
    ("order", stages.order_rows),
    (None, stages.collect_manifest),
)
"""What is done with a table in memory, one after the other; each stage reads and adds to the state of the run.

Before it stands the step for which its time counts: stages of one step add up, and parts of `mask` take their own.
"""


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
    progress: Progress | bool | None = None,
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
    if backend is not None:
        with shown(progress, "grouping records") as report:
            release = backend.anonymize(frame, plan, progress=report, **({} if key is None else {"key": key}))
        all_giveaways = (*giveaways, *release.giveaways)
        if strict:
            refuse_giveaways(all_giveaways)
        return replace(release, manifest=release.manifest.adding(**as_manifest(all_giveaways)))
    state = stages.RunState(frame, plan, history, key, progress, strict, tuple(giveaways))
    for step, stage in STAGES:
        with nullcontext() if step is None else state.watch(step):
            stage(state)
    rows, partition = state.order.rows, state.masking.partition.take(state.order.rows)
    for places in (state.kept_rows, state.eligible_rows):
        rows = rows if places is None else places[rows]
    return Release(
        state.released.data,
        partition.labels,
        state.guarantees,
        state.manifest,
        partition,
        rows,
        refer_to(frame),
        state.model_state,
    )
