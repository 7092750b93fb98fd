"""Blocks: attributes that are partitioned together, and the partitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.partitioners import blocked, blocks, mdav, projected
from shoal.points import Points


def test_correlated_blocks_hold_a_theme_each():
    table = np.repeat(np.random.default_rng(0).standard_normal((300, 3)), 3, axis=1)
    table *= np.tile([1, -2, 3], 3)
    table += 0.1 * np.random.default_rng(1).standard_normal(table.shape)
    assert blocks(table, "correlated", size=3) == ((0, 1, 2), (3, 4, 5), (6, 7, 8))


def test_spread_blocks_hold_one_of_each_theme():
    table = np.repeat(np.random.default_rng(0).standard_normal((300, 3)), 3, axis=1)
    table += 0.1 * np.random.default_rng(1).standard_normal(table.shape)
    assert blocks(table, "spread", size=3) == ((0, 3, 6), (1, 4, 7), (2, 5, 8))


def test_the_strongest_pair_starts_the_first_block():
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((2, 500))
    noise = rng.standard_normal((3, 500))
    table = np.column_stack([a, a + noise[0], b, b + 0.01 * noise[1], a + 2 * noise[2]])
    assert blocks(table[:, :4], "correlated", count=2) == ((0, 1), (2, 3))
    third = int(np.argmax(np.abs(np.corrcoef(table.T)[[0, 1, 4]])[:, [2, 3]].sum(axis=1)))
    joined = (0, 1, 4)[third]  # (2, 3) is the strongest pair, and the larger block is filled first
    rest = tuple(attribute for attribute in (0, 1, 4) if attribute != joined)
    assert blocks(table, "correlated", count=2) == tuple(sorted([tuple(sorted((2, 3, joined))), rest]))


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    d=st.integers(1, 14),
    count=st.integers(1, 14),
    how=st.sampled_from(["correlated", "spread"]),
)
def test_every_attribute_is_in_one_block_of_even_size(seed, d, count, how):
    count = min(count, d)
    made = blocks(np.random.default_rng(seed).standard_normal((20, d)), how, count=count)
    assert sorted(attribute for block in made for attribute in block) == list(range(d))
    sizes = [len(block) for block in made]
    assert len(sizes) == count
    assert max(sizes) - min(sizes) <= 1


def test_size_is_the_most_a_block_may_hold():
    table = np.random.default_rng(3).standard_normal((20, 13))
    assert sorted(len(block) for block in blocks(table, "correlated", size=3)) == [2, 2, 3, 3, 3]
    assert len(blocks(table, "spread", size=13)) == 1


def test_constant_and_nominal_attributes_are_correlated_with_none():
    rng = np.random.default_rng(4)
    a = rng.standard_normal(50)
    points = Points.build(
        coords=np.column_stack([a, np.full(50, 2.0), -a]),
        codes=rng.integers(0, 3, (50, 1)),
        code_weights=[1.0],
        code_levels=[3],
    )
    assert blocks(points, "correlated", size=2) == ((0, 2), (1, 3))


def test_given_blocks_are_checked():
    table = np.zeros((5, 3))
    assert blocks(table, [[2, 0], [1]]) == ((2, 0), (1,))
    for wrong in ([[0, 1]], [[0, 1], [1, 2]], [[0, 1, 2], []], [[0, 1, 3]]):
        with pytest.raises(PlanError, match="each of the 3 attributes"):
            blocks(table, wrong)
    with pytest.raises(PlanError, match="do not apply"):
        blocks(table, [[0, 1, 2]], size=3)


def test_refusals():
    table = np.zeros((5, 3))
    with pytest.raises(PlanError, match="correlated, spread or lists of attributes, not 'random'"):
        blocks(table, "random", size=2)
    with pytest.raises(PlanError, match="either size"):
        blocks(table, "spread")
    with pytest.raises(PlanError, match="either size"):
        blocks(table, "spread", size=1, count=3)
    with pytest.raises(PlanError, match=r"size must be from 1 to .* 3, not 4"):
        blocks(table, "spread", size=4)
    with pytest.raises(PlanError, match=r"count must be from 1 to .* 3, not 0"):
        blocks(table, "spread", count=0)


def test_each_block_is_partitioned_by_itself():
    table = np.random.default_rng(5).standard_normal((200, 5))
    labels = blocked(table, 4, blocks=[[0, 3], [1, 2, 4]])
    np.testing.assert_array_equal(labels[:, 0], mdav(table[:, [0, 3]], 4))
    np.testing.assert_array_equal(labels[:, 1], mdav(table[:, [1, 2, 4]], 4))


def test_the_partitioner_and_its_options_are_used():
    table = np.random.default_rng(6).standard_normal((200, 4)) * [1, 2, 4, 8]
    made = blocks(table, "correlated", count=2)
    labels = blocked(table, 4, blocks="correlated", count=2, partition=projected, axis="zscores")
    for column, block in zip(labels.T, made, strict=True):
        np.testing.assert_array_equal(column, projected(table[:, block], 4, axis="zscores"))


def test_blocks_of_mixed_attributes():
    rng = np.random.default_rng(7)
    points = Points.build(
        coords=rng.standard_normal((60, 2)),
        ranks=rng.integers(0, 4, (60, 1)),
        rank_steps=[0.25],
        rank_levels=[4],
        rank_convex=[True],
        codes=rng.integers(0, 3, (60, 2)),
        code_weights=[1.0, 2.0],
        code_levels=[3, 3],
    )
    labels = blocked(points, 3, blocks=[[1, 2, 4], [0, 3]])
    chosen = Points.build(
        coords=points.coords[:, 1:],
        ranks=points.ranks,
        rank_steps=[0.25],
        rank_levels=[4],
        rank_convex=[True],
        codes=points.codes[:, 1:],
        code_weights=[2.0],
        code_levels=[3],
    )
    np.testing.assert_array_equal(labels[:, 0], mdav(chosen, 3))


def test_progress_adds_up_over_blocks():
    calls = []
    blocked(
        np.random.default_rng(8).standard_normal((500, 6)),
        3,
        blocks="spread",
        size=2,
        progress=lambda *c: calls.append(c),
    )
    assert calls[-1] == (1500, 1500)
