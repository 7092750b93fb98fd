"""Every guarantee by its name: a new one is a file of this room and a line here."""

from __future__ import annotations

from shoal.protect.adversaries import JournalistRisk, MarketerRisk, ProsecutorRisk
from shoal.protect.diversity import DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity
from shoal.protect.dominance import Dominance
from shoal.protect.guarantee import Demand, Guarantee
from shoal.protect.history_k_anonymity import HistoryKAnonymity
from shoal.protect.k_anonymity import KAnonymity
from shoal.protect.n_t_closeness import NTCloseness
from shoal.protect.probabilistic_k_anonymity import ProbabilisticKAnonymity
from shoal.protect.t_closeness import TCloseness
from shoal.registry import Registry

GUARANTEES: Registry[Guarantee] = Registry(
    "guarantee",
    (
        KAnonymity(),
        ProbabilisticKAnonymity(),
        HistoryKAnonymity(),
        Dominance(),
        ProsecutorRisk(),
        JournalistRisk(),
        MarketerRisk(),
        TCloseness(),
        NTCloseness(),
        DistinctLDiversity(),
        EntropyLDiversity(),
        RecursiveCLDiversity(),
    ),
)
"""Name to guarantee, in the order in which a release tells of them.

``GUARANTEES.register(guarantee)`` lets plans ask for another one, and every release that does is judged by it.
"""


def asked(demand: Demand) -> tuple[Guarantee, ...]:
    """Return the guarantees that a plan asks for."""
    return tuple(guarantee for guarantee in GUARANTEES.values() if guarantee.is_asked(demand))
