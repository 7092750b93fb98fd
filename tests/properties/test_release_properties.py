"""What holds for every table: cover, k, means, invariance to row order and scale."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import Plan


@st.composite
def tables(draw):
    n = draw(st.integers(2, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    coarse = draw(st.booleans())  # coarse values bring ties and duplicates
    numbers = rng.integers(-4, 5, n).astype(float) if coarse else rng.normal(size=n) * 10 ** rng.uniform(-3, 6)
    frame = pl.DataFrame(
        {
            "number": numbers + draw(st.sampled_from([0.0, 1e9])),
            "whole": rng.integers(0, 5, n),
            "grade": rng.choice(["a", "b", "c", "d"], n),
            "town": rng.choice(["x", "y", "z"], n),
        }
    )
    return frame, draw(st.integers(2, min(n, 9)))


def plan(k, **changes):
    return Plan(
        k=k,
        attributes={
            "number": {"role": "quasi_identifier", "kind": "numeric"},
            "whole": {"role": "quasi_identifier", "kind": "numeric"},
            "grade": {"role": "quasi_identifier", "kind": "ordinal", "order": ["a", "b", "c", "d"]},
            "town": {"role": "quasi_identifier", "kind": "nominal"},
        },
        **changes,
    )


@given(tables())
@settings(max_examples=100, deadline=None)
def test_cover_k_and_means(case):
    frame, k = case
    release = shoal.anonymize(frame, plan(k))
    assert len(release.data) == len(frame)
    assert release.data.group_by(pl.all()).len()["len"].min() >= k
    assert np.bincount(release.labels).min() >= k
    for name in ("number", "whole"):
        spread = max(1e-300, float(frame[name].cast(pl.Float64).abs().max()))
        assert release.data[name].mean() == pytest.approx(frame[name].mean(), rel=1e-12, abs=1e-12 * spread)


@given(tables(), st.integers(-8, 8))
@settings(max_examples=60, deadline=None)
def test_scaling_a_column_by_a_power_of_two_changes_nothing(case, power):
    frame, k = case
    scaled = frame.with_columns(pl.col("number") * 2.0**power)
    assert np.array_equal(shoal.anonymize(frame, plan(k)).labels, shoal.anonymize(scaled, plan(k)).labels)


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6))
@settings(max_examples=60, deadline=None)
def test_scaling_a_column_changes_nothing_without_ties(seed, factor):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(rng.normal(size=(50, 2)), schema=["a", "b"])
    both = Plan(k=4, attributes={name: {"role": "quasi_identifier", "kind": "numeric"} for name in "ab"})
    scaled = frame.with_columns(pl.col("a") * factor)
    assert np.array_equal(shoal.anonymize(frame, both).labels, shoal.anonymize(scaled, both).labels)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_permuting_rows_permutes_groups(seed):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(rng.normal(size=(50, 3)), schema=["a", "b", "c"])
    both = Plan(k=4, attributes={name: {"role": "quasi_identifier", "kind": "numeric"} for name in "abc"})
    order = rng.permutation(len(frame))
    straight = shoal.anonymize(frame, both).labels[order]
    shuffled = shoal.anonymize(frame[order.tolist()], both).labels
    assert np.array_equal(straight[:, None] == straight, shuffled[:, None] == shuffled)
