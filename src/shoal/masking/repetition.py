"""Groups that leave alike: those whose released values are equal are one class, which must keep every rule as one.

Rounding, medians and modes may give two groups the same values. A class of several groups keeps what each of them does,
but for a guarantee that compares groups with those around them: it must look at classes, as whoever judges it will.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.frames import Table
from shoal.masking.grouping import merge_groups, required_rules
from shoal.masking.inputs import Inputs
from shoal.masking.mask import Masked, mask_blocks
from shoal.masking.permutation import domain_column
from shoal.masking.stopwatch import Stopwatch
from shoal.plan import Plan, ReleaseMode
from shoal.pool import Progress
from shoal.protect import GUARANTEES, released_classes


def mask_table(
    came: Table, table: Table, inputs: Inputs, plan: Plan, watch: Stopwatch, progress: Progress | None
) -> Masked:
    """Mask a table; where a rule looks at the groups around a group, until the classes that leave keep it.

    Parameters
    ----------
    came, table, inputs
        The table that came, the records of it that are masked, and what was read of them.
    plan, watch, progress
        As in `mask_blocks`.

    Notes
    -----
    Each turn but the last leaves fewer groups, and all records together are the end of it. Classes are numbered as they
    are when they are judged: among equally near ones the number decides which are around a class.
    """
    masked = mask_blocks(came, inputs, plan, watch, progress)
    while (groups := _merged_again(table, masked, inputs, plan)) is not None:
        masked = mask_blocks(came, replace(inputs, start=groups), plan, watch, None)
    return masked


def _merged_again(table: Table, masked: Masked, inputs: Inputs, plan: Plan) -> NDArray[np.int64] | None:
    """Return coarser groups that keep the rules where the classes that would leave do not; None where they do."""
    required = required_rules(inputs.rules, plan)
    if plan.release is ReleaseMode.PERMUTE or not any(GUARANTEES[name].merges_by_itself for name in required):
        return None
    released = Table.of(table.replace({**masked.columns, **domain_column(inputs, plan)}))
    classes = released_classes(released, plan.demand())
    assert masked.points is not None, "points are kept for a guarantee that asks for them"
    merged = merge_groups(masked.points, classes, inputs, plan)
    return None if merged.max() == classes.max() else merged
