"""Records of codes alone, scanned bit by bit: the same labels as from the twins and a tree, whatever the weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grids import every
from reference import mdav as slow_mdav
from reference import vmdav as slow_vmdav
from shoal._core import instruction_sets, use_instruction_set
from shoal.partitioners import mdav, vmdav
from slow_shapes import nominal

WEIGHTS = {
    "one": lambda rng, columns: np.ones(columns),
    "a number that rounds": lambda rng, columns: np.full(columns, 1 / 3),
    "multiples": lambda rng, columns: rng.choice([0.5, 1.0, 2.0], columns),
    "parts": lambda rng, columns: rng.choice([1 / 2, 1 / 3, 1.0], columns),
    "tenths": lambda rng, columns: rng.choice([0.1, 0.2, 0.3], columns),
    "any": lambda rng, columns: rng.random(columns),
    "some of nothing": lambda rng, columns: rng.choice([0.0, 1.0], columns),
    "nothing": lambda rng, columns: np.zeros(columns),
    "decades": lambda rng, columns: 10.0 ** rng.uniform(-30, 30, columns),
    "powers of two": lambda rng, columns: 1.49 * 2.0 ** np.arange(columns),
    "nearly nothing": lambda rng, columns: rng.choice([5e-324, 1e-323, 1e-320], columns),
    "nearly too much": lambda rng, columns: rng.choice([1e300, 1e299], columns),
}


def codes_of(seed, n, columns, categories, weights):
    rng = np.random.default_rng(seed)
    return nominal(rng.integers(0, categories, (n, columns)), WEIGHTS[weights](rng, columns))


@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(2, 90),
    columns=st.integers(1, 16) | st.sampled_from([31, 32, 60, 127, 128]),
    categories=st.sampled_from([1, 2, 3, 5, 17, 100]),
    weights=st.sampled_from(sorted(WEIGHTS)),
    k=st.integers(2, 7),
)
def test_labels_are_those_of_the_twins(seed, n, columns, categories, weights, k):
    points = codes_of(seed, max(n, k), columns, categories, weights)
    np.testing.assert_array_equal(mdav(points, k, engine="scan"), slow_mdav.mdav(points, k))
    np.testing.assert_array_equal(vmdav(points, k, gain=1.1, engine="scan"), slow_vmdav.vmdav(points, k, gain=1.1))


@pytest.mark.parametrize(("columns", "categories"), [(12, 3), (3, 40), (2, 7)])
@every(weights=WEIGHTS)
def test_many_blocks_of_records_that_leave(weights, columns, categories):
    """More than fit a block of 512, put together anew as they leave; two columns of seven make equal records."""
    points = codes_of(3, 2500, columns, categories, weights)
    for partition in (mdav, vmdav):
        np.testing.assert_array_equal(partition(points, 4, engine="scan"), partition(points, 4, engine="tree"))
    subjects = points.about(np.random.default_rng(4).integers(0, 900, 2500))
    np.testing.assert_array_equal(mdav(subjects, 4, engine="scan"), mdav(subjects, 4, engine="tree"))


@pytest.mark.parametrize("weights", ["one", "parts", "any"])
@pytest.mark.parametrize("columns", [6, 14, 30, 62, 100])
def test_every_processor_finds_the_same(weights, columns):
    points = codes_of(5, 1100, columns, 4, weights)
    found = []
    try:
        for name in instruction_sets():
            use_instruction_set(name)
            found.append(mdav(points, 3, engine="scan"))
    finally:
        use_instruction_set(instruction_sets()[-1])
    assert all(np.array_equal(found[0], labels) for labels in found)


def test_a_large_table_begins_with_a_tree_and_goes_on_with_planes():
    points = codes_of(6, 140_000, 7, 6, "one")
    np.testing.assert_array_equal(mdav(points, 60), mdav(points, 60, engine="scan"))
