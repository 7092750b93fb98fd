"""Every kind of attribute: `KINDS` by name, and the kind of a column by what is said of it.

A new kind is a file with an object called ``KIND``. It is `Kind.like` another and registered here, from wherever it is,
or has a line of `shoal.kinds.vocabulary.Kind` with the file's name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TypeAlias

from shoal.frames import FrameColumn, Table
from shoal.kinds.attribute_kind import AttributeKind
from shoal.kinds.categories import Categorical
from shoal.kinds.column import Column, Spec
from shoal.kinds.direction import Directional
from shoal.kinds.numeric import Continuous
from shoal.kinds.tree import KIND as TREE
from shoal.kinds.tree import Taxonomic
from shoal.kinds.vocabulary import Kind
from shoal.registry import Registry

KINDS: Registry[AttributeKind] = Registry("kind", (*(import_module(f"shoal.kinds.{kind}").KIND for kind in Kind), TREE))
"""The kinds of plans, and that of nominal columns with a tree."""

Encoded: TypeAlias = Continuous | Directional | Categorical | Taxonomic
"""What was learnt of a column."""


def kind_of(spec: Spec) -> AttributeKind:
    """Return the kind of a column."""
    return KINDS[spec.kind] if spec.taxonomy is None else TREE


def read_column(table: Table, spec: Spec) -> Column:
    """Read one attribute of a table, checked against what is said of it; see `AttributeKind.read`."""
    return kind_of(spec).read(table, spec)


def to_frame_columns(column: Column) -> dict[str, FrameColumn]:
    """Turn values back into what a frame understands, by name; see `AttributeKind.to_frame`."""
    return kind_of(column.spec).to_frame(column)
