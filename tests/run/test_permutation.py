"""A release by permutation: what moves, and that it cannot be moved back."""

import numpy as np
import polars as pl

import shoal
from people import ATTRIBUTES, PAY, K, people, plan


def test_permuting_keeps_quasi_identifiers_and_moves_whole_confidential_records():
    frame = people().with_columns(pay2=pl.col("pay") * 2)
    both = {**ATTRIBUTES, "pay2": PAY}
    release = shoal.anonymize(frame, plan(release="permute", attributes=both))
    assert release.data.select("age", "county", "admitted").equals(frame.select("age", "county", "admitted"))
    assert not release.data["pay"].equals(frame["pay"])
    assert (release.data["pay2"] == release.data["pay"] * 2).all()
    for group in np.unique(release.labels):
        rows = np.flatnonzero(release.labels == group).tolist()
        assert sorted(release.data["pay"][rows]) == sorted(frame["pay"][rows])
    guarantee = release.guarantees["probabilistic_k_anonymity"]
    assert guarantee.achieved >= K
    assert guarantee.holds


def test_who_knows_the_plan_and_the_release_cannot_shuffle_back():
    from shoal.aggregate.permute import permute_within

    frame, both = people(), plan(release="permute", seed=3)
    release = shoal.anonymize(frame, both)
    # The groups follow from the quasi-identifiers, which are released; the seed is in the plan.
    source = permute_within(release.labels, both.seed)
    undone = np.empty(len(frame))
    undone[source] = release.data["pay"].to_numpy()
    assert (undone == frame["pay"].to_numpy()).mean() < 0.5
    # The permutation hangs on all of the original, also on what is not released.
    renamed = frame.with_columns(pl.col("name").str.to_uppercase())
    assert not shoal.anonymize(renamed, both).data["pay"].equals(release.data["pay"])


def test_the_seed_changes_the_permutation():
    first, second = (shoal.anonymize(people(), plan(release="permute", seed=s)).data for s in (1, 2))
    assert not first["pay"].equals(second["pay"])
