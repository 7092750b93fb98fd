"""Ways to reach a guarantee on confidential attributes: merging, k-anonymity first, t-closeness first, steering."""

from shoal.constrain._k_first import k_first
from shoal.constrain._merge import merge, repair
from shoal.constrain._steered import steered
from shoal.constrain._t_first import t_first
from shoal.constrain.neighbourhood import merge_near
from shoal.constrain.registry import WAYS
from shoal.constrain.way import Way
from shoal.protect import (
    Closeness,
    Confidential,
    DistinctDiversity,
    EntropyDiversity,
    Hierarchy,
    PSensitivity,
    RecursiveDiversity,
    cluster_size,
    emd,
    judge_near,
    smallest_t,
)

__all__ = [
    "WAYS",
    "Closeness",
    "Confidential",
    "DistinctDiversity",
    "EntropyDiversity",
    "Hierarchy",
    "PSensitivity",
    "RecursiveDiversity",
    "Way",
    "cluster_size",
    "emd",
    "judge_near",
    "k_first",
    "merge",
    "merge_near",
    "repair",
    "smallest_t",
    "steered",
    "t_first",
]
