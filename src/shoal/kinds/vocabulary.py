"""Kinds of columns, and the choices that go with them: how values are compared, scaled, filled and averaged.

The one vocabulary for tables, streams, clusters and measures; it needs nothing but the standard library.
"""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """How two values of a column are compared."""

    NUMERIC = "numeric"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"
    DATE = "date"
    PLACE = "place"
    CYCLIC = "cyclic"


class Scale(StrEnum):
    """How continuous columns are made comparable."""

    ZSCORE = "zscore"
    MINMAX = "minmax"
    NONE = "none"


class Missing(StrEnum):
    """What happens to missing quasi-identifiers."""

    ERROR = "error"
    CATEGORY = "category"
    IMPUTE = "impute"
    KEEP = "keep"

    @property
    def admits(self) -> bool:
        """Whether a missing cell may come, and stands at the mean, median or mode in distances."""
        return self in (Missing.IMPUTE, Missing.KEEP)


class Operator(StrEnum):
    """What stands for a group of values."""

    MEAN = "mean"
    MEDIAN = "median"
    CONVEX_MEDIAN = "convex_median"
    MODE = "mode"
    DRAW = "draw"
    MEDOID = "medoid"
    ANCESTOR = "ancestor"


OPERATORS: dict[Kind, tuple[Operator, ...]] = {
    Kind.NUMERIC: (Operator.MEAN, Operator.MEDIAN),
    Kind.DATE: (Operator.MEAN, Operator.MEDIAN),
    Kind.PLACE: (Operator.MEAN,),
    Kind.CYCLIC: (Operator.MEAN,),
    Kind.ORDINAL: (Operator.MEDIAN, Operator.CONVEX_MEDIAN, Operator.MODE, Operator.DRAW),
    Kind.NOMINAL: (Operator.MODE, Operator.DRAW, Operator.MEDOID, Operator.ANCESTOR),
}
"""The operators of each kind, the default first."""

IN_A_TREE = (Operator.MEDOID, Operator.ANCESTOR)
"""The operators of a nominal column that need its hierarchy."""

CONTINUOUS = (Kind.NUMERIC, Kind.DATE)

DIRECTIONAL = (Kind.PLACE, Kind.CYCLIC)
"""Kinds whose values are directions: unit vectors are compared, and a mean direction stands for a group."""
