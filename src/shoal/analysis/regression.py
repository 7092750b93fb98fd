"""Least squares and logistic regression with standard errors, in the memory of one block of records.

No estimator of scikit-learn or scipy tells standard errors or reads records block by block: a million of them with two
hundred coefficients would take gigabytes. The tests compare with a slow twin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from shoal.analysis.result import Estimate
from shoal.analysis.variable import Floats

Blocks = Callable[[], Iterable[tuple[Floats, Floats, Floats]]]
"""Makes an iterator over (design, response, weights) of complete records, to be gone through several times."""

Family = Literal["linear", "logistic"]

QUANTILE = NormalDist().inv_cdf(0.975)
ROUNDS = 50
CONVERGED = 1e-10
FARTHEST = 30.0
"""A linear predictor beyond which a probability is 0 or 1 as far as doubles can tell."""
SEPARATED = 1e-6
"""The deviance of a record below which the model knows every answer, and has no finite estimate."""
DIVERGED = 5000.0
"""How much less sure a coefficient may be than where every answer is open; it is beyond that where one part of the
records is known without error (rounds end at probabilities of about 1e-10), and for no rate of answers above 1e-8."""
INDEPENDENT = 1e-8
"""The share of a column's length that must be left when all before it are taken out of it."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted regression, by column of the design; NaN where the records do not determine a coefficient."""

    coefficients: Floats
    errors: Floats  # standard errors
    records: int  # complete ones
    # A logistic regression tells the answers apart without error, in all records or in a part: no estimate is finite.
    separated: bool = False

    def estimate(self, place: int) -> Estimate | None:
        """Return a coefficient with its confidence interval, None where the records do not determine it."""
        value, error = float(self.coefficients[place]), float(self.errors[place])
        if not math.isfinite(value) or not math.isfinite(error):
            return None
        return Estimate(value, value - QUANTILE * error, value + QUANTILE * error)


def fit(family: Family, blocks: Blocks, columns: int, *, robust: bool) -> Fit:
    """Fit a linear regression by least squares, or a logistic one by least squares that are weighted again and again.

    Standard errors are ``robust``, from the squared residuals, as sampling weights need them, or from one variance."""
    solution = _solved(columns, _working(family, blocks, np.zeros(columns)))
    unknown = np.full(columns, np.nan)
    if family == "logistic":
        first = solution
        solution = _maximised(first, blocks)
        lengths = (np.square(each.inverse).sum(axis=1) for each in (solution, first))
        diverged = bool((next(lengths) > DIVERGED**2 * next(lengths)).any())
        if diverged or _deviance(blocks, solution.coefficients) <= SEPARATED * solution.records:
            return Fit(unknown, unknown, solution.records, separated=True)
    degrees = solution.records - len(solution.independent)
    if family == "linear" and degrees <= 0:
        return Fit(solution.estimates(solution.coefficients[solution.independent]), unknown, solution.records)
    covariance = solution.inverse @ solution.inverse.T
    if robust:
        scores = _scores(family, blocks, solution)
        covariance = covariance @ sum((each.T @ each for each in scores), np.zeros_like(covariance)) @ covariance
        covariance *= solution.records / degrees if family == "linear" else 1
    elif family == "linear":
        covariance = covariance * solution.residual**2 / degrees
    errors = solution.estimates(np.sqrt(np.diag(covariance)))
    return Fit(np.where(np.isnan(errors), np.nan, solution.coefficients), errors, solution.records)


@dataclass(frozen=True, eq=False)
class _Solution:
    """A weighted least-squares fit; columns that others determine have coefficient 0."""

    coefficients: Floats
    independent: list[int]
    inverse: Floats
    residual: float
    records: int

    def estimates(self, values: Floats) -> Floats:
        """Put the values of independent columns at their places; the others are unknown."""
        result = np.full(len(self.coefficients), np.nan)
        result[self.independent] = values
        return result


def _maximised(solution: _Solution, blocks: Blocks) -> _Solution:
    """Weight least squares again until the deviance stays."""
    before, deviance = math.inf, _deviance(blocks, solution.coefficients)
    for _ in range(ROUNDS - 1):
        if abs(before - deviance) <= CONVERGED * (deviance + 1.0):
            break
        working = _working("logistic", blocks, solution.coefficients)
        # The columns of the first round, where every record counts alike.
        solution = _solved(len(solution.coefficients), working, solution.independent)
        before, deviance = deviance, _deviance(blocks, solution.coefficients)
    return solution


def _working(family: Family, blocks: Blocks, coefficients: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield design and working response, and the weights of one round."""
    for design, response, weights in blocks():
        if family == "linear":
            yield np.column_stack([design, response]), weights
            continue
        linear = np.clip(design @ coefficients, -FARTHEST, FARTHEST)
        chance = _probability(linear)
        variance = chance * (1 - chance)
        yield np.column_stack([design, linear + (response - chance) / variance]), weights * variance


def _scores(family: Family, blocks: Blocks, solution: _Solution) -> Iterator[Floats]:
    """Yield what each record adds to the slope of the likelihood, by independent column."""
    for design, response, weights in blocks():
        linear = design @ solution.coefficients
        expected = linear if family == "linear" else _probability(linear)
        yield design[:, solution.independent] * ((response - expected) * weights)[:, None]


def _deviance(blocks: Blocks, coefficients: Floats) -> float:
    """Return twice the loss of log-likelihood against a model that knows every answer."""
    total = 0.0
    for design, response, weights in blocks():
        linear = np.clip(design @ coefficients, -FARTHEST, FARTHEST)
        total += 2 * float(weights @ (np.logaddexp(0.0, linear) - response * linear))
    return total


def _probability(linear: Floats) -> Floats:
    """Return the logistic function, short of 0 and 1."""
    return np.asarray(1 / (1 + np.exp(-np.clip(linear, -FARTHEST, FARTHEST))))


def _reduced(matrix: Floats) -> Floats:
    """Return the triangle of a QR decomposition."""
    return np.asarray(np.linalg.qr(matrix, mode="r"))


def _solved(columns: int, blocks: Iterable[tuple[Floats, Floats]], independent: list[int] | None = None) -> _Solution:
    """Return the least-squares fit of some columns: those given, or that the columns before them do not determine."""
    triangle, records = np.empty((0, columns + 1)), 0  # of all blocks, the response last, rows weighted by √w
    for matrix, weights in blocks:
        triangle = _reduced(np.vstack([triangle, matrix * np.sqrt(weights)[:, None]]))
        records += len(matrix)
    independent = _independent(triangle[:, :columns]) if independent is None else independent
    count = len(independent)
    reduced = _reduced(triangle[:, [*independent, columns]])
    inverse = np.asarray(np.linalg.solve(reduced[:count, :count], np.eye(count)), dtype=np.float64)
    coefficients = np.zeros(columns)
    coefficients[independent] = inverse @ reduced[:count, -1]
    # What the design leaves of the response stands in the last corner of the triangle.
    residual = float(reduced[-1, -1]) if len(reduced) > count else 0.0
    return _Solution(coefficients, independent, inverse, residual, records)


def _independent(triangle: Floats) -> list[int]:
    """Return the columns that those before them do not determine, by Gram and Schmidt, twice for the digits."""
    directions: list[Floats] = []
    places = []
    for place, column in enumerate(triangle.T):
        left = column.copy()
        for _ in range(2):
            for direction in directions:
                left -= (direction @ left) * direction
        rest = float(np.linalg.norm(left))
        if rest > INDEPENDENT * float(np.linalg.norm(column)):
            directions.append(left / rest)
            places.append(place)
    return places
