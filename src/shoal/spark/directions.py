"""Directions: places and cycles as points, learnt of a Spark table: sums of unit vectors, added up as whole numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.frames import Table
from shoal.kinds import Missing, Scale
from shoal.kinds.column import Spec
from shoal.kinds.direction import Directional, unit_vectors
from shoal.kinds.registry import read_column
from shoal.spark.fields import quoted
from shoal.spark.fold import folded

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_STEPS = 1 << 30
"""Coordinates are told in steps of 2⁻³⁰: sums of a few thousand million of them fit 64 bits."""


@dataclass(eq=False)
class Heading:
    """What is added up of a column of directions."""

    observed: int
    missing: int
    steps: NDArray[np.int64]
    least: NDArray[np.float64]
    greatest: NDArray[np.float64]

    def __add__(self, other: Heading) -> Heading:
        return Heading(
            self.observed + other.observed,
            self.missing + other.missing,
            self.steps + other.steps,
            np.minimum(self.least, other.least),
            np.maximum(self.greatest, other.greatest),
        )

    @classmethod
    def of(cls, table: Table, spec: Spec) -> Heading:
        """Add up the cells of some records."""
        column = read_column(table, replace(spec, missing=Missing.IMPUTE))
        vectors = unit_vectors(column.observed, spec.period)
        return cls(
            len(vectors),
            len(column) - len(vectors),
            np.rint(vectors * _STEPS).astype(np.int64).sum(axis=0),
            vectors.min(axis=0, initial=np.inf),
            vectors.max(axis=0, initial=-np.inf),
        )

    def encoded(self, spec: Spec, scale: Scale) -> Directional:
        """Return how the column becomes points, as `Directional.fit` learns it from records."""
        width = len(self.steps)
        extent = math.sqrt(float(((self.greatest - self.least) ** 2).sum())) if self.observed else 0.0
        if extent == 0:
            centre = self.least if self.observed else np.zeros(width)
            return Directional.of(spec, centre, 0.0)
        mean = self.steps / (_STEPS * self.observed)
        # The vectors have length 1, so that their squares need not be added up.
        variance = self.observed * (1.0 - float(mean @ mean)) / (self.observed - 1)
        unit = math.sqrt(max(variance, 0.0)) if scale is Scale.ZSCORE else extent if scale is Scale.MINMAX else 1.0
        return Directional.of(spec, mean, unit)


def find_headings(frame: DataFrame, specs: Mapping[str, Spec]) -> dict[str, Heading]:
    """Add up the columns of directions, by one pass."""
    if not specs:
        return {}
    names = [part for spec in specs.values() for part in (spec.name, spec.longitude) if part is not None]

    def look(records: pa.Table) -> dict[str, Heading]:
        table = Table.of(records)
        return {name: Heading.of(table, spec) for name, spec in specs.items()}

    return folded(frame.select(*map(quoted, names)), look) or {}
