"""Whether a release speaks of the records of the original, in their order."""

from __future__ import annotations

import numpy as np

from shoal.attack.proportions import wilson
from shoal.errors import DataError
from shoal.frames import Table
from shoal.plan import Plan
from shoal.run.earlier import unchanged_columns


def require_same_records(original: Table, released: Table, plan: Plan) -> None:
    """Refuse a release whose rows are not those of the original in their order.

    Raises
    ------
    DataError
        No column that leaves as it was agrees row by row more often than it would in any order.
    """
    judged, agreeing = False, False
    for before, after in unchanged_columns(original, released, plan, np.arange(len(released))):
        n = len(before)
        counts = [
            np.bincount(codes[codes >= 0], minlength=max(before.max(), after.max(), 0) + 1) for codes in (before, after)
        ]
        chance = float((counts[0] / n * counts[1] / n).sum())
        if chance > 0.99:
            continue  # nearly constant: it agrees in any order
        judged = True
        agreeing |= wilson(float(((before == after) & (before >= 0)).sum()), n)[0] > chance
    if judged and not agreeing:
        raise DataError(
            "the released rows are not those of the original in its order: the columns that leave as they are do not "
            "agree, so say how rows belong together, by a row map or a key column"
        )
