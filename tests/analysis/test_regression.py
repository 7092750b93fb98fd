"""Regressions in blocks agree with those by the textbook, and say what the records do not determine."""

import numpy as np
import pytest

from reference import regression as textbook
from shoal.analysis.regression import fit


def in_blocks(design, response, weights=None, size=37):
    weights = np.ones(len(design)) if weights is None else weights

    def blocks():
        for start in range(0, len(design), size):
            part = slice(start, start + size)
            yield design[part], response[part], weights[part]

    return blocks


def table(seed, n=200, p=4):
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones(n), rng.normal(size=(n, p - 2)) * [1.0, 1000.0][: p - 2], rng.integers(0, 2, n)])
    return design, design @ np.linspace(-1, 1, p) / 100 + rng.normal(size=n), rng.uniform(0.2, 9, n)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_least_squares_is_that_of_the_textbook(seed, weighted):
    design, response, weights = table(seed)
    weights = weights if weighted else None
    found = fit("linear", in_blocks(design, response, weights), design.shape[1], robust=weighted)
    beta, errors = textbook.least_squares(design, response, weights)
    assert found.coefficients == pytest.approx(beta, rel=1e-8)
    assert found.errors == pytest.approx(errors, rel=1e-8)
    assert found.records == len(design)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_logistic_regression_is_that_of_the_textbook(seed, weighted):
    design, response, weights = table(seed)
    design[:, 2] /= 1000
    answers = (response > np.median(response)).astype(float)
    weights = weights if weighted else None
    found = fit("logistic", in_blocks(design, answers, weights), design.shape[1], robust=weighted)
    beta, errors = textbook.logistic(design, answers, weights)
    assert found.coefficients == pytest.approx(beta, rel=1e-5, abs=1e-7)
    assert found.errors == pytest.approx(errors, rel=1e-4)


def test_a_published_fit_comes_out():
    """Longley 1967, on the first three explaining columns: coefficients by exact rational arithmetic."""
    from fractions import Fraction

    product = [234289, 259426, 258054, 284599, 328975, 346999, 365385, 363112, 397469, 419180, 442769, 444546, 482704]
    product += [502601, 518173, 554894]
    columns = [
        [83.0, 88.5, 88.2, 89.5, 96.2, 98.1, 99.0, 100.0, 101.2, 104.6, 108.4, 110.8, 112.6, 114.2, 115.7, 116.9],
        product,
        [2356, 2325, 3682, 3351, 2099, 1932, 1870, 3578, 2904, 2822, 2936, 4681, 3813, 3931, 4806, 4007],
    ]
    employed = [60323, 61122, 60171, 61187, 63221, 63639, 64989, 63761, 66019, 67857, 68169, 66513, 68655, 69564]
    employed += [69331, 70551]
    design = np.column_stack([np.ones(16), *columns])
    exact = _exact_solution(design, employed, Fraction)
    found = fit("linear", in_blocks(design, np.array(employed, float), size=5), 4, robust=False)
    assert found.coefficients == pytest.approx(exact, rel=1e-9)


def _exact_solution(design, response, number):
    rows = [[number(str(cell)) for cell in row] for row in design.tolist()]
    size = len(rows[0])
    system = [
        [sum(row[i] * row[j] for row in rows) for j in range(size)]
        + [sum(row[i] * number(y) for row, y in zip(rows, response, strict=True))]
        for i in range(size)
    ]
    for i in range(size):
        pivot = system[i][i]
        system[i] = [cell / pivot for cell in system[i]]
        for j in range(size):
            if j != i:
                factor = system[j][i]
                system[j] = [a - factor * b for a, b in zip(system[j], system[i], strict=True)]
    return [float(row[-1]) for row in system]


def test_columns_that_others_determine_have_no_estimate_and_change_no_other():
    design, response, _ = table(1)
    doubled = np.column_stack([design[:, :2], 3 * design[:, 1] - 2, np.zeros(len(design)), design[:, 2:]])
    for family in ("linear", "logistic"):
        answers = response if family == "linear" else (response > 0).astype(float)
        whole = fit(family, in_blocks(design, answers), 4, robust=False)
        found = fit(family, in_blocks(doubled, answers), 6, robust=False)
        assert [found.estimate(place) is None for place in range(6)] == [False, False, True, True, False, False]
        assert found.coefficients[[0, 1, 4, 5]] == pytest.approx(whole.coefficients, rel=1e-6, abs=1e-9)


def test_answers_that_the_columns_tell_apart_have_no_estimate():
    design = np.column_stack([np.ones(20), np.arange(20.0)])
    found = fit("logistic", in_blocks(design, (np.arange(20) > 9).astype(float)), 2, robust=False)
    assert found.separated
    assert found.estimate(1) is None


def test_an_exact_fit_has_intervals_without_width():
    design = np.column_stack([np.ones(6), np.arange(6.0)])
    found = fit("linear", in_blocks(design, 2 + 3 * np.arange(6.0)), 2, robust=False)
    assert found.coefficients == pytest.approx([2, 3])
    assert found.errors == pytest.approx([0, 0], abs=1e-12)


def test_fewer_records_than_columns_have_no_standard_error():
    found = fit("linear", in_blocks(np.ones((1, 1)), np.ones(1)), 1, robust=False)
    assert found.estimate(0) is None


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("unit", [1.0, 0.01, 500.0])
def test_a_part_that_is_known_without_error_has_no_finite_estimate(robust, unit):
    rng = np.random.default_rng(6)
    group = rng.random(400) < 0.3
    answer = np.where(group, 1.0, rng.random(400) < 0.5)  # all of a group have one answer, the others either
    weights = unit * (rng.random(400) + 0.1 if robust else np.ones(400))
    found = fit("logistic", lambda: [(np.column_stack([np.ones(400), group]), answer, weights)], 2, robust=robust)
    assert found.separated
    assert np.isnan(found.coefficients).all()
    answer[np.flatnonzero(group)[0]] = 0.0  # one other answer is enough
    assert not fit(
        "logistic", lambda: [(np.column_stack([np.ones(400), group]), answer, weights)], 2, robust=robust
    ).separated
