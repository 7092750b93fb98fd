"""Every attack by its key, in the order that tables and reports list them."""

from __future__ import annotations

from operator import attrgetter

from shoal.attacks.assignment import ASSIGNMENT
from shoal.attacks.declaration import Attack
from shoal.attacks.difference import DIFFERENCE
from shoal.attacks.dominance import DOMINANCE
from shoal.attacks.identity import IDENTITY
from shoal.attacks.inference import INFERENCE_CLASS, INFERENCE_MODEL, INFERENCE_NEIGHBOURS
from shoal.attacks.intersection import RELEASES, SUBJECT_ROWS
from shoal.attacks.linkage import LINKAGE, LINKAGE_NOISE, LINKAGE_SOME
from shoal.attacks.membership import MEMBERSHIP
from shoal.attacks.minimality import MINIMALITY
from shoal.attacks.ranks import FOLLOWED, LINKAGE_RANK, ROW_ORDER
from shoal.attacks.singling_out import SINGLING_OUT, SINGLING_OUT_SEVERAL
from shoal.errors import PlanError
from shoal.registry import Registry


def _check(attack: Attack) -> None:
    if not attack.key.isidentifier():
        raise PlanError(f"the key of an attack must be letters, digits and underscores, not {attack.key!r}")


ATTACKS: Registry[Attack] = Registry(
    "attack",
    [
        attack
        for attacks in (
            (IDENTITY, ROW_ORDER, SINGLING_OUT, SINGLING_OUT_SEVERAL),
            (LINKAGE, LINKAGE_SOME, LINKAGE_NOISE, LINKAGE_RANK, FOLLOWED, ASSIGNMENT, RELEASES, SUBJECT_ROWS),
            (INFERENCE_CLASS, INFERENCE_NEIGHBOURS, INFERENCE_MODEL, MEMBERSHIP, MINIMALITY, DIFFERENCE, DOMINANCE),
        )
        for attack in attacks
    ],
    name=attrgetter("key"),
    check=_check,
)
"""Every attack by its key. ``ATTACKS.register(attack)`` adds one: `attack`, `shoal attack` and comparisons then know
it."""
