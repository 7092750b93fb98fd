"""Kinds of columns: how values of each kind are read, compared, filled, averaged, rounded and written.

The names alone, which plans and command lines need, ask for nothing but the standard library. The object of each kind
stands in a file of its own, and `shoal.kinds.registry` has them all.
"""

from shoal.kinds.vocabulary import CONTINUOUS, DIRECTIONAL, IN_A_TREE, OPERATORS, Kind, Missing, Operator, Scale

__all__ = ["CONTINUOUS", "DIRECTIONAL", "IN_A_TREE", "OPERATORS", "Kind", "Missing", "Operator", "Scale"]
