"""The pipeline: a frame and a plan in, a release out. The stages stand here in order."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from shoal.errors import PlanError
from shoal.frames import Table
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.attribute_blocks import require_guarantee
from shoal.run.backends import backend_of
from shoal.run.giveaways import find_giveaways
from shoal.run.inputs import read_inputs
from shoal.run.manifest import Stopwatch, make_manifest
from shoal.run.mask import mask_blocks
from shoal.run.order import row_order
from shoal.run.preflight import forecast, require_feasible
from shoal.run.release import Release
from shoal.run.released import domain_column
from shoal.run.verify import refuse_broken, verify

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
    backend = backend_of(frame)
    if backend is not None:
        return backend.anonymize(frame, plan, progress=progress)
    watch = Stopwatch()
    with watch("read"):
        table = Table.of(frame)
        inputs = read_inputs(table, plan)
        require_feasible(inputs, plan)
    for sentence in forecast(inputs, plan).sentences:
        logger.info(sentence)
    masked = mask_blocks(table, inputs, plan, watch, progress)
    partition, points = masked.partition, masked.points
    with watch("replace"):
        data = table.replace({**masked.columns, **domain_column(inputs, plan)}, drop=plan.names(Role.IDENTIFIER))
        del masked
    with watch("check"):
        released = Table.of(data)
        guarantees = verify(table, released, partition.labels, plan, points=lambda: points, domains=inputs.domains)
        refuse_broken(guarantees, plan)
    with watch("order"):
        order = row_order(table, plan)
        warnings = find_giveaways(table, released, partition, plan, shuffled=order.shuffled)
        if order.shuffled:
            released, partition = released.take(order.rows), partition.take(order.rows)
    manifest = make_manifest(
        table, released, partition, guarantees, warnings, plan, watch, subjects=inputs.subjects, order=order
    )
    return Release(released.data, partition.labels, guarantees, manifest, partition, order.rows)
