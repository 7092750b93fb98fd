"""A group exactly at t is t-close, in a stream as in a table: both compare whole numbers."""

from __future__ import annotations

import numpy as np
import pytest

from reference import emd
from shoal.exact import exact
from shoal.protect import Closeness, Confidential
from shoal.stream.engine import ClosenessSetting, ContinuousSetting, StreamEngine, StreamSettings

SEEDS = range(60)


def make_arrays(seed, *, nominal):
    random = np.random.default_rng(seed)
    n = int(random.integers(12, 40))
    return random.random((n, 1)), random.integers(0, 4 if nominal else 7, (n, 1)).astype(float)


def first_group(cells, hidden, t, *, nominal):
    """Return the members of the group of the first tuple, or none when it was dropped."""
    settings = StreamSettings(
        k=3,
        max_delay=len(cells) - 1,
        coords=(ContinuousSetting(),),
        confidential=(ClosenessSetting(t=t, nominal=nominal),),
    )
    out = StreamEngine(settings).push_many(cells, confidential=hidden)
    return out.positions.tolist()


def table_says(hidden, group, t, *, nominal):
    attribute = (Confidential.nominal if nominal else Confidential.ordered)(hidden)
    labels = np.ones(len(hidden), dtype=np.int64)
    labels[group] = 0
    return bool(Closeness(attribute, t).kernel.judge(labels, 2)[1][0])


def in_doubles(hidden, group, *, nominal):
    """The distance as plain doubles add it up."""
    whole, counts = np.unique(hidden, return_counts=True)
    inside = (hidden[group][:, None] == whole).sum(axis=0)
    if nominal:
        return float(np.cumsum(np.abs(inside / len(group) - counts / len(hidden)))[-1]) / 2
    gaps = np.abs(np.cumsum(inside) / len(group) - np.cumsum(counts) / len(hidden))
    return float(np.cumsum(gaps)[-1]) / (len(whole) - 1)


@pytest.mark.parametrize("nominal", [False, True])
def test_a_group_exactly_at_t_is_close_on_both_sides(nominal):
    tried = misjudged = 0
    for seed in SEEDS:
        cells, hidden = make_arrays(seed, nominal=nominal)
        group = first_group(cells, hidden, 1.0, nominal=nominal)
        distance = (emd.equal if nominal else emd.ordered)(hidden[group, 0].tolist(), hidden[:, 0].tolist())
        t = float(distance)
        if not 0 < distance < 1 or exact(t) != distance:
            continue
        tried += 1
        misjudged += in_doubles(hidden[:, 0], group, nominal=nominal) > t
        assert first_group(cells, hidden, t, nominal=nominal) == group
        assert table_says(hidden[:, 0], group, t, nominal=nominal)
        below = t - 1e-6
        assert first_group(cells, hidden, below, nominal=nominal) != group
        assert not table_says(hidden[:, 0], group, below, nominal=nominal)
    assert tried > 20
    assert misjudged > 0, "or doubles would have done"


@pytest.mark.parametrize("nominal", [False, True])
@pytest.mark.parametrize("t", [0.1, 0.2, 0.25, 1 / 3])
def test_a_table_agrees_with_every_group_that_a_stream_releases(t, nominal):
    for seed in SEEDS:
        cells, hidden = make_arrays(seed, nominal=nominal)
        group = first_group(cells, hidden, t, nominal=nominal)
        if group:
            assert table_says(hidden[:, 0], group, t, nominal=nominal)
