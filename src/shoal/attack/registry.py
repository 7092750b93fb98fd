"""Every attack by its key, in the order that tables and reports list them."""

from __future__ import annotations

from operator import attrgetter

from shoal.attack.assignment import ASSIGNMENT
from shoal.attack.definition import Attack
from shoal.attack.difference import DIFFERENCE
from shoal.attack.dominance import DOMINANCE
from shoal.attack.followed import FOLLOWED
from shoal.attack.identity import IDENTITY
from shoal.attack.inference_class import INFERENCE_CLASS
from shoal.attack.inference_model import INFERENCE_MODEL
from shoal.attack.inference_neighbours import INFERENCE_NEIGHBOURS
from shoal.attack.linkage import LINKAGE
from shoal.attack.linkage_noise import LINKAGE_NOISE
from shoal.attack.linkage_rank import LINKAGE_RANK
from shoal.attack.linkage_some import LINKAGE_SOME
from shoal.attack.membership import MEMBERSHIP
from shoal.attack.minimality import MINIMALITY
from shoal.attack.releases import RELEASES
from shoal.attack.row_order import ROW_ORDER
from shoal.attack.singling_out import SINGLING_OUT, SINGLING_OUT_SEVERAL
from shoal.attack.subject_rows import SUBJECT_ROWS
from shoal.errors import PlanError
from shoal.registry import Registry


def _check(attack: Attack) -> None:
    if not attack.key.isidentifier():
        raise PlanError(f"the key of an attack must be letters, digits and underscores, not {attack.key!r}")


ATTACKS: Registry[Attack] = Registry(
    "attack",
    (
        IDENTITY,
        ROW_ORDER,
        SINGLING_OUT,
        SINGLING_OUT_SEVERAL,
        LINKAGE,
        LINKAGE_SOME,
        LINKAGE_NOISE,
        LINKAGE_RANK,
        FOLLOWED,
        ASSIGNMENT,
        RELEASES,
        SUBJECT_ROWS,
        INFERENCE_CLASS,
        INFERENCE_NEIGHBOURS,
        INFERENCE_MODEL,
        MEMBERSHIP,
        MINIMALITY,
        DIFFERENCE,
        DOMINANCE,
    ),
    name=attrgetter("key"),
    check=_check,
)
"""Every attack by its key. ``ATTACKS.register(attack)`` adds one: `attack`, `shoal attack` and comparisons then know
it."""
