"""Numbers near the largest that a column may hold, mixed with those of other columns."""

import polars as pl
import pytest

import shoal
from shoal.errors import DataError
from shoal.report import collect


def mixed(frame, k):
    attributes = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in frame.columns}
    return shoal.Plan(k=k, guarantee=False, method="mic1d", attributes=attributes)


def test_a_release_whose_largest_number_rounds_up_can_be_reported_on():
    frame = pl.DataFrame({"a": [1e-300, 0.0, 7.0, -0.0, 1e300], "b": [1.0, 2.0, 3.0, 4.0, 900.0]})
    plan = mixed(frame, 2)
    release = shoal.anonymize(frame, plan)
    assert max(release.data["a"]) > 1e300
    assert [row.name for row in collect(frame, release, plan).attributes] == ["a", "b"]


def test_numbers_that_mixing_moves_too_far_apart_are_refused_by_the_run():
    frame = pl.DataFrame({"a": [-5e299, 5e299] * 5, "b": [1.0] * 9 + [900.0]})
    with pytest.raises(DataError, match=r"column 'a' has numbers further apart than 1e\+300"):
        shoal.anonymize(frame, mixed(frame, 4))
