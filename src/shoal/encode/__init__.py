"""Columns to points: an encoder learns scales, categories and orders once, and applies them to any records."""

from shoal.encode.category_text import category_text
from shoal.encode.column import Column, read_column, to_frame_column
from shoal.encode.encoder import Categorical, Continuous, Encoder
from shoal.encode.missing import admit_missing, admit_missing_cell, first_row
from shoal.encode.order import DeclaredOrder, in_declared_order
from shoal.encode.spec import Spec
from shoal.encode.subjects import Subjects, read_subjects, repeats, subject_text, subject_texts
from shoal.encode.weights import read_weights

__all__ = [
    "Categorical",
    "Column",
    "Continuous",
    "DeclaredOrder",
    "Encoder",
    "Spec",
    "Subjects",
    "admit_missing",
    "admit_missing_cell",
    "category_text",
    "first_row",
    "in_declared_order",
    "read_column",
    "read_subjects",
    "read_weights",
    "repeats",
    "subject_text",
    "subject_texts",
    "to_frame_column",
]
