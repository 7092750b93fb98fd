"""What is left of k where it is not guaranteed, measured on the released table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes
from shoal.frames import Table
from shoal.measure.subsets import Subsets
from shoal.partition.registry import METHODS
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.blocks import why_not_guaranteed
from shoal.run.release import Guarantee

KNOWN = (1, 2, 3)
"""How many quasi-identifiers an intruder is assumed to know, where the plan does not say which."""

SAMPLE = 12
"""Sets of each size that are looked at: enough for a mean, few enough for a table of millions."""


def remaining_anonymity(released: Table, sizes: NDArray[np.int64], plan: Plan) -> Guarantee:
    """State that k is not guaranteed, and how many records still share what an intruder may know.

    Parameters
    ----------
    released
        The table that would leave.
    sizes
        Of its equivalence classes on all quasi-identifiers.
    plan
        For the method, and the sets of quasi-identifiers that an intruder may know.

    Notes
    -----
    k' is the number of records divided by the number of distinct released records, over all quasi-identifiers or a set
    of them (P2 §2.3).
    """
    overall = len(released) / len(sizes)
    known = _known_sets(released, plan)
    mixed = METHODS[plan.method].attributes == "mixed"
    of_known = "; ".join(f"{name}, {value:.2f}" for name, value in known.items())
    return Guarantee(
        name="k_anonymity",
        asked=None if mixed else plan.k,  # the k of a value method counts values
        achieved=int(sizes.min()),
        holds=not mixed and int(sizes.min()) >= plan.k,
        definition=(
            f"k not guaranteed: {why_not_guaranteed(plan)}. k' = {overall:.2f} records share all quasi-identifiers on "
            f"average, {int(sizes.min())} at worst" + (f"; to an intruder who knows {of_known}" if of_known else "")
        ),
        note="k' is an average, and no guarantee: records in small classes can be told apart.",
        detail={"k_prime": overall, **{f"k_prime of {name}": value for name, value in known.items()}},
    )


def _known_sets(released: Table, plan: Plan) -> dict[str, float]:
    """Return k' of the sets that the plan names, or the mean over sets of a few sizes."""
    names = plan.names(Role.QUASI_IDENTIFIER)
    cells: dict[str, NDArray[np.int64]] = {}

    def k_prime(known: Sequence[str]) -> float:
        for name in known:
            if name not in cells:
                cells[name] = released.class_codes(name)
        return len(released) / (int(equivalence_classes([cells[name] for name in known]).max()) + 1)

    if plan.intruder is not None:
        return {" + ".join(known): k_prime(known) for known in plan.intruder}
    found = {}
    for size in KNOWN:
        if size < len(names):
            drawn = Subsets.of(names, size, sample=SAMPLE, seed=plan.seed)
            found[f"{size} of them"] = drawn.estimate(drawn.values(k_prime))[0]
    return found
