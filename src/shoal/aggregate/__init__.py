"""Masked columns: each record receives what stands for its group."""

from shoal.aggregate.groups import Groups
from shoal.aggregate.mask import mask
from shoal.aggregate.released import released_columns

__all__ = ["Groups", "mask", "released_columns"]
