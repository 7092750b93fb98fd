"""Measuring a release from outside finds the published information loss."""

import polars as pl
import pytest

import shoal
from reference.published import MDAV_LOSS
from shoal.measures import measure


@pytest.mark.parametrize(("name", "k", "percent"), MDAV_LOSS)
def test_measured_information_loss(reference_data, name, k, percent):
    frame = pl.read_csv(reference_data / f"{name}.csv", infer_schema_length=None)
    plan = shoal.Plan(k=k, attributes={c: {"role": "quasi_identifier", "kind": "numeric"} for c in frame.columns})
    release = shoal.anonymize(frame, plan)
    scores = measure(frame, release.data, plan, keys=["il_percent", "sse", "k_min", "d_x"], rows=release.rows)
    assert round(scores["il_percent"].value, 4) == percent
    assert scores["sse"].value == pytest.approx(scores["d_x"].value * 13 * (len(frame) - 1))
    assert scores["k_min"].value >= k
