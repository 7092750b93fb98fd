"""Propensities by counted categories are those of a design matrix with a column for each."""

import numpy as np
import pytest

from reference import regression as textbook
from shoal.analysis.propensity_model import Effects, fit


def design_of(effects):
    """The matrix itself, cell by cell."""
    columns = list(effects.numbers.T)
    for codes in effects.categories:
        columns += [(codes == code).astype(float) for code in range(1, codes.max() + 1)]
    return np.column_stack(columns)


def example(seed, n=400, numbers=3, nominal=3):
    rng = np.random.default_rng(seed)
    codes = tuple(np.unique(rng.integers(0, 2 + place, n), return_inverse=True)[1] for place in range(nominal))
    effects = Effects(np.column_stack([np.ones(n), rng.normal(size=(n, numbers))]), codes)
    return effects, (rng.random(n) < 0.5).astype(float), rng


@pytest.mark.parametrize(("numbers", "nominal"), [(0, 0), (0, 3), (3, 0), (3, 3), (1, 12)])
def test_sums_are_those_of_the_matrix(numbers, nominal):
    effects, response, rng = example(1, numbers=numbers, nominal=nominal)
    matrix, weights = design_of(effects), rng.random(len(response))
    assert len(effects) == matrix.shape[1]
    assert effects.products(weights) == pytest.approx(matrix.T @ (matrix * weights[:, None]))
    assert effects.totals(response) == pytest.approx(matrix.T @ response)
    values = rng.normal(size=len(effects))
    assert effects.combined(values) == pytest.approx(matrix @ values)


@pytest.mark.parametrize("seed", range(4))
def test_probabilities_are_those_of_the_textbook(seed):
    effects, response, _ = example(seed)
    chances, terms = fit(effects, response)
    matrix = design_of(effects)
    beta, _ = textbook.logistic(matrix, response, None)
    assert chances == pytest.approx(1 / (1 + np.exp(-matrix @ beta)), abs=1e-6)
    assert terms == matrix.shape[1]


def test_columns_that_say_the_same_count_once():
    effects, response, _ = example(2)
    twice = Effects(
        np.column_stack([effects.numbers, effects.numbers[:, 1], np.zeros(len(response))]),
        (*effects.categories, effects.categories[2]),
    )
    chances, terms = fit(effects, response)
    same, as_many = fit(twice, response)
    assert as_many == terms
    assert same == pytest.approx(chances, abs=1e-6)


def test_what_is_told_apart_without_error_is_near_0_and_1():
    codes = np.repeat([0, 1], 50)
    chances, terms = fit(Effects(np.ones((100, 1)), (codes,)), codes.astype(float))
    assert terms == 2
    assert np.abs(chances - codes).max() < 1e-3


def test_a_category_of_one_table_alone_is_no_obstacle():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, 300)
    response = np.where(codes == 2, 0.0, (rng.random(300) < 0.5).astype(float))
    chances, _ = fit(Effects(np.ones((300, 1)), (codes,)), response)
    assert chances[codes == 2].max() < 1e-3
    for code in (0, 1):
        assert chances[codes == code] == pytest.approx(response[codes == code].mean(), abs=1e-6)
