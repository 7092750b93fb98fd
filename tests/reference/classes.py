"""Equivalence classes with a dictionary of whole records."""

from __future__ import annotations

import numpy as np


def equivalence_classes(columns):
    """Return the class of each record, numbered by first appearance; zeros are one, missing cells are one."""
    known: dict[tuple, int] = {}
    rows = zip(*[np.asarray(column).tolist() for column in columns], strict=True)
    return np.array([known.setdefault(tuple(_cell(cell) for cell in row), len(known)) for row in rows], dtype=np.int64)


def _cell(cell):
    if cell is None or cell != cell:
        return "missing", None
    return "value", cell
