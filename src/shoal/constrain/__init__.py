"""Constraints on groups: t-closeness and diversity of the confidential attributes."""

from shoal.constrain.confidential import Confidential
from shoal.constrain.constraints import (
    Closeness,
    DistinctDiversity,
    EntropyDiversity,
    PSensitivity,
    RecursiveDiversity,
)
from shoal.constrain.emd import emd
from shoal.constrain.hierarchy import Hierarchy
from shoal.constrain.k_first import k_first
from shoal.constrain.merge import merge, repair
from shoal.constrain.neighbourhood import judge_near
from shoal.constrain.steered import steered
from shoal.constrain.t_first import t_first
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
