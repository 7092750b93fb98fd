"""The logistic regression of propensities: many categories, of which a record has one in each column.

A record of forty columns with twenty categories has forty ones among eight hundred cells. The normal equations are
counted from categories, pair of columns by pair of columns, and never from the cells: the work grows with the square of
the columns and not with that of their categories.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.analysis.regression import FARTHEST, ROUNDS, SEPARATED, probability
from shoal.analysis.variable import Codes, Floats
from shoal.moments import row_slices

SETTLED = 1e-7
"""The relative change of the deviance below which probabilities stay as they are."""
INDEPENDENT = 1e-10
"""The share of a column's squared length that must be left when all before it are taken out of it."""


@dataclass(frozen=True, eq=False)
class Effects:
    """The columns of the design: numbers, then one for each category but the first of every nominal column.

    Parameters
    ----------
    numbers
        Records by columns, the intercept among them.
    categories
        The category of each record, from 0, by nominal column.
    """

    numbers: Floats
    categories: tuple[Codes, ...]

    def __len__(self) -> int:
        return int(self.numbers.shape[1]) + sum(int(codes.max()) for codes in self.categories)

    def _places(self) -> Iterator[tuple[Codes, slice]]:
        """Yield each nominal column with where its categories stand; the first of them stands nowhere."""
        start = self.numbers.shape[1]
        for codes in self.categories:
            stop = start + int(codes.max())
            yield codes, slice(start, stop)
            start = stop

    def combined(self, coefficients: Floats) -> Floats:
        """Return the linear predictor of each record."""
        result = self.numbers @ coefficients[: self.numbers.shape[1]]
        for codes, place in self._places():
            result += np.concatenate([[0.0], coefficients[place]])[codes]
        return np.asarray(result)

    def totals(self, values: Floats) -> Floats:
        """Return the sum of a value over records, weighted by each column."""
        by_category = (np.bincount(codes, values, int(codes.max()) + 1)[1:] for codes in self.categories)
        return np.concatenate([self.numbers.T @ values, *by_category])

    def products(self, weights: Floats) -> Floats:
        """Return the weighted sums of products of every two columns."""
        width = self.numbers.shape[1]
        result = np.zeros((len(self), len(self)))
        for rows in row_slices(len(weights)):
            part = self.numbers[rows]
            weighed = part * weights[rows, None]
            result[:width, :width] += part.T @ weighed
            for codes, place in self._places():
                one_of = np.zeros((len(part), place.stop - place.start + 1))
                one_of[np.arange(len(part)), codes[rows]] = 1.0
                result[place, :width] += one_of[:, 1:].T @ weighed
        for codes, place in self._places():
            result[:width, place] = result[place, :width].T
            result[place, place] = np.diag(np.bincount(codes, weights, int(codes.max()) + 1)[1:])
        for (first, at), (second, beside) in combinations(self._places(), 2):
            shape = (int(first.max()) + 1, int(second.max()) + 1)
            table = np.bincount(first * shape[1] + second, weights, shape[0] * shape[1]).reshape(shape)[1:, 1:]
            result[at, beside], result[beside, at] = table, table.T
        return result


def fit(effects: Effects, response: Floats) -> tuple[Floats, int]:
    """Return the fitted probabilities of a logistic regression, and how many coefficients the records determine.

    Parameters
    ----------
    effects
        The design; no column may be many times as long as others.
    response
        0 or 1.

    Notes
    -----
    Newton's method by the normal equations: they lose digits of coefficients that records hardly determine, which
    probabilities do not notice. Separated records are near 0 or 1.

    Examples
    --------
    >>> chances, terms = fit(Effects(np.ones((4, 1)), (np.array([0, 0, 1, 1]),)), np.array([0.0, 1.0, 1.0, 1.0]))
    >>> chances.round(4).tolist(), terms
    ([0.5, 0.5, 1.0, 1.0], 2)
    """
    kept = _independent(effects.products(np.ones(len(response))))
    coefficients, deviance = np.zeros(len(effects)), math.inf
    linear = np.zeros(len(response))
    for _ in range(ROUNDS):
        before, deviance = deviance, 2 * float((np.logaddexp(0.0, linear) - response * linear).sum())
        if abs(before - deviance) <= SETTLED * deviance or deviance <= SEPARATED * len(response):
            break
        chance = probability(linear)
        curvature = effects.products(chance * (1 - chance))[np.ix_(kept, kept)]
        coefficients[kept] += _solved(curvature, effects.totals(response - chance)[kept])
        linear = np.clip(effects.combined(coefficients), -FARTHEST, FARTHEST)
    return probability(linear), len(kept)


def _independent(products: Floats) -> list[int]:
    """Return the columns that those before them do not determine, by the factors of Cholesky, row after row."""
    left = products.copy()
    lengths = np.diag(products)
    kept = []
    for place, length in enumerate(lengths):
        pivot = left[place, place]
        if pivot > INDEPENDENT * length:
            kept.append(place)
            rest = left[place, place + 1 :] / math.sqrt(pivot)
            left[place + 1 :, place + 1 :] -= np.outer(rest, rest)
    return kept


def _solved(matrix: Floats, vector: Floats) -> Floats:
    """Solve a symmetric system in units of its diagonal, which a little more keeps away from singular."""
    units = np.sqrt(np.maximum(np.diag(matrix), np.finfo(np.float64).tiny))
    scaled = matrix / np.outer(units, units)
    scaled[np.diag_indices(len(scaled))] += 1e-12
    return np.asarray(np.linalg.solve(scaled, vector / units) / units)
