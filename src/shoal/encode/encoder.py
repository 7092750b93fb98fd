"""Encoder: what makes columns comparable, learnt once and applied to any records."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, counted
from shoal.frames import Unit
from shoal.kinds import CONTINUOUS, DIRECTIONAL, Kind, Operator, Scale
from shoal.kinds.column import Column
from shoal.kinds.directional import Directional
from shoal.kinds.missing import first_row
from shoal.kinds.text import category_text
from shoal.kinds.tree import Taxonomic, count_levels
from shoal.points import FARTHEST, Points
from shoal.scaling import Scaling, minmax, unscaled, zscore

_SCALINGS = {Scale.ZSCORE: zscore, Scale.MINMAX: minmax, Scale.NONE: unscaled}


@dataclass(frozen=True)
class Continuous:
    """A numeric or date column: where its zero and its unit lie.

    Parameters
    ----------
    name, weight
        The column, and what multiplies squared differences.
    scaling
        From values to coordinates; a missing cell stands at the mean.
    origin, unit
        What is subtracted from a date's integer, and what the integer counts; 0 and None for numbers.
    """

    name: str
    weight: float
    scaling: Scaling = field(repr=False)
    origin: int = field(default=0, repr=False)
    unit: Unit | None = None

    @property
    def width(self) -> int:
        """One coordinate."""
        return 1

    @classmethod
    def fit(cls, column: Column, scale: Scale) -> Self:
        """Learn zero and unit from the observed cells."""
        unit = column.unit if column.kind is Kind.DATE else None
        scaling = _SCALINGS[scale](column.observed)
        return cls(column.name, column.spec.weight, scaling, column.origin, unit)

    def apply(self, column: Column) -> NDArray[np.float64]:
        """Return the coordinates of a column."""
        coordinates = self.scaling(column.counted_from(self.origin, self.unit))
        if column.missing is not None:
            coordinates[column.missing] = self.scaling.centre
        coordinates *= math.sqrt(self.weight)
        if not max(coordinates.max(initial=0.0), -coordinates.min(initial=0.0)) <= FARTHEST:
            raise DataError(
                f"column {self.name!r}, as the plan scales and weighs it, reaches beyond ±{FARTHEST:g}: scale it by "
                "zscore or minmax, or lower its weight"
            )
        return coordinates


@dataclass(frozen=True)
class Categorical:
    """An ordinal or nominal column: its categories, and where a missing cell stands.

    Parameters
    ----------
    name, weight
        The column, and what multiplies squared differences.
    levels
        The categories in category order; None among them is the category of missing cells.
    stand_in
        The median rank or most frequent code of the observed cells.
    ordered
        The column is ordinal.
    convex
        Ranks are averaged by the convex median.
    """

    name: str
    weight: float
    levels: tuple[Any, ...] = field(repr=False)
    stand_in: int
    ordered: bool
    convex: bool = False

    @classmethod
    def fit(cls, column: Column, records: NDArray[np.int64] | None = None) -> Self:
        """Learn categories and stand-in from the observed cells, each of which may stand for several records."""
        counts = count_levels(column, records)
        ordered = column.kind is Kind.ORDINAL
        centre = np.searchsorted(counts.cumsum(), (counts.sum() + 1) // 2) if ordered else counts.argmax()
        convex = column.spec.operator is Operator.CONVEX_MEDIAN
        return cls(column.name, column.spec.weight, column.levels, int(centre), ordered, convex)

    @property
    def width(self) -> int:
        """One coordinate."""
        return 1

    @property
    def count(self) -> int:
        """How many categories there are, at least one."""
        return max(1, len(self.levels))

    def apply(self, column: Column) -> NDArray[np.int32]:
        """Return the ranks or codes of a column; names that were not there before have codes after all others."""
        places = self._places(column)
        if column.missing is None:
            return places
        return np.where(column.missing, np.int32(self.stand_in), places)

    def joined(self, levels: Sequence[Any]) -> tuple[Any, ...]:
        """Return the categories with those of other records after them, by the codes that `apply` gives."""
        known = {_written(level): level for level in self.levels}
        for level in levels:
            known.setdefault(_written(level), level)
        return tuple(known.values())

    def _places(self, column: Column) -> NDArray[np.int32]:
        if column.levels is self.levels:  # equal is not enough: True equals 1, and is written otherwise
            return column.values
        known = {_written(level): place for place, level in enumerate(self.levels)}
        moved = np.array([known.setdefault(_written(level), len(known)) for level in column.levels] or [0], np.int32)
        observed = column.values if column.missing is None else np.where(column.missing, 0, column.values)
        places: NDArray[np.int32] = moved[observed]
        strange = places >= len(self.levels)
        if column.missing is not None:
            strange &= ~column.missing
        if self.ordered and strange.any():
            raise DataError(
                f"column {self.name!r} has {counted(int(strange.sum()), 'value')} of categories that were not there "
                f"when its order was learnt, the first in row {first_row(strange)}: declare the order of its categories"
            )
        return places


Encoded = Continuous | Directional | Categorical | Taxonomic
"""What was learnt of a column."""


@dataclass(frozen=True)
class Encoder:
    """How columns become points: scalings, categories, orders and what stands for a missing cell.

    Fitted on the columns of one table, it gives the same coordinates to the same values wherever they come from: a
    part of the table, tomorrow's records, a fragment on another machine. It goes through JSON unchanged, and does not
    grow with the table. Keep it where the table is: extremes, categories and the value that differences are counted
    from are those of records.

    Parameters
    ----------
    attributes
        What was learnt of each column, in the order of the columns.

    Notes
    -----
    Continuous columns become z-scores (deviation with n−1) or are scaled to [0, 1]; a constant column is the
    coordinate 0. Ordinal ranks lie 1/(number of categories) apart (Domingo-Ferrer and Torra 2005). A
    weight multiplies the squared difference. The tree of a nominal column makes one nominal coordinate of each level
    (`Taxonomic`), places and cycles are unit vectors (`Directional`). A missing cell stands at the mean, median or mode
    of the observed ones.

    Examples
    --------
    >>> from shoal.encode import Spec
    >>> ages = Column("age", Spec(name="age", kind=Kind.NUMERIC, scale=Scale.MINMAX), np.array([20.0, 40.0, 60.0]))
    >>> encoder = Encoder.fit([ages])
    >>> encoder.apply([ages]).coords[:, 0].tolist()
    [0.0, 0.5, 1.0]
    >>> Encoder.from_dict(encoder.to_dict()) == encoder
    True
    """

    attributes: tuple[Encoded, ...]

    @classmethod
    def fit(cls, columns: Sequence[Column], *, scale: Scale | None = None) -> Encoder:
        """Learn from the columns of a table.

        Parameters
        ----------
        columns
            What `read_column` gave.
        scale
            In place of the columns' own, for columns that are always compared in one way.
        """
        return cls(tuple(_fit(column, scale or column.spec.scale) for column in columns))

    def only(self, names: Iterable[str]) -> Encoder:
        """Return what was learnt of some of the columns, in the order named."""
        known = {attribute.name: attribute for attribute in self.attributes}
        return Encoder(tuple(known[name] for name in names))

    def places(self, names: Iterable[str]) -> list[range]:
        """Return the numbers that the coordinates of attributes have in the points of all columns."""
        spans: dict[str, range] = {}
        begin = 0
        for part in (_is_continuous, _is_ordinal, _is_nominal):
            for attribute in filter(part, self.attributes):
                spans[attribute.name] = range(begin, begin + attribute.width)
                begin += attribute.width
        return [spans[name] for name in names]

    def apply(self, columns: Sequence[Column]) -> Points:
        """Turn columns into points.

        Parameters
        ----------
        columns
            The columns that were fitted, in that order, of these or other records.

        Returns
        -------
        Points
            Continuous columns first, then ordinal, then nominal ones, each group in the order given.
        """
        names = [attribute.name for attribute in self.attributes]
        if [column.name for column in columns] != names:
            raise DataError(f"the columns to encode must be {', '.join(map(repr, names))}, in this order")
        n = len(columns[0]) if columns else 0
        pairs = list(zip(self.attributes, columns, strict=True))
        coords = np.empty((n, sum(a.width for a in self.attributes if _is_continuous(a))), order="F")
        j = 0
        for line, column in pairs:
            if isinstance(line, Continuous):
                coords[:, j] = line.apply(column)
            elif isinstance(line, Directional):
                coords[:, j : j + line.width] = line.apply(column)
            j += line.width if _is_continuous(line) else 0
        ordinal = [(a, column) for a, column in pairs if isinstance(a, Categorical) and a.ordered]
        codes: list[NDArray[np.int32]] = []
        weights: list[float] = []
        levels: list[int] = []
        for code, column in pairs:
            if isinstance(code, Taxonomic):
                codes += code.apply(column)
                weights += code.weights
                levels += [len(nodes) for nodes in code.nodes]
            elif isinstance(code, Categorical) and not code.ordered:
                codes.append(code.apply(column))
                weights.append(code.weight)
                levels.append(code.count)
        return Points.build(
            coords=coords,
            ranks=_stack([attribute.apply(column) for attribute, column in ordinal], n),
            rank_steps=[math.sqrt(attribute.weight) / attribute.count for attribute, _ in ordinal],
            rank_levels=[attribute.count for attribute, _ in ordinal],
            rank_convex=[attribute.convex for attribute, _ in ordinal],
            codes=_stack(codes, n),
            code_weights=weights,
            code_levels=[max(count, int(part.max(initial=0)) + 1) for count, part in zip(levels, codes, strict=True)],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "version": 1,
            "attributes": [{"type": type(attribute).__name__, **asdict(attribute)} for attribute in self.attributes],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Encoder:
        """Return the encoder that `to_dict` wrote."""
        if values.get("version") != 1:
            raise DataError(f"an encoder of version {values.get('version')!r} cannot be read: this is version 1")
        return cls(tuple(_read_attribute(dict(attribute)) for attribute in values["attributes"]))


def _fit(column: Column, scale: Scale) -> Encoded:
    if column.kind in CONTINUOUS:
        return Continuous.fit(column, scale)
    if column.kind in DIRECTIONAL:
        return Directional.fit(column, scale)
    return Categorical.fit(column) if column.spec.taxonomy is None else Taxonomic.fit(column)


def _is_continuous(attribute: Encoded) -> bool:
    return isinstance(attribute, Continuous | Directional)


def _is_ordinal(attribute: Encoded) -> bool:
    return isinstance(attribute, Categorical) and attribute.ordered


def _is_nominal(attribute: Encoded) -> bool:
    return not _is_continuous(attribute) and not _is_ordinal(attribute)


def _read_attribute(values: dict[str, Any]) -> Encoded:
    match values.pop("type"):
        case "Continuous":
            return Continuous(**{**values, "scaling": Scaling(**values["scaling"])})
        case "Directional":
            return Directional(**{**values, "kind": Kind(values["kind"]), "centre": tuple(values["centre"])})
        case "Taxonomic":
            return Taxonomic(**{**values, "nodes": tuple(tuple(nodes) for nodes in values["nodes"])})
    return Categorical(**{**values, "levels": tuple(values["levels"])})


def _written(level: Any) -> str | None:
    """Return how a category is written; missing is not."""
    return None if level is None else category_text(level)


def _stack(parts: list[NDArray[np.int32]], n: int) -> NDArray[np.int32]:
    return np.column_stack(parts) if parts else np.empty((n, 0), dtype=np.int32)
