"""What a comparison looks at: measures and attacks by their keys, and the columns that they do not cover."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from shoal.attacks import ATTACKS
from shoal.attacks.declaration import PREFIX
from shoal.measures import MEASURES, Definition
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.registry import each_once


def is_attack(key: str) -> bool:
    """Tell the key of an attack from that of a measure."""
    return key.startswith(PREFIX) and key not in MEASURES


def definition_of(key: str) -> Definition:
    """Return what stands behind a key, or refuse a key that there is not.

    >>> definition_of("il_percent").better, definition_of("attack_linkage").unit
    ('lower', '%')
    """
    if is_attack(key):
        return ATTACKS.named(key.removeprefix(PREFIX)).as_measure()
    return MEASURES.named(key).definition


class Keys(NamedTuple):
    """The keys of measures, and those of attacks."""

    measures: tuple[str, ...]
    attacks: tuple[str, ...]


def split(keys: Iterable[str], option: str = "keys") -> Keys:
    """Return the measures and the attacks among keys, each once.

    >>> split(["dld", "attack_linkage", "dld"])
    Keys(measures=('dld',), attacks=('attack_linkage',))
    """
    unique = dict.fromkeys(definition_of(key).key for key in each_once(keys, option))
    return Keys(tuple(key for key in unique if not is_attack(key)), tuple(key for key in unique if is_attack(key)))


def can_measure(plan: Plan, key: str) -> bool:
    """Whether a plan has what a measure is computed from: a column of its role and kinds, subjects or weights.

    >>> plan = Plan(k=2, attributes={"sex": {"role": "quasi_identifier", "kind": "nominal"}})
    >>> [key for key in ("dld", "score", "emd_max", "k_linked") if can_measure(plan, key)]
    ['dld']
    """
    role = definition_of(key).role
    if (role == "subject" and plan.subject_column() is None) or (role == "weights" and plan.weights is None):
        return False
    return any(_is_covered(plan, key).values())


def unseen_columns(plan: Plan, key: str) -> tuple[str, ...]:
    """Return the columns of the measure's role that it does not cover, because of their kind.

    >>> plan = Plan(k=2, attributes={
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "sex": {"role": "quasi_identifier", "kind": "nominal"},
    ... })
    >>> unseen_columns(plan, "score"), unseen_columns(plan, "il_percent")
    (('sex',), ())
    """
    return tuple(name for name, covered in _is_covered(plan, key).items() if not covered)


def _is_covered(plan: Plan, key: str) -> dict[str, bool]:
    """Tell of each column of the measure's role whether it is covered; an intruder looks at everything."""
    what = definition_of(key)
    role = Role.CONFIDENTIAL if what.role == "confidential" else Role.QUASI_IDENTIFIER
    return {name: is_attack(key) or plan.spec(name).kind.base in what.kinds for name in plan.names(role)}


def unseen_sentences(plan: Plan, keys: Iterable[str]) -> tuple[str, ...]:
    """Say of each measure which columns it did not see; nothing of those that saw all.

    >>> plan = Plan(k=2, attributes={
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "sex": {"role": "quasi_identifier", "kind": "nominal"},
    ... })
    >>> unseen_sentences(plan, ["score", "il_percent"])
    ("score does not see 'sex'",)
    """
    unseen = {key: unseen_columns(plan, key) for key in keys}
    return tuple(f"{key} does not see {', '.join(map(repr, names))}" for key, names in unseen.items() if names)
