"""Propensities on a sparse design are those of the textbook on the matrix itself."""

import numpy as np
import pytest

from reference import regression as textbook
from shoal.analysis.propensity import Effects, fitted_chances


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
def test_the_matrix_has_a_column_for_each_number_and_category(numbers, nominal):
    effects, _, _ = example(1, numbers=numbers, nominal=nominal)
    assert effects.matrix().toarray() == pytest.approx(design_of(effects))


@pytest.mark.parametrize("seed", range(4))
def test_probabilities_are_those_of_the_textbook(seed):
    effects, response, _ = example(seed)
    chances = fitted_chances(effects, response)
    matrix = design_of(effects)
    beta, _ = textbook.logistic(matrix, response, None)
    assert chances == pytest.approx(1 / (1 + np.exp(-matrix @ beta)), abs=1e-6)
    assert effects.rank() == matrix.shape[1]


def test_columns_that_say_the_same_count_once():
    effects, response, _ = example(2)
    twice = Effects(
        np.column_stack([effects.numbers, effects.numbers[:, 1], np.zeros(len(response))]),
        (*effects.categories, effects.categories[2]),
    )
    assert twice.rank() == effects.rank()
    assert fitted_chances(twice, response) == pytest.approx(fitted_chances(effects, response), abs=1e-6)


def test_what_is_told_apart_without_error_is_near_0_and_1():
    codes = np.repeat([0, 1], 50)
    effects = Effects(np.ones((100, 1)), (codes,))
    chances = fitted_chances(effects, codes.astype(float))
    assert effects.rank() == 2
    assert np.abs(chances - codes).max() < 1e-3


def test_a_category_of_one_table_alone_is_no_obstacle():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, 300)
    response = np.where(codes == 2, 0.0, (rng.random(300) < 0.5).astype(float))
    chances = fitted_chances(Effects(np.ones((300, 1)), (codes,)), response)
    assert chances[codes == 2].max() < 1e-3
    for code in (0, 1):
        assert chances[codes == code] == pytest.approx(response[codes == code].mean(), abs=1e-6)
