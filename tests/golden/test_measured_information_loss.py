"""Measuring a release from outside finds the published information loss."""

import polars as pl
import pytest

import shoal
from shoal.measure import measure

EXPECTED = {
    "census.csv": {3: 5.6922, 5: 9.0884, 10: 14.1559},
    "tarragona.csv": {3: 16.9326, 5: 22.4619, 10: 33.1929},
}


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("k", [3, 5, 10])
def test_measured_information_loss(reference_data, name, k):
    frame = pl.read_csv(reference_data / name, infer_schema_length=None)
    plan = shoal.Plan(k=k, attributes={c: {"role": "quasi_identifier", "kind": "numeric"} for c in frame.columns})
    released = shoal.anonymize(frame, plan).data
    scores = measure(frame, released, plan, keys=["il_percent", "sse", "k_min", "d_x"])
    assert round(scores["il_percent"].value, 4) == EXPECTED[name][k]
    assert scores["sse"].value == pytest.approx(scores["d_x"].value * 13 * (len(frame) - 1))
    assert scores["k_min"].value >= k
