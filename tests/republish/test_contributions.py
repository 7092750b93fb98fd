"""What a subject brings into means, and of how few subjects a sum of them is, from release to release."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.frames import Table
from shoal.masking.inputs import read_inputs
from shoal.republish.contributions import Courses, column_texts, contributions

NUMBER = {"role": "quasi_identifier", "kind": "numeric"}
ATTRIBUTES = {
    "who": {"role": "identifier"},
    "pay": NUMBER,
    "age": NUMBER,
    "town": {"role": "other"},
    "heft": {"role": "other"},
}
TABLE = {
    "who": ["p", "q", "p", "r"],
    "pay": [1.0, 2.5, 1.0, 3.0],
    "age": [None, 20, 10, None],
    "town": ["b", None, "b", "a"],
    "heft": [1.0, 2.0, 1.0, 0.5],
}
AGE, PAY, TOWN, HEFT = ["10", "20", None], ["1", "2.5", "3"], ["b", "\x00", "a"], ["1", "2", "0.5"]


@pytest.mark.parametrize(
    ("keys", "columns"),
    [
        ({}, {"age": AGE, "pay": PAY}),
        ({"by": "town"}, {"age": AGE, "pay": PAY, "town": TOWN}),
        ({"weights": "heft"}, {"age": AGE, "pay": PAY, "heft": HEFT}),
        ({"by": "town", "weights": "heft"}, {"age": AGE, "pay": PAY, "town": TOWN, "heft": HEFT}),
        ({"by": "heft", "weights": "heft"}, {"age": AGE, "pay": PAY, "heft": HEFT}),
        ({"by": "pay"}, {"age": AGE, "pay": PAY}),
    ],
    ids=str,
)
def test_a_subject_brings_its_values_by_column_and_its_weight_as_the_last(keys: Any, columns: Any) -> None:
    table = Table.of(pl.DataFrame(TABLE))
    plan = shoal.Plan(k=2, subject="who", missing="impute", attributes=ATTRIBUTES, **keys)
    found = contributions(table, read_inputs(table, plan), plan)
    assert list(found.items()) == list(columns.items())


def test_a_column_has_texts_and_gaps() -> None:
    assert column_texts(Table.of(pl.DataFrame(TABLE)), "town") == ("b", None, "b", "a")


STILL, CHANGED, BACK, CAME, WENT, NEVER = range(6)
HISTORIES = ((0, 0, 0), (0, 1, 1), (0, 1, 0), (-1, 0, 0), (0, 0, -1), (-1, -1, -1))


def courses(*numbers: list[int], gone: tuple[int, ...] = (), has_weights: bool = False) -> Courses:
    """Those of some columns, of those of the table and after them of those in the cells that are ``gone``."""
    return Courses(np.array(numbers), HISTORIES, np.array(gone, dtype=np.int64), has_weights)


def test_of_how_many_values_a_mean_is() -> None:
    of = courses([STILL, CHANGED, NEVER, CAME, WENT, STILL], [NEVER] * 6, gone=(0,))
    found = of.observed(np.array([0, 0, 0, 1, 1]))
    assert found.tolist() == [[2, 0], [1, 0]]
    assert found.dtype == np.int64


def test_who_has_changed_since_the_last_release_and_whose_weight_ever_did() -> None:
    of = courses([STILL, CHANGED, BACK, CAME, NEVER], [STILL, STILL, STILL, BACK, BACK], gone=(0,), has_weights=True)
    assert of.changed.tolist() == [False, False, True, True]
    assert of.weighed.tolist() == [False, False, False, True, True]


@pytest.mark.parametrize(
    ("of", "here", "shown", "fewest"),
    [
        (courses([STILL, STILL]), [0, 0], [[2]], [3]),  # fewer than k, of whom nobody has changed
        (courses([STILL] * 5 + [CHANGED]), [0] * 6, [[6]], [1]),
        (courses([STILL] * 3 + [CHANGED] * 3), [0] * 6, [[6]], [3]),
        (courses([CHANGED] * 3), [0] * 3, [[3]], [3]),
        # each cell by itself, whoever moved in others
        (courses([STILL, STILL, CHANGED, BACK, BACK, BACK, CHANGED]), [0, 0, 1, 1, 1, 1, 1], [[9], [9]], [3, 2]),
        (courses([CHANGED, *[STILL] * 6]), [1, 1, 1, 1, 0, 0, 0], [[9], [9]], [3, 1]),
        (courses([CHANGED, *[STILL] * 3] * 3), [0] * 4 + [1] * 4 + [2] * 4, [[9]] * 3, [1, 1, 1]),
        # those who left stood in their cells, too
        (courses([STILL] * 3 + [CHANGED], gone=(0,)), [0] * 3, [[9]], [1]),
        (courses([STILL] * 3 + [CHANGED], gone=(1,)), [0] * 3, [[9], [9]], [3, 1]),
        # what was shown of fewer than k by itself can be no secret, and nothing was shown of those without values
        (courses([STILL] * 3 + [CHANGED] * 2), [0] * 5, [[3]], [2]),
        (courses([STILL] * 3 + [CHANGED] * 2), [0] * 5, [[2]], [3]),
        (courses([CAME] * 3 + [NEVER] * 2), [0] * 5, [[0]], [3]),
        (courses([CAME] * 2 + [NEVER] * 3), [0] * 5, [[0]], [2]),
        (courses([NEVER] * 3), [0] * 3, [[0]], [3]),
        # the column that tells of the fewest, and none after the weight
        (courses([STILL] * 4 + [CHANGED], [STILL] * 3 + [CHANGED] * 2), [0] * 5, [[9, 9]], [1]),
        (courses([STILL] * 3 + [CHANGED] * 2, [STILL] * 4 + [CHANGED]), [0] * 5, [[9, 9]], [1]),
        (
            courses([STILL] * 5, [STILL] * 3 + [CHANGED] * 2, [STILL] * 4 + [CHANGED], has_weights=True),
            [0] * 5,
            [[9, 9, 9]],
            [2],
        ),
    ],
)
def test_a_sum_of_one_column_is_about_so_few_of_a_cell(of: Courses, here: Any, shown: Any, fewest: Any) -> None:
    assert of.fewest(np.array(here), of.gone, np.array(shown), 3).tolist() == fewest
