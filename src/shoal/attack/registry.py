"""Every attack by its key, in the order that tables and reports list them."""

from __future__ import annotations

from operator import attrgetter

from shoal.attack.definition import Attack
from shoal.attack.linkage import LINKAGE
from shoal.errors import PlanError
from shoal.registry import Registry


def _check(attack: Attack) -> None:
    if not attack.key.isidentifier():
        raise PlanError(f"the key of an attack must be letters, digits and underscores, not {attack.key!r}")


ATTACKS: Registry[Attack] = Registry(
    "attack",
    (LINKAGE,),
    name=attrgetter("key"),
    check=_check,
)
"""Every attack by its key. ``ATTACKS.register(attack)`` adds one: `attack`, `shoal attack` and comparisons then know
it."""
