"""Records of codes alone, looked up in lists of each code: the same labels as from the twins, a tree and a scan."""

from __future__ import annotations

import numpy as np
import pytest

from grids import every
from reference import mdav as slow_mdav
from reference import vmdav as slow_vmdav
from shoal import _core
from shoal.partitioners import mdav
from shoal.points import Points


def nominal(codes, weights=None):
    levels = codes.max(axis=0) + 1
    weights = np.ones(codes.shape[1]) if weights is None else weights
    return Points.build(codes=codes, code_weights=weights, code_levels=levels)


def random_codes(n, seed, columns, categories, weights=None):
    return nominal(np.random.default_rng(seed).integers(0, categories, (n, columns)), weights)


SHAPES = {
    "one column of all different": lambda n, seed: nominal(np.random.default_rng(seed).permutation(n)[:, None]),
    "one column of pairs": lambda n, seed: nominal(np.random.default_rng(seed).permutation(n)[:, None] // 2),
    "constant": lambda n, seed: nominal(np.zeros((n, 2), dtype=np.int64)),
    "few": lambda n, seed: random_codes(n, seed, 3, 3),
    "many": lambda n, seed: random_codes(n, seed, 3, n // 2),
    "weights that round": lambda n, seed: random_codes(n, seed, 3, 9, [0.1, 0.2, 0.3]),
    "a column that counts for nothing": lambda n, seed: random_codes(n, seed, 2, 9, [0.0, 1.0]),
    "sixty columns": lambda n, seed: random_codes(n, seed, 60, n),
}


@pytest.mark.parametrize(("n", "k"), [(5, 3), (7, 4), (80, 2), (97, 5)])
@every(shape=SHAPES)
def test_labels_are_those_of_the_twin(shape, n, k):
    points = SHAPES[shape](n, n)
    np.testing.assert_array_equal(_core.mdav(points.records(), k, "lists", None), slow_mdav.mdav(points, k))


@pytest.mark.parametrize("shape", SHAPES)
def test_labels_of_groups_that_grow_are_those_of_the_twin(shape):
    points = SHAPES[shape](83, 1)
    found = _core.vmdav(points.records(), 3, 1.1, "lists", None)
    np.testing.assert_array_equal(found, slow_vmdav.vmdav(points, 3, gain=1.1))


@pytest.mark.parametrize("shape", SHAPES)
def test_labels_of_subjects_are_those_of_a_scan(shape):
    points = SHAPES[shape](600, 2).about(np.random.default_rng(0).integers(0, 250, 600))
    np.testing.assert_array_equal(_core.mdav(points.records(), 4, "lists", None), mdav(points, 4, engine="scan"))


def test_tables_of_many_categories_are_looked_up_without_being_asked_to():
    points = random_codes(5_000, 3, 3, 100)
    np.testing.assert_array_equal(mdav(points, 5), mdav(points, 5, engine="tree"))
