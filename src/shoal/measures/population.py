"""The population that records stand for by sampling weights: how many share a class, and what is lost of it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.kinds.direction import spread_of
from shoal.measures.column_pair import ColumnPair
from shoal.measures.declaration import CHANCE, LOSS, QuasiIdentifiers, Value, declare_measure
from shoal.measures.pair import Pair
from shoal.measures.squared_error import percent
from shoal.moments import weighted_quantiles
from shoal.protect.identification_risk import people_of_classes


@declare_measure(
    "population_k",
    "Smallest equivalence class in people of the population: the sampling weights of its subjects added up (each by "
    "the least of its records' weights), and no fewer than they are themselves.",
    title="smallest class in the population",
    aspect="risk",
    better="higher",
    low=1.0,
    role="weights",
    unit="people",
    external="subjects",
)
def population_k(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the people of the population in the smallest equivalence class.

    Notes
    -----
    The sum of the weights of a class estimates how often its quasi-identifiers occur in the population (Hundepool et
    al. 2012). It is the k of an intruder who does not know who is in the sample; who knows that faces `k_min`.

    Examples
    --------
    >>> population_k(Pair.of([1, 2, 3, 4], [1, 1, 2, 2], weights=[10, 20, 4, 3])).value
    7.0
    """
    people = _people(pair)
    return Value(people.min(), groups={"people": people}, parts={"mean": people.mean()})


@declare_measure(
    "population_risk",
    "Chance to find the person of a record in the population by guessing among all who share its released "
    "quasi-identifiers: 1 / people of its class, by sampling weights, averaged over records.",
    title="chance to be found in the population",
    role="weights",
    external="subjects",
    **CHANCE,
)
def population_risk(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the mean chance to find a person in the population by the released quasi-identifiers, in percent.

    Notes
    -----
    ``parts`` holds the greatest chance and the number of records expected to be found, if each is guessed once.

    Examples
    --------
    >>> population_risk(Pair.of([1, 2, 3, 4], [1, 1, 2, 2], weights=[10, 10, 2, 3])).value
    12.5
    """
    people = _people(pair)
    expected = float((pair.sizes / people).sum())
    return Value(
        100.0 * expected / len(pair),
        parts={"greatest": 100.0 / people.min(), "expected records": expected},
    )


def _weights(pair: Pair) -> NDArray[np.float64]:
    assert pair.weights is not None, "the measure covers pairs with weights alone"
    return pair.weights


def _people(pair: Pair) -> NDArray[np.float64]:
    """Return the people that each equivalence class stands for, at least those that it has."""
    return people_of_classes(pair.classes, _weights(pair), pair.subjects)


@declare_measure(
    "population_il",
    "Information loss of the population: 100 × SSE / SST as in il_percent, every record counted by its sampling "
    "weight, with weighted means, deviations, medians and modes.",
    title="information lost, weighted",
    role="weights",
    unit="%",
    external="withheld",  # weights differ from record to record: a sum of them may tell which moved
    **LOSS,
)
def population_il(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the information loss in percent, every record counted by its sampling weight.

    Notes
    -----
    With equal weights it is `il_percent`. ``attributes`` holds each column by itself.

    Examples
    --------
    The record that stands for nine others moves, and they do not: 9 of 10 people are as far from the truth as can be.

    >>> pair = Pair.of({"town": ["a", "b"]}, {"town": ["b", "b"]}, kinds={"town": "nominal"}, weights=[9, 1])
    >>> population_il(pair).value
    900.0
    """
    weights = _weights(pair)
    parts = {column.name: _loss(column, weights) for column in columns}
    error, total = (math.fsum(side) for side in zip(*parts.values(), strict=True))
    return Value(percent(error, total), attributes={name: percent(*part) for name, part in parts.items()})


@declare_measure(
    "population_error",
    "How far estimates of the population move, averaged over quasi-identifiers: of a number or date the distance of "
    "the weighted means in weighted standard deviations of the original, of categories ½·Σ|p − p'| of their weighted "
    "shares.",
    title="error of estimates of the population",
    role="weights",
    external="withheld",  # weights differ from record to record: a sum of them may tell which moved
    **LOSS,
)
def population_error(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return how far the weighted means and shares move.

    Notes
    -----
    Weighted group means keep weighted means, so that what is left is rounding, recoding, medians and modes.

    Examples
    --------
    >>> pair = Pair.of([0.0, 10.0], [2.0, 10.0], weights=[1, 1])
    >>> population_error(pair).value
    0.2
    """
    weights = _weights(pair)
    moved = {column.name: _moved(column, weights) for column in columns}
    return Value(math.fsum(moved.values()) / len(moved), attributes=moved)


def _loss(column: ColumnPair, weights: NDArray[np.float64]) -> tuple[float, float]:
    """Return the weighted squared errors of a column, and those of its average in every record."""
    if column.tree is not None:
        error = float(weights @ column.tree.squared(column.original, column.released))
        return error, column.tree.total(column.original, weights)
    if column.kind.is_nominal:
        shares = np.bincount(column.original, weights)
        return float(weights[column.original != column.released].sum()), float(weights.sum() - shares.max())
    before, after = column.original.astype(np.float64), column.released.astype(np.float64)
    if column.is_directional:
        if not spread_of(before):
            return 0.0, 0.0
        # Around the mean direction, in units of the weighted spread, as in il_percent.
        unit = float(weights @ ((before - np.average(before, axis=0, weights=weights)) ** 2).sum(axis=1))
        total = 2.0 * (float(weights.sum()) - float(np.linalg.norm(weights @ before)))
        error = float(weights @ ((before - after) ** 2).sum(axis=1))
        return error / unit * _sum_but_one(weights), total / unit * _sum_but_one(weights)
    if column.kind.is_ordinal:
        scale, centre = float(column.levels), float(weighted_quantiles(before, weights, (0.5,))[0])
    else:
        scale, centre = column.spread.deviation, float(np.average(before, weights=weights))
        if column.extent == 0:
            return 0.0, 0.0
    error, total = (float((weights * ((before - other) / scale) ** 2).sum()) for other in (after, centre))
    if column.kind.is_ordinal:
        return error, total
    # In units of the weighted deviation, so that every continuous column counts alike, as in il_percent.
    return error / total * _sum_but_one(weights), _sum_but_one(weights)


def _sum_but_one(weights: NDArray[np.float64]) -> float:
    """Return the sum of weights less one record's: the squared z-scores of a column, as n - 1 without weights."""
    return float(weights.sum() * (1 - 1 / len(weights)))


def _moved(column: ColumnPair, weights: NDArray[np.float64]) -> float:
    if column.is_directional:
        vectors = column.original
        if not spread_of(vectors):
            return 0.0
        centre = np.average(vectors, axis=0, weights=weights)
        spread = math.sqrt(float(np.average(((vectors - centre) ** 2).sum(axis=1), weights=weights)))
        return float(np.linalg.norm(np.average(column.released - vectors, axis=0, weights=weights))) / spread
    if not column.is_continuous:
        before, after = (
            np.bincount(side, weights, column.levels) / weights.sum() for side in (column.original, column.released)
        )
        return float(np.abs(before - after).sum() / 2)
    if column.extent == 0:
        return 0.0
    before = column.original.astype(np.float64)
    mean = float(np.average(before, weights=weights))
    deviation = math.sqrt(float(np.average((before - mean) ** 2, weights=weights)))
    return abs(float(np.average(column.released - before, weights=weights))) / deviation
