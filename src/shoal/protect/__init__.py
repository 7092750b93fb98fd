"""Guarantees: one file each, with its options, its rule on groups, its judgement on a released table and its words."""

from shoal.kinds.hierarchy import Hierarchy
from shoal.protect._emd import emd
from shoal.protect.confidential import Confidential
from shoal.protect.confidential_guarantee import ConfidentialGuarantee
from shoal.protect.diversity import DistinctDiversity, EntropyDiversity, RecursiveDiversity
from shoal.protect.dominance import BoundedShares
from shoal.protect.guarantee import Demand, Evidence, Forecast, Guarantee, Judgement, Spread
from shoal.protect.k_anonymity import released_classes
from shoal.protect.n_t_closeness import judge_near
from shoal.protect.registry import GUARANTEES, asked
from shoal.protect.rules import Rule, require_possible
from shoal.protect.strata import cluster_size, smallest_t
from shoal.protect.t_closeness import Closeness

__all__ = [
    "GUARANTEES",
    "BoundedShares",
    "Closeness",
    "Confidential",
    "ConfidentialGuarantee",
    "Demand",
    "DistinctDiversity",
    "EntropyDiversity",
    "Evidence",
    "Forecast",
    "Guarantee",
    "Hierarchy",
    "Judgement",
    "RecursiveDiversity",
    "Rule",
    "Spread",
    "asked",
    "cluster_size",
    "emd",
    "judge_near",
    "released_classes",
    "require_possible",
    "smallest_t",
]
