"""The one door for data frames: any kind in, the same kind out."""

from shoal.frames.columns import Categories, FrameColumn, Mask, Numbers, Rows, Text
from shoal.frames.dtypes import DTYPE_WORDS, DType
from shoal.frames.instants import MICROSECONDS, Instants, Unit, finest_unit, microseconds, moment_at, units_in
from shoal.frames.row_order import follows, is_sorted
from shoal.frames.table import Table

__all__ = [
    "DTYPE_WORDS",
    "MICROSECONDS",
    "Categories",
    "DType",
    "FrameColumn",
    "Instants",
    "Mask",
    "Numbers",
    "Rows",
    "Table",
    "Text",
    "Unit",
    "finest_unit",
    "follows",
    "is_sorted",
    "microseconds",
    "moment_at",
    "units_in",
]
