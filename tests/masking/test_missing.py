"""Missing values: refused, imputed, or a category of their own."""

import numpy as np
import polars as pl
import pytest

import shoal
from people import K, attributes, people, plan, smallest_class
from reference import operators as slow
from shoal import DataError


def with_gaps(frame, names, every=7):
    gap = pl.int_range(pl.len()) % every == 0
    return frame.with_columns(pl.when(~gap).then(pl.col(name)).alias(name) for name in names)


@pytest.mark.parametrize("column", ["age", "grade", "county", "admitted"])
def test_missing_values_are_an_error_unless_the_plan_says_otherwise(column):
    with pytest.raises(DataError, match=rf"'{column}' has 29 missing values, the first in row 1"):
        shoal.anonymize(with_gaps(people(), [column]), plan())


def test_imputing_uses_the_observed_cells_and_leaves_no_record_standing_out():
    frame = with_gaps(people(), ["age", "grade", "county", "admitted"])
    release = shoal.anonymize(frame, plan(missing="impute"))
    assert smallest_class(release.data) >= K
    for group in np.unique(release.labels):
        rows = np.flatnonzero(release.labels == group).tolist()
        observed = frame["age"][rows].drop_nulls().to_numpy()
        if len(observed):
            assert release.data["age"][rows].to_numpy() == pytest.approx(slow.mean(observed))
        else:
            assert release.data["age"][rows].null_count() == len(rows)


def test_a_group_without_an_observed_cell_stays_missing_as_a_whole():
    frame = people().with_columns(age=pl.lit(None, dtype=pl.Int64))
    release = shoal.anonymize(frame, plan(missing="impute"))
    assert release.data["age"].null_count() == len(frame)
    assert release.guarantees.holds


def test_missing_as_a_category_of_its_own():
    frame = with_gaps(people(), ["county", "grade"], every=2)
    release = shoal.anonymize(frame, plan(missing="category"))
    assert smallest_class(release.data) >= K
    # Half of the cells are missing, so groups of missing ones form and keep their gap.
    assert 0 < release.data["county"].null_count() < len(frame)
    assert set(release.data["grade"].drop_nulls()) <= {"low", "mid", "high", "top"}


def test_missing_policy_of_one_column():
    frame = with_gaps(people(), ["county"])
    release = shoal.anonymize(frame, plan(attributes=attributes(county={"missing": "impute"})))
    assert release.data["county"].null_count() < frame["county"].null_count()
    assert release.guarantees.holds
