"""Attacks that a report tries: each is told, or why it was not tried."""

import polars as pl

import shoal
from shoal.report.attempts import attempts_on


def test_an_attack_that_finds_nothing_to_try_says_why():
    frame = pl.DataFrame({"age": [40.0] * 60, "pay": [float(number) for number in range(60)]})
    plan = shoal.Plan(
        k=3,
        attributes={
            "age": {"role": "quasi_identifier", "kind": "numeric"},
            "pay": {"role": "confidential", "kind": "numeric"},
        },
    )
    found = attempts_on(frame, shoal.anonymize(frame, plan), plan, ["linkage", "difference"])
    assert list(found) == ["linkage"]
    assert found.skipped == {"difference": "no class has between 2 and 50 records to enumerate"}
