"""Every guarantee by its name: a new one is a file of this room and a line here."""

from __future__ import annotations

from shoal.errors import PlanError
from shoal.protect.distinct_diversity import DistinctLDiversity
from shoal.protect.entropy_diversity import EntropyLDiversity
from shoal.protect.guarantee import Demand, Guarantee
from shoal.protect.k_anonymity import KAnonymity
from shoal.protect.n_t_closeness import NTCloseness
from shoal.protect.p_sensitivity import PSensitiveKAnonymity
from shoal.protect.probabilistic_k_anonymity import ProbabilisticKAnonymity
from shoal.protect.recursive_diversity import RecursiveCLDiversity
from shoal.protect.t_closeness import TCloseness

GUARANTEES: dict[str, Guarantee] = {
    guarantee.name: guarantee
    for guarantee in (
        KAnonymity(),
        ProbabilisticKAnonymity(),
        TCloseness(),
        NTCloseness(),
        DistinctLDiversity(),
        PSensitiveKAnonymity(),
        EntropyLDiversity(),
        RecursiveCLDiversity(),
    )
}
"""Name to guarantee, in the order in which a release tells of them."""


def register(guarantee: Guarantee) -> None:
    """Add a guarantee: plans may ask for it, and every release that does is judged by it."""
    if guarantee.name in GUARANTEES:
        raise PlanError(f"there is a guarantee {guarantee.name!r} already: give the new one a name of its own")
    GUARANTEES[guarantee.name] = guarantee


def asked(demand: Demand) -> tuple[Guarantee, ...]:
    """Return the guarantees that a plan asks for."""
    return tuple(guarantee for guarantee in GUARANTEES.values() if guarantee.is_asked(demand))
