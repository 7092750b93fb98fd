"""Masked columns: each record receives what stands for its group."""

from shoal.aggregate.groups import Groups
from shoal.aggregate.mask import finish, mask

__all__ = ["Groups", "finish", "mask"]
