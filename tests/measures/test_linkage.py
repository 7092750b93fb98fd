"""Distance linkage: the kernel gives the twin's links, on every input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measures.tables import pair_and_twin, zscore
from reference import measures as reference
from shoal.measures import Pair, dld
from shoal.measures.linkage import link


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 120),
    kinds=st.lists(st.sampled_from(["numeric", "ordinal", "nominal"]), min_size=1, max_size=5),
)
def test_ties_and_duplicates(seed, n, kinds):
    pair, columns, _ = pair_and_twin(np.random.default_rng(seed), n, kinds, few=True)
    assert dld(pair).value == pytest.approx(reference.dld(columns, zscore), abs=1e-9)


@pytest.mark.parametrize("d", [1, 2, 7, 16, 17, 40])
def test_any_number_of_columns(d):
    rng = np.random.default_rng(d)
    pair, columns, _ = pair_and_twin(rng, 90, ("numeric",) * d)
    assert dld(pair).value == pytest.approx(reference.dld(columns, zscore), abs=1e-9)


def test_links_through_many_leaves_equal_a_scan():
    rng = np.random.default_rng(0)
    original = rng.normal(size=(3000, 3)).round(1)
    released = original + rng.normal(0, 0.1, original.shape).round(1)
    pair = Pair.of(original, released)
    linkage = link(pair)
    x, y = (np.column_stack([zscore(column) for column in table.T]) for table in (original, released))
    right = 0.0
    for i in range(len(x)):
        distances = np.zeros(len(x))
        for j in range(3):
            distances += (y[i, j] - x[:, j]) ** 2
        if distances[i] == distances.min():
            right += 1 / np.count_nonzero(distances == distances[i])
    assert linkage.percentage == pytest.approx(100 * right / len(x), abs=1e-9)
    assert linkage.expected.sum() == pytest.approx(right)


def test_every_record_of_a_constant_release_ties_with_every_other():
    nobody = Pair.of(np.zeros((50, 2)), np.ones((50, 2)))
    assert dld(nobody).value == pytest.approx(2.0)


def test_a_release_of_the_table_itself_links_all_but_equal_records():
    values = np.arange(40.0)
    assert dld(Pair.of(values, values)).value == 100.0
    assert dld(Pair.of(values // 2, values // 2)).value == 50.0


def test_a_common_offset_and_scale_change_nothing():
    rng = np.random.default_rng(4)
    x = rng.integers(0, 1000, (200, 2)).astype(float)
    y = x + rng.integers(-50, 50, x.shape)
    plain = dld(Pair.of(x, y)).value
    assert dld(Pair.of(x * 4 + 2.0**40, y * 8 - 2.0**40)).value == plain


def test_progress_is_told_and_can_stop():
    heard = []
    pair = Pair.of(np.arange(100.0), np.arange(100.0) // 2)
    dld(pair, progress=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (50, 50)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dld(Pair.of(np.arange(100.0), np.arange(100.0)), progress=stop)


def test_links_are_told_per_equivalence_class():
    values = np.array([0.0, 2.0, 8.0, 10.0])
    found = dld(Pair.of(values, [1.0, 1.0, 9.0, 9.0]))
    assert found.groups["expected_links"].tolist() == [1.0, 1.0]
    # Missing stands at the mean, 5, so that the intruder sees three classes where readers see four.
    assert "expected_links" not in dld(Pair.of(values, [np.nan, 5.0, 8.0, 10.0])).groups
