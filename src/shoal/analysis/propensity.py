"""Propensities: how well a model can tell released records from original ones."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.analysis.descriptive import mean_and_spread
from shoal.analysis.result import Propensity
from shoal.analysis.variable import Codes, Floats, Variable, drawn_rows

MOST_PRODUCTS = 150
"""Products of two columns that the model takes; with more, it has main effects and squares alone."""
ROUNDS = 50
SETTLED = 1e-8
"""The greatest slope of the likelihood at which coefficients stay as they are."""
INDEPENDENT = 1e-10
"""The variance that a direction of the standardised design must have to count as a coefficient."""


@dataclass(frozen=True, eq=False)
class Effects:
    """The columns of the design: numbers, then one for each category but the first of every nominal column."""

    numbers: Floats  # records by columns, the intercept among them; none may be many times as long as others
    categories: tuple[Codes, ...]  # of each record, from 0, by nominal column

    def matrix(self) -> Any:
        """Return the design, sparse: of forty nominal columns a record has forty ones, however many categories."""
        from scipy.sparse import csr_array, hstack

        records = len(self.numbers)
        one_of_each = (csr_array((np.ones(records), (np.arange(records), codes))) for codes in self.categories)
        return hstack([csr_array(self.numbers), *(each[:, 1:] for each in one_of_each)], format="csr")

    def rank(self) -> int:
        """Return how many coefficients the records determine."""
        matrix = self.matrix()
        products = (matrix.T @ matrix).toarray()
        lengths = np.sqrt(np.diag(products))
        units = np.where(lengths > 0, lengths, 1.0)
        return int(np.linalg.matrix_rank(products / np.outer(units, units), tol=INDEPENDENT, hermitian=True))


def fitted_chances(effects: Effects, response: Floats) -> Floats:
    """Return the fitted probabilities of a logistic regression on a response of 0 and 1.

    >>> effects = Effects(np.ones((4, 1)), (np.array([0, 0, 1, 1]),))
    >>> fitted_chances(effects, np.array([0.0, 1.0, 1.0, 1.0])).round(3).tolist()
    [0.5, 0.5, 1.0, 1.0]
    """
    from sklearn.linear_model import LogisticRegression

    matrix = effects.matrix()
    model = LogisticRegression(C=np.inf, fit_intercept=False, max_iter=ROUNDS, solver="newton-cg", tol=SETTLED)
    with warnings.catch_warnings():
        # Records that are told apart without error have no finite estimate: it ends near 0 and 1, which is the answer.
        warnings.simplefilter("ignore")
        return np.asarray(model.fit(matrix, response).predict_proba(matrix)[:, 1])


def propensity(variables: Sequence[Variable], *, seed: int) -> Propensity:
    """Fit the model, and return what it can tell.

    Notes
    -----
    Woo et al. 2009, with the expectation and the deviation of Snoke et al. 2018: with c the share of
    released records among N and p coefficients, pMSE has the mean (p − 1)(1 − c)²c / N and the standard deviation
    √(2(p − 1))·(1 − c)²c / N where both tables are samples of one population. Released records are no other sample but
    the same persons, so a ratio below 1 is possible.

    The model is a logistic regression on every category, number, square of a number and product of two ordered columns.
    Main effects alone would see nothing: means of groups keep the mean of every column, and lose its variance and
    covariances. Trees would see too much: any value that a group shares tells it apart, whether or not an analyst could
    notice. A gap is a category of its own, and stands at the mean of numbers.
    """
    generator = np.random.default_rng(seed)
    rows = [drawn_rows(np.arange(len(side)), generator) for side in (variables[0].before, variables[0].after)]
    response = np.repeat([0.0, 1.0], [len(each) for each in rows])
    share = len(rows[1]) / len(response)
    effects = _effects(variables, rows)
    chances, terms = fitted_chances(effects, response), effects.rank()
    unit = (1 - share) ** 2 * share / len(response)
    return Propensity(
        pmse=float(((chances - share) ** 2).mean()),
        expected=(terms - 1) * unit,
        deviation=math.sqrt(2 * (terms - 1)) * unit,
        terms=terms,
        records=len(response),
    )


def _effects(variables: Sequence[Variable], rows: list[Codes]) -> Effects:
    """Return the columns of the design, numbers in standard deviations of the original."""
    numbers, gaps, categories = [], [], []
    for variable in variables:
        if variable.is_ordered:
            before, after = variable.ranked("before")[rows[0]], variable.ranked("after")[rows[1]]
            stacked = np.concatenate([before, after])
            gone = np.isnan(stacked)
            observed = before[~np.isnan(before)]
            if len(observed):
                mean, spread = mean_and_spread(observed, np.ones(len(observed)))
                numbers.append(np.where(gone, 0.0, (stacked - mean) / spread if spread else 0.0))
            if gone.any():
                gaps.append(gone.astype(np.float64))
            continue
        codes = np.concatenate([variable.bins("before")[rows[0]], variable.bins("after")[rows[1]]])
        categories.append(np.unique(codes, return_inverse=True)[1])
    columns = [np.ones(sum(map(len, rows))), *gaps, *numbers]
    products = len(numbers) * (len(numbers) - 1) // 2 <= MOST_PRODUCTS
    for place, number in enumerate(numbers):
        columns.append(number**2)
        if products:
            columns += [number * other for other in numbers[place + 1 :]]
    return Effects(np.column_stack(columns), tuple(categories))
