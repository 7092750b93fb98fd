"""Encoder: what makes columns comparable, learnt once and applied to any records."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.kinds import Form, Scale
from shoal.kinds.categories import Categorical
from shoal.kinds.column import Column
from shoal.kinds.direction import Directional
from shoal.kinds.numeric import Continuous
from shoal.kinds.registry import KINDS, Encoded, kind_of
from shoal.points import Points

_ORDER = {Form.LINE: 0, Form.VECTOR: 0, Form.RANK: 1, Form.CODE: 2}
"""Coordinates of points come before ranks, and these before codes."""


@dataclass(frozen=True)
class Encoder:
    """How columns become points: scalings, categories, orders and what stands for a missing cell.

    Fitted on the columns of one table, it gives the same coordinates to the same values wherever they come from: a
    part of the table, tomorrow's records, a fragment on another machine. It goes through JSON unchanged, and does not
    grow with the table. Keep it where the table is: extremes, categories and the value that differences are counted
    from are those of records.

    Notes
    -----
    Continuous columns become z-scores (deviation with n−1) or are scaled to [0, 1]; a constant column is the
    coordinate 0. Ordinal ranks lie 1/(number of categories) apart (Domingo-Ferrer and Torra 2005). A
    weight multiplies the squared difference. The tree of a nominal column makes one nominal coordinate of each level
    (`Taxonomic`), places and cycles are unit vectors (`Directional`). A missing cell (``missing = "impute"``) stands
    at the mean, median or mode of the observed ones.

    Examples
    --------
    >>> from shoal.kinds import Kind
    >>> from shoal.kinds.column import Spec
    >>> ages = Column("age", Spec(name="age", kind=Kind("numeric"), scale=Scale.MINMAX), np.array([20.0, 40.0, 60.0]))
    >>> encoder = Encoder.fit([ages])
    >>> encoder.apply([ages]).coords[:, 0].tolist()
    [0.0, 0.5, 1.0]
    >>> Encoder.from_dict(encoder.to_dict()) == encoder
    True
    """

    attributes: tuple[Encoded, ...]  # what was learnt of each column, in the order of the columns

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
        return cls(tuple(kind_of(column.spec).fit(column, scale or column.spec.scale) for column in columns))

    def only(self, names: Iterable[str]) -> Encoder:
        """Return what was learnt of some of the columns, in the order named."""
        by_name = {attribute.name: attribute for attribute in self.attributes}
        return Encoder(tuple(by_name[name] for name in names))

    def places(self, names: Iterable[str]) -> list[range]:
        """Return the numbers that the coordinates of attributes have in the points of all columns."""
        ordered = sorted(self.attributes, key=lambda attribute: _ORDER[attribute.form])
        ends = accumulate(attribute.width for attribute in ordered)
        spans = {each.name: range(end - each.width, end) for each, end in zip(ordered, ends, strict=True)}
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
        width = sum(attribute.width for attribute in self.attributes if _ORDER[attribute.form] == 0)
        coords = np.empty((n, width), order="F")
        ordinal: list[Categorical] = []
        ranks: list[NDArray[np.int32]] = []
        codes: list[NDArray[np.int32]] = []
        weights: list[float] = []
        levels: list[int] = []
        j = 0
        for attribute, column in zip(self.attributes, columns, strict=True):
            if isinstance(attribute, Continuous | Directional):
                coords[:, j : j + attribute.width] = attribute.apply(column).reshape(n, attribute.width)
                j += attribute.width
            elif isinstance(attribute, Categorical) and attribute.ordered:
                ordinal.append(attribute)
                ranks.append(attribute.apply(column))
            else:
                codes += attribute.codes(column)
                weights += attribute.code_weights
                levels += attribute.code_levels
        return Points.build(
            coords=coords,
            ranks=_stack(ranks, n),
            rank_steps=[math.sqrt(attribute.weight) / attribute.count for attribute in ordinal],
            rank_levels=[attribute.count for attribute in ordinal],
            rank_convex=[attribute.convex for attribute in ordinal],
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
        types = {kind.encoded.__name__: kind.encoded for kind in KINDS.values()}
        plain = [dict(attribute) for attribute in values["attributes"]]
        return cls(tuple(types.get(attribute.pop("type"), Categorical).from_dict(attribute) for attribute in plain))


def _stack(parts: list[NDArray[np.int32]], n: int) -> NDArray[np.int32]:
    return np.column_stack(parts) if parts else np.empty((n, 0), dtype=np.int32)
