"""Masked columns: each record receives what stands for its group."""

from shoal.aggregate._mask import Groups, adjust, mask, permute_within

__all__ = ["Groups", "adjust", "mask", "permute_within"]
