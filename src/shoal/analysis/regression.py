"""Least squares and logistic regression with standard errors, in the memory of one block of records.

Written here instead of taken from a library: two estimators of forty lines, on the blocks of the other statistics, are
less than a dependency that brings data frames and formulas of its own; the tests compare them with a slow twin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from shoal.analysis.result import Estimate
from shoal.analysis.variable import Floats

Blocks = Callable[[], Iterable[tuple[Floats, Floats, Floats]]]
"""Makes an iterator over (design, response, weights) of complete records, to be gone through several times."""

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
    """A fitted regression.

    Parameters
    ----------
    coefficients
        By column of the design; NaN where the records do not determine one.
    errors
        Standard errors.
    records
        Complete records.
    separated
        Whether a logistic regression tells the two answers apart without error, in all records or in a part of them,
        so that it has no finite estimate.
    """

    coefficients: Floats
    errors: Floats
    records: int
    separated: bool = False

    def estimate(self, place: int) -> Estimate | None:
        """Return a coefficient with its confidence interval, None where the records do not determine it."""
        value, error = float(self.coefficients[place]), float(self.errors[place])
        if not math.isfinite(value) or not math.isfinite(error):
            return None
        return Estimate(value, value - QUANTILE * error, value + QUANTILE * error)


def least_squares(blocks: Blocks, columns: int, *, robust: bool) -> Fit:
    """Fit a linear regression.

    Parameters
    ----------
    blocks
        The records, block by block.
    columns
        Columns of the design.
    robust
        Standard errors from the squared residuals, as sampling weights need them, instead of from one variance.
    """
    triangle, records = _triangle(
        columns + 1, ((np.column_stack([design, response]), weights) for design, response, weights in blocks())
    )
    kept = _independent(triangle[:, :columns])
    solution, inverse = _solve(triangle, kept)
    coefficients = _spread_out(solution, kept, columns)
    degrees = records - len(kept)
    if degrees <= 0:
        return Fit(coefficients, np.full(columns, np.nan), records)
    if robust:
        scores = (
            (design[:, kept] * ((response - design[:, kept] @ solution) * weights)[:, None])
            for design, response, weights in blocks()
        )
        covariance = _sandwich(inverse, scores) * records / degrees
    else:
        # What the design leaves of the response, from the triangle itself.
        left = _reduced(triangle[:, [*kept, columns]])[-1, -1] if len(triangle) > len(kept) else 0.0
        covariance = inverse @ inverse.T * float(left) ** 2 / degrees
    return Fit(coefficients, _spread_out(np.sqrt(np.diag(covariance)), kept, columns), records)


def logistic(blocks: Blocks, columns: int, *, robust: bool) -> Fit:
    """Fit a logistic regression by iteratively reweighted least squares.

    Parameters
    ----------
    blocks
        The records, block by block; the response is between 0 and 1.
    columns
        Columns of the design.
    robust
        As for `least_squares`.
    """
    found = _maximise(blocks, columns)
    unknown = np.full(columns, np.nan)
    if found.separated:
        return Fit(unknown, unknown, found.records, separated=True)
    covariance = found.inverse @ found.inverse.T
    if robust:
        scores = (
            design[:, found.kept] * ((response - probability(design @ found.coefficients)) * weights)[:, None]
            for design, response, weights in blocks()
        )
        covariance = _sandwich(found.inverse, scores)
    errors = _spread_out(np.sqrt(np.diag(covariance)), found.kept, columns)
    return Fit(np.where(np.isnan(errors), np.nan, found.coefficients), errors, found.records)


@dataclass(frozen=True, eq=False)
class _Likeliest:
    """Where the likelihood is greatest; columns that others determine have coefficient 0."""

    coefficients: Floats
    kept: list[int]
    inverse: Floats
    records: int
    separated: bool


def _maximise(blocks: Blocks, columns: int) -> _Likeliest:
    """Iterate weighted least squares until the deviance stays."""
    coefficients = np.zeros(columns)
    kept: list[int] = []
    deviance, records = math.inf, 0
    inverse = first = np.empty((0, 0))
    for number in range(ROUNDS):
        triangle, records = _triangle(columns + 1, _working(blocks, coefficients))
        kept = kept or _independent(triangle[:, :columns])  # of the first round, where every record counts alike
        solution, inverse = _solve(triangle, kept)
        first = inverse if number == 0 else first
        coefficients = np.zeros(columns)
        coefficients[kept] = solution
        before, deviance = deviance, _deviance(blocks, coefficients)
        if abs(before - deviance) <= CONVERGED * (deviance + 1.0):
            break
    diverged = bool((np.square(inverse).sum(axis=1) > DIVERGED**2 * np.square(first).sum(axis=1)).any())
    return _Likeliest(coefficients, kept, inverse, records, separated=diverged or deviance <= SEPARATED * records)


def _working(blocks: Blocks, coefficients: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield design and working response, and the weights of one round."""
    for design, response, weights in blocks():
        linear = np.clip(design @ coefficients, -FARTHEST, FARTHEST)
        chance = probability(linear)
        variance = chance * (1 - chance)
        yield np.column_stack([design, linear + (response - chance) / variance]), weights * variance


def _deviance(blocks: Blocks, coefficients: Floats) -> float:
    """Return twice the loss of log-likelihood against a model that knows every answer."""
    total = 0.0
    for design, response, weights in blocks():
        linear = np.clip(design @ coefficients, -FARTHEST, FARTHEST)
        total += 2 * float(weights @ (np.logaddexp(0.0, linear) - response * linear))
    return total


def probability(linear: Floats) -> Floats:
    """Return the logistic function, short of 0 and 1."""
    return np.asarray(1 / (1 + np.exp(-np.clip(linear, -FARTHEST, FARTHEST))))


def _triangle(width: int, blocks: Iterable[tuple[Floats, Floats]]) -> tuple[Floats, int]:
    """Return the triangle R of the QR decomposition of all blocks, rows weighted by √w, and the number of records."""
    triangle, records = np.empty((0, width)), 0
    for matrix, weights in blocks:
        triangle = _reduced(np.vstack([triangle, matrix * np.sqrt(weights)[:, None]]))
        records += len(matrix)
    return triangle, records


def _reduced(matrix: Floats) -> Floats:
    """Return the triangle of a QR decomposition."""
    return np.asarray(np.linalg.qr(matrix, mode="r"))


def _independent(triangle: Floats) -> list[int]:
    """Return the columns that those before them do not determine, by Gram and Schmidt, twice for the digits."""
    directions: list[NDArray[np.float64]] = []
    kept = []
    for place, column in enumerate(triangle.T):
        length = float(np.linalg.norm(column))
        left = column.copy()
        for _ in range(2):
            for direction in directions:
                left -= (direction @ left) * direction
        rest = float(np.linalg.norm(left))
        if rest > INDEPENDENT * length:
            directions.append(left / rest)
            kept.append(place)
    return kept


def _solve(triangle: Floats, kept: list[int]) -> tuple[Floats, Floats]:
    """Return the solution for the kept columns, the last being the response, and the inverse of their triangle."""
    reduced = _reduced(triangle[:, [*kept, triangle.shape[1] - 1]])
    square = reduced[: len(kept), : len(kept)]
    inverse = np.asarray(np.linalg.solve(square, np.eye(len(kept))), dtype=np.float64)
    return inverse @ reduced[: len(kept), -1], inverse


def _sandwich(inverse: Floats, scores: Iterable[Floats]) -> Floats:
    """Return the covariance of estimates from their bread and the scores of records."""
    bread = inverse @ inverse.T
    meat = np.zeros_like(bread)
    for block in scores:
        meat += block.T @ block
    return np.asarray(bread @ meat @ bread)


def _spread_out(values: Floats, kept: list[int], columns: int) -> Floats:
    """Put the values of kept columns at their places; the others are unknown."""
    result = np.full(columns, np.nan)
    result[kept] = values
    return result
