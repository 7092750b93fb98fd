"""Spec: how one column is compared, filled and averaged, with every choice made."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.kinds import OPERATORS, Kind, Missing, Operator, Scale
from shoal.kinds.taxonomy import Taxonomy


@dataclass(frozen=True, kw_only=True)
class Spec:
    """What is to be done with a column whose values are compared.

    Parameters
    ----------
    name
        The column.
    kind
        How two values are compared.
    order
        The categories of an ordinal column, lowest first; None where its type has an order of its own.
    missing
        What a missing cell is.
    scale
        How a continuous column is made comparable.
    weight
        Multiplies squared differences.
    aggregate
        What stands for a group of values; the default of the kind if None.
    round
        Round masked numbers to the column's own precision.
    taxonomy
        The tree of a nominal column's codes; None where two codes are equal or not, and nothing between.
    longitude
        The column of longitudes of a place, whose latitudes are in the column itself.
    period
        After how much a cyclic column begins anew.
    generalized
        The column is one of a release, in which nodes of the tree may stand for codes.

    Examples
    --------
    >>> Spec(name="age", kind=Kind.NUMERIC).operator
    <Operator.MEAN: 'mean'>
    """

    name: str
    kind: Kind
    order: tuple[str | int | float | bool, ...] | None = None
    missing: Missing = Missing.ERROR
    scale: Scale = Scale.ZSCORE
    weight: float = 1.0
    aggregate: Operator | None = None
    round: bool = False
    taxonomy: Taxonomy | None = None
    longitude: str | None = None
    period: float = 0.0
    generalized: bool = False

    @property
    def operator(self) -> Operator:
        """The operator that stands for a group."""
        return self.aggregate or OPERATORS[self.kind][0]
