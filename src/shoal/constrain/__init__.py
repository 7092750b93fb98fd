"""Constraints on groups: t-closeness and diversity of the confidential attributes."""

from shoal.constrain.confidential import Confidential
from shoal.constrain.emd import emd
from shoal.constrain.hierarchy import Hierarchy
from shoal.constrain.threshold import cluster_size, smallest_t

__all__ = ["Confidential", "Hierarchy", "cluster_size", "emd", "smallest_t"]
