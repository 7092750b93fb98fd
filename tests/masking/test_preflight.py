"""What a run says before it begins: what will take long."""

from __future__ import annotations

import logging

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import Plan
from shoal.frames import Table
from shoal.masking import preflight
from shoal.masking.inputs import read_inputs
from shoal.masking.preflight import seconds_to_group


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
    assert said(*wide(), caplog) == []


def wide(**choices):
    """Return a table of eight numbers, larger than the samples by which times are foretold, and a plan."""
    names = [f"x{i}" for i in range(8)]
    values = np.random.default_rng(0).normal(size=(20_000, 8))
    attributes = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in names}
    attributes["ward"] = {"role": "other"}
    frame = pl.DataFrame(dict(zip(names, values.T, strict=True)) | {"ward": np.arange(20_000) % 4})
    return frame, Plan(k=50, attributes=attributes, **choices)


def test_searches_that_take_long_are_said_before_with_an_estimate(caplog, monkeypatch):
    monkeypatch.setattr(preflight, "_RECORDS", 20_000)
    assert said(*wide(), caplog) == []  # they do not
    monkeypatch.setattr(preflight, "_WORTH_SAYING", 1e-6)
    (sentence,) = said(*wide(), caplog)
    assert sentence.startswith(
        "mdav looks at most of 20,000 records for each group, as they are compared in 8 attributes"
    )
    assert "seconds for the groups, or let by divide the table" in sentence
    caplog.clear()
    assert said(*wide(by="ward"), caplog) == []
    assert said(*wide(method="projected"), caplog) == []


@pytest.mark.parametrize(
    ("taken", "k", "estimate"),
    [
        ([0.01, 0.04, 0.64], 50, 0.64 * (20_000 / 16_384) ** 2),
        ([0.02, 0.2], 50, 0.2 * (20_000 / 4_096) ** (np.log(10) / np.log(4))),  # long enough: no third sample
        ([0.5], 50, 0.5 * 20_000 / 1_024),
        ([0.0, 0.0, 0.0], 50, 0.0),  # a clock that saw nothing
        ([0.02], 4_500, 0.02 * 20_000 / 18_000),  # samples have room for several groups
        ([0.02], 20_000, 0.02),
    ],
)
def test_the_estimate_is_of_the_size_of_the_time_itself(taken, k, estimate, monkeypatch):
    """As times are never asserted, by a method whose time is made to be known."""
    now = iter(time for seconds in taken for time in (0.0, seconds))
    monkeypatch.setattr("shoal.masking.preflight.time.thread_time", lambda: next(now))
    frame, chosen = wide()
    inputs = read_inputs(Table.of(frame), chosen)
    assert seconds_to_group(inputs, chosen.replace(k=k)) == pytest.approx(estimate)
    assert list(now) == []
