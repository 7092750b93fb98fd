import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import shoal
from reference import operators as slow
from reference.tied_modes import choose_tied
from shoal import _core
from shoal.kinds.group_values import group_draw, group_mode


@st.composite
def grouped_codes(draw):
    n = draw(st.integers(1, 60))
    levels = draw(st.integers(1, 9))
    codes = draw(hnp.arrays(np.int32, n, elements=st.integers(0, levels - 1)))
    raw = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 9)))
    return codes, np.unique(raw, return_inverse=True)[1].astype(np.int64), levels


@given(grouped_codes(), st.integers(0, 5))
def test_a_mode_is_one_of_the_most_frequent_and_a_draw_is_one_of_all(case, seed):
    codes, labels, levels = case
    count = int(labels.max()) + 1
    modes = group_mode(codes, labels, count, levels, np.random.default_rng(seed))
    drawn = group_draw(codes, labels, count, np.random.default_rng(seed))
    for group in range(count):
        assert modes[group] in slow.modes(codes[labels == group])
        assert drawn[group] in codes[labels == group]


@st.composite
def ties(draw):
    """Groups with some categories each, as the kernel takes them."""
    levels = draw(st.integers(2, 12))
    listed = draw(st.lists(st.lists(st.integers(0, levels - 1), min_size=1, max_size=5, unique=True), max_size=30))
    sizes = draw(st.lists(st.integers(1, 9), min_size=len(listed), max_size=len(listed)))
    wanted = draw(st.lists(st.integers(-20, 60), min_size=levels, max_size=levels))
    starts = np.cumsum([0, *map(len, listed)])
    categories = np.array([code for group in listed for code in group], dtype=np.int32)
    return starts.astype(np.int64), categories, np.array(sizes, dtype=np.int64), np.array(wanted, dtype=np.float64)


@given(ties())
def test_the_kernel_chooses_as_its_definition_does(case):
    assert _core.choose_tied(*case).tolist() == choose_tied(*case)


def test_a_group_without_values_does_not_disturb_the_others():
    labels = np.array([0, 2, 2])
    codes = np.array([1, 2, 2], dtype=np.int32)
    assert group_mode(codes, labels, 3, 3)[[0, 2]].tolist() == [1, 2]
    assert group_draw(codes, labels, 3)[[0, 2]].tolist() == [1, 2]


def test_groups_with_a_tie_make_good_what_the_others_took():
    # Three groups have two of one category each; the two that could take either give it to the other.
    codes = np.array([0, 0, 1] * 3 + [0, 1] * 2, dtype=np.int32)
    labels = np.repeat(np.arange(5), [3, 3, 3, 2, 2])
    assert group_mode(codes, labels, 5, 2).tolist() == [0, 0, 0, 1, 1]


def test_draws_keep_shares_in_expectation_where_modes_lose_the_rare():
    random = np.random.default_rng(3)
    codes = (random.random(50_000) < 0.1).astype(np.int32)
    labels = np.arange(50_000) // 5
    assert group_mode(codes, labels, 10_000, 2).mean() < 0.03
    assert abs(group_draw(codes, labels, 10_000, random).mean() - codes.mean()) < 0.01


ATTRIBUTES = {
    "postcode": {"role": "quasi_identifier", "kind": "nominal"},
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "stay": {"role": "quasi_identifier", "kind": "numeric"},
}


def hospital(n, seed):
    """Records of 1,000 postcodes, some of them frequent, most of them rare."""
    random = np.random.default_rng(seed)
    weights = random.gamma(1.0, 1.0, 1000)
    codes = 1000 + np.sort(random.choice(9000, 1000, replace=False))
    return pl.DataFrame(
        {
            "postcode": [str(code) for code in random.choice(codes, n, p=weights / weights.sum())],
            "age": random.integers(0, 100, n),
            "stay": random.gamma(2, 3, n).round(),
        }
    )


@pytest.mark.parametrize(("n", "seed"), [(3000, 1), (6000, 2)])
def test_no_share_of_neighbouring_postcodes_moves_by_a_tenth_of_itself(n, seed):
    frame = hospital(n, seed)
    plan = shoal.Plan(k=5, order="keep", attributes=ATTRIBUTES)
    before = frame["postcode"].to_numpy().astype(int)
    after = shoal.anonymize(frame, plan).data["postcode"].to_numpy().astype(int)
    checked = 0
    for low in range(1000, 10_000, 500):
        for high in range(low + 500, 10_500, 500):
            share, released = (((side >= low) & (side < high)).mean() for side in (before, after))
            if share > 0.05:
                checked += 1
                assert abs(released - share) <= 0.1 * share
    assert checked > 50


def test_what_is_drawn_follows_the_seed_and_labels_do_not():
    frame = hospital(600, 5)
    plan = shoal.Plan(k=5, order="keep", attributes=ATTRIBUTES)
    one, same, other = (shoal.anonymize(frame, plan.replace(seed=seed)) for seed in (1, 1, 2))
    assert one.data.equals(same.data)
    assert not one.data.equals(other.data)
    assert np.array_equal(one.labels, other.labels)
    drawing = plan.replace(attributes={**ATTRIBUTES, "postcode": {**ATTRIBUTES["postcode"], "aggregate": "draw"}})
    drawn = shoal.anonymize(frame, drawing)
    assert np.array_equal(drawn.labels, one.labels)
    assert not drawn.data.equals(one.data)
    assert drawn.guarantees.holds
