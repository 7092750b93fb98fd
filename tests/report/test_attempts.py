"""Attacks that a report tries: each is told, or why it was not tried."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.report import collect
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


@pytest.mark.parametrize("ordered", [True, False])
def test_readers_outside_do_not_see_whether_the_order_of_rows_worked(ordered):
    ages = np.random.default_rng(2).permutation(60) + 20.0
    frame = pl.DataFrame({"age": np.sort(ages) if ordered else ages})
    plan = shoal.Plan(k=3, order="keep", attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    release = shoal.anonymize(frame, plan)
    (found,) = attempts_on(frame, release, plan, ["row_order"]).values()
    assert found.allowed == (1 / 3 if ordered else None)
    told = {
        edition: collect(frame, release, plan, edition=edition, attacks=["row_order"]).summary.tried[0].allowed
        for edition in ("internal", "external")
    }
    assert told == {"internal": found.allowed, "external": None}
