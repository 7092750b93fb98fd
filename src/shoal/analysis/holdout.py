"""Held-out records: original ones that are not in the release, to test on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shoal.analysis.variable import Variable
from shoal.classes import equivalence_classes
from shoal.errors import DataError, counted, nearest
from shoal.frames import Table
from shoal.plan import Plan
from shoal.plan.attribute import Role


def require_holdout(held: Table, original: Table, plan: Plan) -> None:
    """Refuse held-out records that lack columns or are in the original by an identifier that both tables have."""
    needed = [
        name
        for name, attribute in plan.attributes.items()
        if attribute.role is not Role.IDENTIFIER and name in original.names and name != plan.weights
    ]
    absent = [name for name in needed if name not in held.names]
    if absent:
        raise DataError(
            f"the holdout does not have {', '.join(map(repr, absent))}, which the original has"
            f"{nearest(absent[0], held.names)}"
        )
    if len(held) == 0:
        raise DataError("the holdout has no records: there is nothing to test on")
    for name in plan.names(Role.IDENTIFIER):
        if name not in held.names or name not in original.names:
            continue
        known = {str(label) for label in original.categories(name).labels}
        shared = sum(str(label) in known for label in held.categories(name).labels)
        if shared:
            raise DataError(
                f"the holdout and the original share {counted(shared, 'value')} of {name!r}: held-out records must be "
                "of people who are not in the original"
            )


def refuse_copies(variables: Sequence[Variable]) -> None:
    """Refuse held-out records that equal original ones more often than chance explains.

    Notes
    -----
    Where both are samples of one population, a held-out record has its equal in the original about as often as an
    original record has one among the others. Four standard deviations beyond that are an overlap.
    """
    assert variables[0].held is not None, "there are held-out records"
    records = len(variables[0].before)
    classes = equivalence_classes(
        [
            np.nan_to_num(np.concatenate([each.before, each.held]), nan=-1e308)
            for each in variables
            if each.held is not None
        ]
    )
    first, second = classes[:records], classes[records:]
    sizes = np.bincount(first, minlength=int(classes.max()) + 1)
    shared = int((sizes[second] > 0).sum())
    chance = (int((sizes[first] > 1).sum()) + 1) / (records + 2)
    expected = chance * len(second)
    if shared > expected + 4 * math.sqrt(expected * (1 - chance)) + 1:
        raise DataError(
            f"the holdout has {counted(shared, 'record')} that {'equals' if shared == 1 else 'equal'} one of the "
            f"original in every column, and chance explains about {expected:.0f}: held-out records must be of people "
            "who are not in the original"
        )
