"""k-Anonymity: every record shares its released quasi-identifiers with at least k − 1 others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes import equivalence_classes
from shoal.errors import GuaranteeError
from shoal.frames import Table
from shoal.options import Options
from shoal.protect.guarantee import Demand, Evidence, Forecast, Guarantee, Judgement
from shoal.protect.rules import Rule
from shoal.subsets import Subsets

KNOWN = (1, 2, 3)
"""How many quasi-identifiers an intruder is assumed to know, where the plan does not say which."""

SAMPLE = 12
"""Sets of each size that are looked at: enough for a mean, few enough for a table of millions."""

K = Annotated[int, Field(ge=2, strict=True)]


class KOptions(Options):
    """The key of the plan that asks for it."""

    k: K = Field(description="smallest group of records that look alike")


class KAnonymity(Guarantee):
    """At least k records in every equivalence class."""

    name = "k_anonymity"
    section = ""
    options = KOptions
    key = "k"
    summary = "every combination of released quasi-identifiers is shared by at least k records"
    not_promised = (
        "confidential values are not changed: where the records of a group share one, it is known of all of them"
    )
    in_streams = True

    def is_asked(self, demand: Demand) -> bool:
        """Always, except of a permutation."""
        return not demand.permuted

    def require_feasible(self, demand: Demand, rules: Sequence[Rule], domains: NDArray[np.int64] | None) -> None:
        """Every value of ``by`` needs k records."""
        if domains is None or demand.masks_values:
            return
        sizes = np.bincount(domains)
        small = int((sizes < demand.k).sum())
        if small:
            raise GuaranteeError(
                f"by = {demand.by!r} has {small} of {len(sizes)} values with fewer than k = {demand.k} records, the "
                f"fewest {sizes.min()}: lower k, merge its values, or leave by out",
                reached=int(sizes.min()),
            )

    def forecast(self, demand: Demand, rules: Sequence[Rule]) -> Forecast:
        """Groups of k."""
        return Forecast(demand.k)

    def judge(self, demand: Demand, evidence: Evidence) -> Judgement:
        """Count the records of every class, or say what is left of k where it is given up."""
        sizes = np.bincount(evidence.classes)
        if demand.given_up == self.name:
            return _remaining(demand, evidence.released, sizes)
        smallest = int(sizes.min())
        return Judgement(
            name=self.name,
            asked=demand.k,
            achieved=smallest,
            holds=smallest >= demand.k,
            definition=(
                "every combination of quasi-identifier values in the released table is shared by at least "
                f"{demand.k} records"
            ),
            note=self.caveat() if demand.confidential and not demand.sections else "",
        )


def released_classes(released: Table, demand: Demand, columns: Sequence[str] | None = None) -> NDArray[np.int64]:
    """Return the equivalence class of each released record on the quasi-identifiers, or some columns, and ``by``."""
    known = demand.quasi_identifiers if columns is None else columns
    names = dict.fromkeys((*known, *([demand.by] if demand.by else [])))
    return equivalence_classes([released.class_codes(name) for name in names])


def _remaining(demand: Demand, released: Table, sizes: NDArray[np.int64]) -> Judgement:
    """State that k is not guaranteed, and how many records still share what an intruder may know.

    Notes
    -----
    k' is the number of records divided by the number of distinct released records, over all quasi-identifiers or a set
    of them (Nin 2014, section 2.3).
    """
    overall = len(released) / len(sizes)
    known = _known_sets(demand, released)
    of_known = "; ".join(f"{name}, {value:.2f}" for name, value in known.items())
    smallest = int(sizes.min())
    return Judgement(
        name=KAnonymity.name,
        asked=None if demand.masks_values else demand.k,  # the k of a value method counts values
        achieved=smallest,
        holds=not demand.masks_values and smallest >= demand.k,
        definition=(
            f"k not guaranteed: {demand.why_not_k}. k' = {overall:.2f} records share all quasi-identifiers on average, "
            f"{smallest} at worst" + (f"; to an intruder who knows {of_known}" if of_known else "")
        ),
        note="k' is an average, and no guarantee: records in small classes can be told apart.",
        detail={"k_prime": overall, **{f"k_prime of {name}": value for name, value in known.items()}},
    )


def _known_sets(demand: Demand, released: Table) -> dict[str, float]:
    """Return k' of the sets that the plan names, or the mean over sets of a few sizes."""
    names = demand.quasi_identifiers
    cells: dict[str, NDArray[np.int64]] = {}

    def k_prime(known: Sequence[str]) -> float:
        for name in known:
            if name not in cells:
                cells[name] = released.class_codes(name)
        return len(released) / (int(equivalence_classes([cells[name] for name in known]).max()) + 1)

    if demand.intruder is not None:
        return {" + ".join(known): k_prime(known) for known in demand.intruder}
    found = {}
    for size in KNOWN:
        if size < len(names):
            drawn = Subsets.of(names, size, sample=SAMPLE, seed=demand.seed)
            found[f"{size} of them"] = drawn.estimate(drawn.values(k_prime))[0]
    return found
