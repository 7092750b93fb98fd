"""A release by permutation: what moves, and that it cannot be moved back."""

import numpy as np
import polars as pl

import shoal
from people import ATTRIBUTES, PAY, K, people, plan
from shoal.report import collect


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
    from shoal.aggregate import permute_within

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


HOMOGENEOUS = "Where the records of a group share a confidential value, it is known of all of them."


def test_it_says_what_a_group_of_equal_values_tells():
    note = shoal.anonymize(people(), plan(release="permute")).guarantees["probabilistic_k_anonymity"].note
    assert note.startswith("Quasi-identifiers are the original ones")
    assert HOMOGENEOUS in note
    diverse = plan(release="permute", diversity={"distinct": 2})  # which promises that no group is one
    assert HOMOGENEOUS not in shoal.anonymize(people(), diverse).guarantees["probabilistic_k_anonymity"].note


def unchanged(release, frame, names):
    """The groups of which every record kept its confidential values."""
    kept = (release.data.select(names) == frame.select(names)).to_numpy().all(axis=1)
    return sum(kept[release.labels == group].all() for group in np.unique(release.labels))


def test_it_says_when_a_group_came_out_unchanged():
    frame = people()
    moved = shoal.anonymize(frame, plan(release="permute", k=12))
    assert moved.manifest["groups"]["unchanged"] == unchanged(moved, frame, ["pay"]) == 0
    few = frame.with_columns(pay=pl.when(pl.col("age") < 45).then(1.0).otherwise("pay"))
    kept = shoal.anonymize(few, plan(release="permute"))
    assert kept.guarantees.holds
    assert kept.manifest["groups"]["unchanged"] == unchanged(kept, few, ["pay"]) > 0
    assert "unchanged" not in shoal.anonymize(frame, plan()).manifest["groups"]


def test_rows_that_are_shuffled_do_not_change_what_is_unchanged():
    frame = people().with_columns(pay=pl.when(pl.col("age") < 45).then(1.0).otherwise("pay"))
    kept, shuffled = (shoal.anonymize(frame, plan(release="permute", order=order)) for order in ("keep", "shuffle"))
    assert shuffled.manifest["groups"] == kept.manifest["groups"]


def test_who_signs_reads_how_many_groups_are_unchanged_and_strangers_do_not():
    frame = people().with_columns(pay=pl.when(pl.col("age") < 45).then(1.0).otherwise("pay"))
    chosen = plan(release="permute")
    release = shoal.anonymize(frame, chosen)
    inside, outside = (collect(frame, release, chosen, edition=edition) for edition in ("internal", "external"))
    count = release.manifest["groups"]["unchanged"]
    assert any(text.startswith(f"{count} of ") and "came out unchanged" in text for text in inside.cautions)
    assert "came out unchanged" not in outside.to_json()
