"""Masked columns: each record receives what stands for its group."""

from shoal.aggregate.groups import Groups
from shoal.aggregate.mask import finish, mask
from shoal.aggregate.released import changed_columns, released_columns, stratum_column, to_frame_column

__all__ = ["Groups", "changed_columns", "finish", "mask", "released_columns", "stratum_column", "to_frame_column"]
