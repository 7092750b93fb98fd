"""Spreads: how the columns of a Spark table are spread, exactly, by its own aggregates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from shoal.report.spread import SECONDS, Location
from shoal.spark.fields import aggregates, aggregates_of_each, number_of, unit_of

FEW = 1 << 17
"""Records up to which the different values of a column come to the driver as they are."""
_ACCURACY = 10_000
"""Quantiles are first found to within this part of the records, and then exactly in what is left."""


@dataclass(frozen=True)
class Facts:
    """What is counted of a column of numbers."""

    observed: int  # how many cells are there
    missing: int
    total: float  # their sum
    least: float | None
    constant: bool  # whether they are all alike
    timed: bool  # whether dates have a time

    @property
    def mean(self) -> float:
        """The mean of the observed cells."""
        if self.constant and self.least is not None:
            return self.least
        return self.total / self.observed if self.observed else 0.0


@dataclass(frozen=True, eq=False)
class NumberColumns:
    """The numbers and dates of a table, dates in seconds from 1970."""

    frame: DataFrame
    names: tuple[str, ...]

    def expression(self, name: str) -> Column:
        """Return a column as a number; null where it is missing."""
        field = self.frame.schema[name]
        unit = unit_of(field)
        number = number_of(field).cast("double")
        return number if unit is None else number * F.lit(SECONDS[unit])

    @cached_property
    def facts(self) -> Mapping[str, Facts]:
        """What is known of each column; one job for all."""
        asked = {"": [F.count(F.lit(1))]}
        for name in self.names:
            number = self.expression(name)
            timed = F.max(F.coalesce(number % F.lit(SECONDS["D"]) != 0, F.expr("false")))
            asked[name] = [F.count(number), F.sum(number), F.min(number), F.max(number), timed]
        values = aggregates_of_each(self.frame, asked)
        (records,) = values.pop("")
        return {
            name: Facts(observed, records - observed, total or 0.0, least, least == greatest, bool(timed))
            for name, (observed, total, least, greatest, timed) in values.items()
        }

    @cached_property
    def locations(self) -> Mapping[str, Location]:
        """Mean and standard deviation (n − 1) of each column."""
        asked = {}
        for name in self.names:
            near = self.expression(name) - F.lit(self.facts[name].mean)
            asked[name] = [F.sum(near), F.sum(near * near)]
        locations = {}
        for name, (off, squares) in aggregates_of_each(self.frame, asked).items():
            facts = self.facts[name]
            if facts.constant or facts.observed < 2:
                locations[name] = Location(facts.mean, 0.0)
                continue
            variance = (squares - off * off / facts.observed) / (facts.observed - 1)
            locations[name] = Location(facts.mean + off / facts.observed, float(np.sqrt(max(variance, 0.0))))
        return locations

    def is_whole(self, name: str) -> bool:
        """Whether the column is one of integers."""
        return isinstance(self.frame.schema[name].dataType, T.IntegralType)

    def is_days(self, name: str) -> bool:
        """Whether the column has dates without a time of day."""
        unit = unit_of(self.frame.schema[name])
        return unit == "D" or (unit is not None and not self.facts[name].timed)

    def spread(self, name: str) -> FrameSpread:
        """Return the spread of a column."""
        return FrameSpread(self, name)


@dataclass(frozen=True, eq=False)
class FrameSpread:
    """The spread of a column, asked of Spark."""

    columns: NumberColumns
    name: str

    def __len__(self) -> int:
        return self.columns.facts[self.name].observed

    @property
    def location(self) -> Location:
        """Mean and standard deviation."""
        return self.columns.locations[self.name]

    def quantiles(self, shares: Sequence[float]) -> list[float]:
        """Return quantiles, interpolated between neighbours."""
        places = np.asarray(shares, dtype=np.float64) * (len(self) - 1)
        neighbours = [(int(np.floor(place)), int(np.ceil(place))) for place in places]
        values = self.ranked(sorted({rank for pair in neighbours for rank in pair}))
        # NumPy interpolates between two neighbours as it does among all.
        return [
            float(np.quantile([values[low], values[high]], place - low))
            for place, (low, high) in zip(places, neighbours, strict=True)
        ]

    def counts(self, edges: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how many lie below the first edge, from each edge on, and from the last one on."""
        number = self.columns.expression(self.name)
        asked = [F.sum((number >= F.lit(float(edge))).cast("long")) for edge in edges]
        return -np.diff([len(self), *aggregates(self.columns.frame, asked), 0])

    def ranked(self, ranks: Sequence[int]) -> dict[int, float]:
        """Return the values at some ranks, from 0 in ascending order.

        Spark's own sketch says between which values each of them lies, to within a ten-thousandth of the records. What
        lies there is counted value by value, and what lies below it as a whole.
        """
        number = self.columns.expression(self.name)
        frame = self.columns.frame.select(number.alias("x")).where(F.col("x").isNotNull())
        if len(self) <= FEW:
            return _values_at(ranks, frame)
        values: dict[int, float] = {}
        for low, high, own in self._brackets(frame, ranks):
            below = frame.where(F.col("x") < F.lit(low)).count()
            values |= _values_at(own, frame.where(F.col("x").between(F.lit(low), F.lit(high))), below)
        return values

    def _brackets(self, frame: DataFrame, ranks: Sequence[int]) -> Iterable[tuple[float, float, list[int]]]:
        """Return bounds of the values at ranks, those that overlap together."""
        margin = 2.0 / _ACCURACY
        shares = [rank / max(len(self) - 1, 1) for rank in ranks]
        asked = [min(max(share + sign * margin, 0.0), 1.0) for share in shares for sign in (-1, 1)]
        near, least, most = aggregates(frame, [F.percentile_approx("x", asked, _ACCURACY), F.min("x"), F.max("x")])
        brackets: list[tuple[float, float, list[int]]] = []
        for i, rank in enumerate(ranks):
            low = least if asked[2 * i] == 0.0 else near[2 * i]
            high = most if asked[2 * i + 1] == 1.0 else near[2 * i + 1]
            if brackets and low <= brackets[-1][1]:
                start, end, before = brackets.pop()
                brackets.append((start, max(end, high), [*before, rank]))
            else:
                brackets.append((low, high, [rank]))
        return brackets


def _values_at(ranks: Sequence[int], frame: DataFrame, below: int = 0) -> dict[int, float]:
    """Return the values at some ranks by counting each value of a table, below whose first so many others lie."""
    counts = frame.groupBy("x").agg(F.count(F.lit(1)).alias("n")).toArrow().sort_by("x")
    places = np.searchsorted(below + np.cumsum(counts["n"].to_numpy()), ranks, side="right")
    return dict(zip(ranks, counts["x"].to_numpy()[places].tolist(), strict=True))


def correlations_of(
    frame: DataFrame, columns: Mapping[str, Column], means: Mapping[str, float | None]
) -> NDArray[np.float64]:
    """Return correlations of columns, missing cells at their means; those of a constant one, without a mean, are 0."""
    zero = F.lit(0.0)
    near = [zero if (mean := means[n]) is None else F.coalesce(columns[n] - F.lit(mean), zero) for n in columns]
    lower = np.tril_indices(len(near))
    sums = aggregates(frame, [F.sum(near[i] * near[j]) for i, j in zip(*lower, strict=True)])
    products = np.zeros((len(near), len(near)))
    products[lower] = products.T[lower] = [value or 0.0 for value in sums]
    spread = np.sqrt(np.diag(products))
    scale = np.outer(spread, spread)
    correlation = np.divide(products, scale, out=np.zeros_like(scale), where=scale > 0)
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)
