"""Points between which no distance can be measured are refused where distances are needed, with a reason."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from grids import every
from shoal.constrain import k_first, merge, steered, t_first
from shoal.errors import DataError, PlanError
from shoal.partitioners import individual, mdav, mic1d, projected, univariate, vmdav
from shoal.points import Points, comparable

FAR = np.array([[0.0], [1.0], [2.0], [3e200]])
CONFIDENTIAL = np.arange(4.0)


@pytest.mark.parametrize(
    "measure",
    [
        lambda: mdav(FAR, 2),
        lambda: vmdav(FAR, 2),
        lambda: t_first(FAR, CONFIDENTIAL, k=2, t=0.5),
        lambda: k_first(FAR, CONFIDENTIAL, k=2, t=0.5),
        lambda: merge(FAR, CONFIDENTIAL, [0, 0, 1, 1], t=0.5),
        lambda: steered(Points.of(FAR), CONFIDENTIAL, k=2, t=0.5),
    ],
)
def test_squared_distances_that_overflow_are_refused(measure):
    with pytest.raises(DataError, match=r"points must lie within ±1e\+150, but column 0 .* scale the columns first"):
        measure()


def test_the_largest_that_is_taken_does_not_overflow():
    points = np.repeat([[-1e150, 1e150], [1e150, -1e150]], 6, axis=0)
    np.testing.assert_array_equal(mdav(points, 6), np.repeat([0, 1], 6))


def test_methods_without_distances_take_any_finite_value():
    np.testing.assert_array_equal(univariate(FAR, 2), [0, 0, 1, 1])


def categories(**parts):
    given = {
        "ranks": [[0], [2]],
        "rank_steps": [0.5],
        "rank_levels": [3],
        "rank_convex": [False],
        "codes": [[1], [0]],
        "code_weights": [1.0],
        "code_levels": [2],
    }
    return Points.build(**(given | parts))


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ({"coords": [[0.0], [np.nan]]}, DataError, "column 0 has a value beyond"),
        ({"ranks": [[0], [3]]}, DataError, "ranks must be numbered from 0"),
        ({"codes": [[0], [-1]]}, DataError, "codes must be numbered from 0"),
        ({"rank_steps": [1e151]}, PlanError, "ordinal attribute .* lower its weight"),
        ({"code_weights": [np.inf]}, PlanError, "nominal attribute .* lower its weight"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts, error, message):
    assert len(comparable(categories())) == 2
    with pytest.raises(error, match=message):
        mdav(categories(**parts), 2)


def test_a_plan_that_does_not_scale_names_the_column_that_is_too_far_out():
    import polars as pl

    frame = pl.DataFrame({"b": [0.0, 1.0, 2.0, 3.0], "a": FAR[:, 0]})
    number = {"role": "quasi_identifier", "kind": "numeric"}
    assert shoal.anonymize(frame, shoal.Plan(k=2, attributes={"b": number, "a": number})).guarantees.holds
    with pytest.raises(DataError, match=r"column 'a', .* beyond ±1e\+150: scale it by zscore"):
        shoal.anonymize(frame, shoal.Plan(k=2, attributes={"b": number, "a": number}, scale="none"))


def test_text_is_refused_without_naming_it():
    with pytest.raises(DataError, match="points must be real numbers") as refused:
        Points.of([["secret"], ["other"]])
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (np.ma.masked_less([[1.0], [2.0], [3.0], [4.0]], 2), "must not be masked"),
        ([[1.0 + 2j], [2.0], [3.0], [4.0]], "must be real numbers"),
        (np.zeros(4, dtype="datetime64[D]"), "must be real numbers"),
        (np.zeros(4, dtype=[("a", float)]), "must be real numbers"),
        (["1", "2", "3", "4"], "must be real numbers"),
        ([[10**400], [2], [3], [4]], "must be real numbers"),
        (np.empty((4, 0)), "at least one attribute"),
    ],
)
@every(method=[mdav, vmdav, univariate, projected, mic1d, individual])
def test_what_is_no_table_of_numbers_is_refused(method, given, said):
    with pytest.raises(DataError, match=said):
        method(given, 2)


def test_an_array_that_could_be_masked_and_is_not_is_taken():
    np.testing.assert_array_equal(mdav(np.ma.array([[1.0], [2.0], [8.0], [9.0]]), 2), mdav([[1], [2], [8], [9]], 2))
