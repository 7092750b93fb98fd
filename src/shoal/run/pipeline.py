"""The pipeline: a frame and a plan in, a release out. The stages stand here in order."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from shoal.check import check_guarantees, find_giveaways
from shoal.encode import encode
from shoal.errors import GuaranteeError, PlanError
from shoal.frames import Column as FrameColumn
from shoal.frames import Table
from shoal.partition.registry import METHODS
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.blocks import require_guarantee, waived
from shoal.run.manifest import Stopwatch, make_manifest
from shoal.run.release import Guarantees, Partition, Release
from shoal.stages.blocks import attribute_blocks
from shoal.stages.feasible import require_feasible
from shoal.stages.forecast import forecast
from shoal.stages.groups import group_blocks, group_records
from shoal.stages.inputs import Inputs, read_inputs
from shoal.stages.mixing import mix_records
from shoal.stages.released import released_columns, stratum_column
from shoal.stages.steering import steering_of

logger = logging.getLogger("shoal")


def anonymize(frame: Any, plan: Plan, *, progress: Callable[[int, int], None] | None = None) -> Release:
    """Anonymize a table.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow table; every column must be declared in the plan.
    plan
        Every choice of the run.
    progress
        Called now and then with (records settled, records). What t-closeness asks of the groups is logged before, to
        the logger ``shoal`` at level INFO.

    Returns
    -------
    Release
        The masked table, the same kind of frame as came in, with its groups, guarantees and manifest.

    Raises
    ------
    PlanError, DataError
        The plan or the table is wrong.
    GuaranteeError
        What the plan asks for cannot be guaranteed; nothing is released.

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
    if not isinstance(plan, Plan):
        raise PlanError(
            f"plan must be a shoal.Plan, not a {type(plan).__name__}: Plan.load(path) reads one from a file"
        )
    require_guarantee(plan)
    watch = Stopwatch()
    with watch("read"):
        table = Table.of(frame)
        inputs = read_inputs(table, plan)
        require_feasible(inputs, plan)
    for sentence in forecast(inputs.demands, plan).sentences:
        logger.info(sentence)
    masked, partition = mask(table, inputs, plan, watch, progress)
    with watch("replace"):
        data = table.replace({**masked, **stratum_column(inputs, plan)}, drop=plan.names(Role.IDENTIFIER))
        del masked
    with watch("check"):
        released = Table.of(data)
        guarantees = check_guarantees(table, released, partition, plan)
        refuse_broken(guarantees, plan)
        warnings = find_giveaways(table, released, partition, plan)
    manifest = make_manifest(table, released, partition, guarantees, warnings, plan, watch)
    return Release(data, partition.labels, guarantees, manifest, partition)


def mask(
    table: Table, inputs: Inputs, plan: Plan, watch: Stopwatch, progress: Callable[[int, int], None] | None
) -> tuple[Mapping[str, FrameColumn], Partition]:
    """Return the columns that change, and the groups: by records in space, block by block, or by mixed values."""
    if METHODS[plan.method].attributes == "mixed":
        with watch("mix"):
            return mix_records(inputs, plan, progress)
    blocks = attribute_blocks(inputs.quasi_identifiers, plan)
    if len(blocks) > 1:
        with watch("partition"):
            partition = group_blocks(blocks, inputs, plan, progress)
    else:
        with watch("encode"):
            points = encode(inputs.quasi_identifiers, plan)
        with watch("steer"):
            points = steering_of(inputs, plan)(points)
        with watch("partition"):
            partition = group_records(points, inputs, plan, progress)
            del points  # the largest thing in memory, and nobody needs it any more
    with watch("aggregate"):
        return released_columns(table, inputs, partition, plan), partition


def refuse_broken(guarantees: Guarantees, plan: Plan) -> None:
    """Raise unless the released table satisfies everything that was asked, but for what the plan gives up."""
    for guarantee in guarantees.values():
        if not guarantee.holds and guarantee.name != waived(plan):
            raise GuaranteeError(
                f"the masked table does not satisfy {guarantee.name} = {guarantee.asked}: it reaches "
                f"{guarantee.achieved}, so nothing is released",
                reached=guarantee.achieved,
            )
