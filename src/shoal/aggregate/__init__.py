"""Masked columns: each record receives what stands for its group."""

from shoal.aggregate._mask import adjust, mask
from shoal.aggregate.groups import Groups
from shoal.aggregate.permute import permute_within
from shoal.kinds.precision import UNLIMITED, decimals_of_runs, rounded

__all__ = [
    "UNLIMITED",
    "Groups",
    "adjust",
    "decimals_of_runs",
    "mask",
    "permute_within",
    "rounded",
]
