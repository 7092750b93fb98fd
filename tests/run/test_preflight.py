"""What a run says before it begins: what will take long."""

from __future__ import annotations

import logging

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import Plan
from shoal.run import preflight


def table(categories, n=200):
    rng = np.random.default_rng(0)
    return pl.DataFrame({"x": rng.normal(size=n), "c": [f"c{i}" for i in np.arange(n) % categories]})


def plan(way="k_first", t=0.3):
    attributes = {
        "x": {"role": "quasi_identifier", "kind": "numeric"},
        "c": {"role": "confidential", "kind": "nominal"},
    }
    return Plan(k=3, attributes=attributes, closeness={"t": t, "method": way})


def said(frame, chosen, caplog):
    with caplog.at_level(logging.INFO, logger="shoal"):
        shoal.anonymize(frame, chosen)
    return [record.getMessage() for record in caplog.records if "seconds" in record.getMessage()]


def test_swaps_in_vain_are_said_before_with_an_estimate(caplog, monkeypatch):
    monkeypatch.setattr(preflight, "_SECONDS", 1e-2)
    (sentence,) = said(table(100), plan(), caplog)
    assert sentence.startswith("no 3 records are within t on 'c', so that")
    assert "about 17 seconds" in sentence


@pytest.mark.parametrize(
    ("categories", "chosen"), [(3, plan(t=0.5)), (100, plan("merge"))], ids=["t within reach", "another way"]
)
def test_nothing_is_said_where_swaps_reach_t_or_there_are_none(categories, chosen, caplog, monkeypatch):
    monkeypatch.setattr(preflight, "_SECONDS", 1e-2)
    assert said(table(categories), chosen, caplog) == []


def test_nothing_is_said_of_a_small_table(caplog):
    assert said(table(100), plan(), caplog) == []
