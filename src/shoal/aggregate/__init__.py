"""Masked columns: each record receives what stands for its group."""

from shoal.aggregate._mask import finish, mask
from shoal.aggregate.groups import Groups

__all__ = ["Groups", "finish", "mask"]
