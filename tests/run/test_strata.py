"""``by``: groups inside each stratum."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from people import AGE, K, people, plan, smallest_class
from shoal import GuaranteeError, Plan


def test_by_never_mixes_values_and_the_released_classes_hold_within_them():
    frame = people()
    release = shoal.anonymize(frame, plan(by="ward"))
    assert all(len(set(frame["ward"].to_numpy()[release.labels == g])) == 1 for g in np.unique(release.labels))
    assert smallest_class(release.data, ("age", "grade", "county", "admitted", "ward")) >= K


ALIKE = [0.0, -0.0] * 4 + [float("nan"), None] * 4


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"age": range(16), "by": pl.Series(ALIKE, dtype=pl.Float64)}),
        pa.table({"age": range(16), "by": pa.array(ALIKE, pa.float64())}),
        pd.DataFrame({"age": range(16), "by": pd.Series(["a"] * 8 + [None, float("nan")] * 4, dtype=object)}),
    ],
    ids=["polars", "pyarrow", "pandas"],
)
def test_equal_values_of_by_that_look_different_leave_looking_the_same(frame):
    release = shoal.anonymize(frame, Plan(k=4, by="by", order="keep", attributes={"age": AGE, "by": {"role": "other"}}))
    cells = release.data["by"].to_pylist() if isinstance(frame, pa.Table) else list(release.data["by"])
    assert len({repr(cell) for cell in cells[:8]}) == 1
    assert len({repr(cell) for cell in cells[8:]}) == 1


def test_by_with_too_few_records_in_a_value_is_refused():
    frame = people().with_columns(ward=pl.Series(["A"] * 200 + ["B"] * 3))
    with pytest.raises(GuaranteeError, match="1 of 2 values with fewer than k = 4") as caught:
        shoal.anonymize(frame, plan(by="ward"))
    assert caught.value.reached == 3
