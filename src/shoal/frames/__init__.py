"""The one door for data frames: any kind in, the same kind out."""

from shoal.frames.columns import Categories, Column, Instants, Mask, Numbers, Rows, Unit
from shoal.frames.kinds import Kind
from shoal.frames.table import Table

__all__ = ["Categories", "Column", "Instants", "Kind", "Mask", "Numbers", "Rows", "Table", "Unit"]
