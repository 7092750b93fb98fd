"""A place is one column to compare, and two to count gaps in."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.stream import StreamAnonymizer

PLAN = shoal.Plan(
    k=3,
    subject="record",
    missing="impute",
    stream={"max_delay": 20},
    attributes={
        "lat": {"role": "quasi_identifier", "kind": "place", "longitude": "lon", "weight": 1000},
        "cost": {"role": "confidential", "kind": "numeric"},
    },
)


def table() -> pl.DataFrame:
    random = np.random.default_rng(0)
    frame = pl.DataFrame({"lat": random.normal(10, 1, 100), "lon": random.normal(20, 1, 100), "cost": np.arange(100)})
    gaps = [pl.Series(random.random(100) < 0.1) for _ in range(2)]
    return frame.with_columns(
        pl.when(~gone).then(name).alias(name) for name, gone in zip(("lat", "lon"), gaps, strict=True)
    )


@pytest.mark.parametrize("as_frame", [True, False])
def test_gaps_of_both_columns_are_counted_and_restored(tmp_path, as_frame):
    stream, frame = StreamAnonymizer(PLAN), table()
    if as_frame:
        left = pl.concat([stream.push_many(frame), stream.flush()])
    else:
        left = pl.DataFrame([record for row in frame.to_dicts() for record in stream.push(row)] + stream.flush())
    before = frame.sort("cost").filter(pl.col("cost").is_in(left["cost"].implode()))
    after = left.sort("cost")
    counts = {
        name: {
            "missing": before[name].null_count(),
            "filled": int((before[name].is_null() & after[name].is_not_null()).sum()),
            "suppressed": int((before[name].is_not_null() & after[name].is_null()).sum()),
        }
        for name in ("lat", "lon")
    }
    assert counts["lon"]["filled"] > 0
    assert stream.gaps == counts
    stream.save(tmp_path / "state")
    restored, _ = StreamAnonymizer.restore(tmp_path / "state", plan=PLAN)
    assert restored.gaps == counts
