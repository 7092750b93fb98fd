"""Columns to points: an encoder learns scales, categories and orders once, and applies them to any records."""

from shoal.encode.encoder import Categorical, Continuous, Encoder
from shoal.encode.subjects import Subjects, read_subjects, repeats, subject_text, subject_texts
from shoal.encode.weights import read_weights
from shoal.kinds.column import Column, read_column, to_frame_column, to_frame_columns
from shoal.kinds.directional import Directional
from shoal.kinds.hierarchy import Hierarchy
from shoal.kinds.hierarchy_file import read_hierarchy
from shoal.kinds.missing import admit_missing, admit_missing_cell, first_row
from shoal.kinds.order import DeclaredOrder, in_declared_order
from shoal.kinds.spec import Spec
from shoal.kinds.taxonomy import Taxonomy
from shoal.kinds.text import category_text
from shoal.kinds.tree import Taxonomic

__all__ = [
    "Categorical",
    "Column",
    "Continuous",
    "DeclaredOrder",
    "Directional",
    "Encoder",
    "Hierarchy",
    "Spec",
    "Subjects",
    "Taxonomic",
    "Taxonomy",
    "admit_missing",
    "admit_missing_cell",
    "category_text",
    "first_row",
    "in_declared_order",
    "read_column",
    "read_hierarchy",
    "read_subjects",
    "read_weights",
    "repeats",
    "subject_text",
    "subject_texts",
    "to_frame_column",
    "to_frame_columns",
]
