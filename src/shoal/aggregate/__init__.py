"""Masked columns: each record receives what stands for its group."""

from shoal.aggregate.groups import Groups
from shoal.aggregate.mask import mask
from shoal.aggregate.released import changed_columns, released_columns

__all__ = ["Groups", "changed_columns", "mask", "released_columns"]
