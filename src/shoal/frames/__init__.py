"""The one door for data frames: any kind in, the same kind out."""

from shoal.frames.columns import DTYPE_WORDS, Categories, DType, FrameColumn, Gaps, Mask, Numbers, Rows, Text
from shoal.frames.instants import MICROSECONDS, Instants, Unit, finest_unit, microseconds, moment_at, units_in
from shoal.frames.missing_values import MissingValue, with_gaps
from shoal.frames.sortedness import follows, is_sorted
from shoal.frames.table import Table

__all__ = [
    "DTYPE_WORDS",
    "MICROSECONDS",
    "Categories",
    "DType",
    "FrameColumn",
    "Gaps",
    "Instants",
    "Mask",
    "MissingValue",
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
    "with_gaps",
]
