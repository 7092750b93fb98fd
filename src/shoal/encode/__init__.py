"""Columns to points and back: numeric, ordinal, nominal, date, and the one rule for missing values."""

from shoal.encode.column import Column, read_column
from shoal.encode.coordinates import encode

__all__ = ["Column", "encode", "read_column"]
