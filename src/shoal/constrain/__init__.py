"""Constraints on groups: t-closeness and diversity of the confidential attributes."""

from shoal.constrain._emd import emd
from shoal.constrain._k_first import k_first
from shoal.constrain._merge import merge, repair
from shoal.constrain._steered import steered
from shoal.constrain._t_first import t_first
from shoal.constrain.confidential import Confidential
from shoal.constrain.constraints import (
    Closeness,
    DistinctDiversity,
    EntropyDiversity,
    PSensitivity,
    RecursiveDiversity,
)
from shoal.constrain.hierarchy import Hierarchy
from shoal.constrain.neighbourhood import judge_near
from shoal.constrain.threshold import cluster_size, smallest_t

__all__ = [
    "Closeness",
    "Confidential",
    "DistinctDiversity",
    "EntropyDiversity",
    "Hierarchy",
    "PSensitivity",
    "RecursiveDiversity",
    "cluster_size",
    "emd",
    "judge_near",
    "k_first",
    "merge",
    "repair",
    "smallest_t",
    "steered",
    "t_first",
]
