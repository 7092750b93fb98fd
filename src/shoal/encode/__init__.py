"""Columns to points: an encoder learns scales, categories and orders once, and applies them to any records."""

from shoal.encode.column import Column, first_row, read_column, to_frame_column
from shoal.encode.encoder import Encoder
from shoal.encode.order import in_declared_order
from shoal.encode.spec import Spec

__all__ = ["Column", "Encoder", "Spec", "first_row", "in_declared_order", "read_column", "to_frame_column"]
