"""Propensities: how well a model can tell released records from original ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shoal.analysis.propensity_model import Effects, fit
from shoal.analysis.result import Propensity
from shoal.analysis.univariate import mean_and_spread
from shoal.analysis.variable import Codes, Variable

LARGEST = 50_000
"""Records of each table that the model is fitted to; of larger tables it is a sample."""
MOST_PRODUCTS = 150
"""Products of two columns that the model takes; with more, it has main effects and squares alone."""


def propensity(variables: Sequence[Variable], *, seed: int) -> Propensity:
    """Fit the model, and return what it can tell.

    Parameters
    ----------
    variables
        Every column.
    seed
        Of the sample.

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
    rows = [_sample(len(getattr(variables[0], side)), generator) for side in ("before", "after")]
    response = np.repeat([0.0, 1.0], [len(each) for each in rows])
    share = len(rows[1]) / len(response)
    found, terms = fit(_effects(variables, rows), response)
    unit = (1 - share) ** 2 * share / len(response)
    return Propensity(
        pmse=float(((found - share) ** 2).mean()),
        expected=(terms - 1) * unit,
        deviation=math.sqrt(2 * (terms - 1)) * unit,
        terms=terms,
        records=len(response),
    )


def _sample(records: int, generator: np.random.Generator) -> Codes:
    if records <= LARGEST:
        return np.arange(records)
    return np.sort(generator.choice(records, LARGEST, replace=False))


def _effects(variables: Sequence[Variable], rows: list[Codes]) -> Effects:
    """Return the columns of the design, numbers in standard deviations of the original."""
    numbers, gaps, categories = [], [], []
    for variable in variables:
        values = [variable.ranked(side)[each] for side, each in zip(("before", "after"), rows, strict=True)]
        if variable.is_ordered:
            stacked = np.concatenate(values)
            gone = np.isnan(stacked)
            known = values[0][~np.isnan(values[0])]
            if len(known):
                mean, spread = mean_and_spread(known, np.ones(len(known)))
                numbers.append(np.where(gone, 0.0, (stacked - mean) / spread if spread else 0.0))
            if gone.any():
                gaps.append(gone.astype(np.float64))
            continue
        codes = np.concatenate(
            [variable.joined(side)[0][each] for side, each in zip(("before", "after"), rows, strict=True)]
        )
        categories.append(np.unique(codes, return_inverse=True)[1])
    columns = [np.ones(sum(map(len, rows))), *gaps, *numbers]
    products = len(numbers) * (len(numbers) - 1) // 2 <= MOST_PRODUCTS
    for place, number in enumerate(numbers):
        columns.append(number**2)
        if products:
            columns += [number * other for other in numbers[place + 1 :]]
    return Effects(np.column_stack(columns), tuple(categories))
