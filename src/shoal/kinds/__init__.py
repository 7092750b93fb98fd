"""Kinds of columns: how values of each kind are read, compared, filled, averaged, rounded and written.

The names alone, which plans and command lines need, ask for nothing but the standard library. The object of each kind
stands in the file of its name, and `shoal.kinds.registry` has them all.
"""

from shoal.kinds.vocabulary import CONTINUOUS, Cells, Form, Kind, Missing, Operator, Scale

__all__ = ["CONTINUOUS", "Cells", "Form", "Kind", "Missing", "Operator", "Scale"]
