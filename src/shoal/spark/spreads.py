"""Spreads: how the columns of a Spark table are spread, exactly, by its own aggregates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import functions as F
from pyspark.sql import types as T

from shoal.report.spread import SECONDS, Location
from shoal.spark.fields import aggregates, number_of, unit_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

FEW = 1 << 17
"""Records up to which the different values of a column come to the driver as they are."""
_ACCURACY = 10_000
"""Quantiles are first found to within this part of the records, and then exactly in what is left."""
_DAY = 86_400.0


@dataclass(frozen=True)
class Facts:
    """How many cells of a column are there, their sum, whether they are all alike, and whether dates have a time."""

    observed: int
    missing: int
    total: float
    least: float | None
    constant: bool
    timed: bool

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
        asked: list[Column] = [F.count(F.lit(1))]
        for name in self.names:
            number = self.expression(name)
            timed = F.max(F.coalesce(number % F.lit(_DAY) != 0, F.expr("false")))
            asked += [F.count(number), F.sum(number), F.min(number), F.max(number), timed]
        records, *found = aggregates(self.frame, asked)
        made = {}
        for name in self.names:
            observed, total, least, greatest, timed, *found = found
            made[name] = Facts(observed, records - observed, total or 0.0, least, least == greatest, bool(timed))
        return made

    @cached_property
    def locations(self) -> Mapping[str, Location]:
        """Mean and standard deviation (n − 1) of each column."""
        asked: list[Column] = []
        for name in self.names:
            near = self.expression(name) - F.lit(self.facts[name].mean)
            asked += [F.sum(near), F.sum(near * near)]
        found = aggregates(self.frame, asked) if asked else []
        result = {}
        for name in self.names:
            off, squares, *found = found
            known = self.facts[name]
            if known.constant or known.observed < 2:
                result[name] = Location(known.mean, 0.0)
                continue
            variance = (squares - off * off / known.observed) / (known.observed - 1)
            result[name] = Location(known.mean + off / known.observed, float(np.sqrt(max(variance, 0.0))))
        return result

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
        ranks = sorted({int(rank) for place in places for rank in (np.floor(place), np.ceil(place))})
        found = self.ranked(ranks)
        # NumPy interpolates between two neighbours as it does among all.
        return [
            float(np.quantile([found[int(np.floor(place))], found[int(np.ceil(place))]], place - np.floor(place)))
            for place in places
        ]

    def counts(self, edges: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how many lie below the first edge, from each edge on, and from the last one on."""
        number = self.columns.expression(self.name)
        asked = [F.sum((number >= F.lit(float(edge))).cast("long")) for edge in edges]
        above = np.array([len(self), *(aggregates(self.columns.frame, asked) if asked else []), 0], dtype=np.int64)
        return np.asarray(above[:-1] - above[1:])

    def ranked(self, ranks: Sequence[int]) -> dict[int, float]:
        """Return the values at some ranks, from 0 in ascending order.

        Spark's own sketch says between which values each of them lies, to within a ten-thousandth of the records. What
        lies there is counted value by value, and what lies below it as a whole.
        """
        number = self.columns.expression(self.name)
        frame = self.columns.frame.select(number.alias("x")).where(F.col("x").isNotNull())
        if len(self) <= FEW:
            return _picked(_counted(frame), 0, ranks)
        found: dict[int, float] = {}
        for low, high, own in self._brackets(frame, ranks):
            below = frame.where(F.col("x") < F.lit(low)).count()
            inside = frame.where((F.col("x") >= F.lit(low)) & (F.col("x") <= F.lit(high)))
            found |= _picked(_counted(inside), below, own)
        return found

    def _brackets(self, frame: DataFrame, ranks: Sequence[int]) -> Iterable[tuple[float, float, list[int]]]:
        """Return bounds of the values at ranks, those that overlap together."""
        margin = 2.0 / _ACCURACY
        shares = [rank / max(len(self) - 1, 1) for rank in ranks]
        asked = [min(max(share + sign * margin, 0.0), 1.0) for share in shares for sign in (-1, 1)]
        bounds = aggregates(frame, [F.percentile_approx("x", asked, _ACCURACY), F.min("x"), F.max("x")])
        near, least, most = bounds
        made: list[tuple[float, float, list[int]]] = []
        for i, rank in enumerate(ranks):
            low = least if asked[2 * i] == 0.0 else near[2 * i]
            high = most if asked[2 * i + 1] == 1.0 else near[2 * i + 1]
            if made and low <= made[-1][1]:
                made[-1] = (made[-1][0], max(made[-1][1], high), [*made[-1][2], rank])
            else:
                made.append((low, high, [rank]))
        return made


def _counted(frame: DataFrame) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    found = frame.groupBy("x").agg(F.count(F.lit(1)).alias("n")).toArrow()
    values = found["x"].to_numpy()
    order = np.argsort(values, kind="stable")
    return values[order], found["n"].to_numpy()[order]


def _picked(
    counted: tuple[NDArray[np.float64], NDArray[np.int64]], below: int, ranks: Sequence[int]
) -> dict[int, float]:
    values, counts = counted
    places = np.searchsorted(below + np.cumsum(counts), ranks, side="right")
    return {rank: float(values[place]) for rank, place in zip(ranks, places, strict=True)}


def correlations_of(frame: DataFrame, columns: Mapping[str, Column], means: Mapping[str, float]) -> NDArray[np.float64]:
    """Return correlations of columns, missing cells at their means; those of a constant one, without a mean, are 0."""
    names = list(columns)
    near = [F.coalesce(columns[n] - F.lit(means[n]), F.lit(0.0)) if n in means else F.lit(0.0) for n in names]
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1)]
    found = aggregates(frame, [F.sum(near[i] * near[j]) for i, j in pairs])
    products = np.zeros((len(names), len(names)))
    for (i, j), value in zip(pairs, found, strict=True):
        products[i, j] = products[j, i] = float(value or 0.0)
    spread = np.sqrt(np.diag(products))
    scale = np.outer(spread, spread)
    correlation = np.divide(products, scale, out=np.zeros_like(scale), where=scale > 0)
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)
