"""Held-out records: original ones that are not in the release, to test on."""

from __future__ import annotations

from shoal.errors import DataError, nearest
from shoal.frames import Table
from shoal.measures.other_people import require_other_people
from shoal.plan import Plan
from shoal.plan.attribute import Role


def require_holdout(held: Table, original: Table, plan: Plan) -> None:
    """Refuse held-out records that lack columns or are of people in the original."""
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
    require_other_people(original, held, plan, called="holdout")
