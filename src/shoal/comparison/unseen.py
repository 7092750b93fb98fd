"""What a measure did not see: columns of kinds that it does not cover."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.comparison.looked_at import is_attack
from shoal.measures import MEASURES
from shoal.plan import Plan
from shoal.plan.attribute import Role


def unseen_columns(plan: Plan, key: str) -> tuple[str, ...]:
    """Return the columns of the measure's role that it does not cover, because of their kind.

    Parameters
    ----------
    plan
        Which columns there are, and of what kind.
    key
        The measure.

    Examples
    --------
    >>> plan = Plan(k=2, attributes={
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "sex": {"role": "quasi_identifier", "kind": "nominal"},
    ... })
    >>> unseen_columns(plan, "score"), unseen_columns(plan, "il_percent")
    (('sex',), ())
    """
    if is_attack(key):
        return ()  # an intruder looks at everything
    what = MEASURES[key].definition
    role = Role.CONFIDENTIAL if what.role == "confidential" else Role.QUASI_IDENTIFIER
    return tuple(name for name in plan.names(role) if plan.spec(name).kind not in what.kinds)


def unseen_sentences(plan: Plan, keys: Iterable[str]) -> tuple[str, ...]:
    """Say of each measure which columns it did not see; nothing of those that saw all.

    Examples
    --------
    >>> plan = Plan(k=2, attributes={
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "sex": {"role": "quasi_identifier", "kind": "nominal"},
    ... })
    >>> unseen_sentences(plan, ["score", "il_percent"])
    ("score does not see 'sex'",)
    """
    unseen = {key: unseen_columns(plan, key) for key in keys}
    return tuple(f"{key} does not see {', '.join(map(repr, names))}" for key, names in unseen.items() if names)
