from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import classes as reference
from shoal.classes import equivalence_classes
from shoal.errors import DataError

cells = st.sampled_from([0.0, -0.0, 1.0, -1.0, np.nan, -np.nan, np.inf, 1e-300, 2.0**53, 2.0**53 + 2])


@given(st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[cells] * d), min_size=1, max_size=40)))
def test_classes_equal_the_twin_on_awkward_numbers(rows):
    table = np.array(rows, dtype=np.float64)
    np.testing.assert_array_equal(equivalence_classes(table), reference.equivalence_classes(table.T))


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "", None, np.nan]), st.integers(-2, 2)), min_size=1, max_size=30))
def test_classes_equal_the_twin_on_strings_and_integers(rows):
    words = np.array([word for word, _ in rows], dtype=object)
    numbers = np.array([number for _, number in rows], dtype=np.int64)
    np.testing.assert_array_equal(
        equivalence_classes([words, numbers]), reference.equivalence_classes([words, numbers])
    )


@pytest.mark.parametrize("distinct", [1, 700, 5000, 200_000])
def test_classes_survive_a_growing_table(distinct):
    values = np.random.default_rng(0).permutation(np.arange(200_000) % distinct)
    labels = equivalence_classes([values % 7, values.astype(np.float64)])
    assert labels.max() + 1 == distinct
    np.testing.assert_array_equal(labels, reference.equivalence_classes([values]))


@pytest.mark.parametrize(
    "column",
    [
        np.array([3, 3, 1], dtype=np.uint8),
        np.array([2**64 - 1, 2**64 - 1, 0], dtype=np.uint64),
        np.array([True, True, False]),
        np.array([1.5, 1.5, np.nan], dtype=np.float32),
        np.array(["2020-01-01", "2020-01-01", "NaT"], dtype="datetime64[D]"),
        np.array([1, 1, 2], dtype="timedelta64[s]"),
        np.array(["x", "x", "y"]),
        np.array([None, None, "y"], dtype=object),
        np.array([[1, 0], [1, 0], [2, 0]])[:, 0],
    ],
)
def test_every_kind_of_column_is_understood(column):
    np.testing.assert_array_equal(equivalence_classes([column]), [0, 0, 1])


def test_missing_cells_of_pandas_are_one_value():
    import pandas

    column = np.array([pandas.NA, 1, None, pandas.NaT, 1.0], dtype=object)
    np.testing.assert_array_equal(equivalence_classes([column]), [0, 1, 0, 0, 1])


def test_a_table_without_columns_or_records():
    np.testing.assert_array_equal(equivalence_classes(np.empty((3, 0))), [0, 0, 0])
    assert equivalence_classes(np.empty((0, 3))).shape == (0,)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([], "at least one column"),
        (np.zeros(3), "not an array of 1 dimensions"),
        ([np.zeros(3), np.zeros(4)], "column 1 must be one cell for each of the 3 records"),
        ([np.zeros(3, dtype=complex)], "column 0 has cells of type complex128"),
        ([np.array([[1], None], dtype=object)], "column 0 has cells that cannot be compared"),
    ],
)
def test_what_cannot_be_compared_is_refused(columns, message):
    with pytest.raises(DataError, match=message):
        equivalence_classes(columns)
