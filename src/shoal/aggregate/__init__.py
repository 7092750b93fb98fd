"""Masked columns: each record receives what stands for its group."""

from shoal.aggregate._mask import adjust, mask
from shoal.aggregate.groups import Groups
from shoal.aggregate.permute import permute_within
from shoal.aggregate.precision import MOST_DECIMALS

__all__ = ["MOST_DECIMALS", "Groups", "adjust", "mask", "permute_within"]
