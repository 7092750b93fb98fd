"""The stream engine gives the twin's groups, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from reference.stream import SlowStream
from shoal.errors import DataError, PlanError
from shoal.stream.engine import (
    REASONS,
    ClosenessSetting,
    ContinuousSetting,
    OrdinalSetting,
    StreamEngine,
    StreamSettings,
)
from stream.engine.streams import Stream, groups_of, make_stream, streams


def assert_equals_twin(stream: Stream) -> None:
    slow = SlowStream(stream.settings)
    for i in range(len(stream)):
        slow.push(stream.cells[i], 0 if stream.subjects is None else stream.subjects[i], stream.confidential[i])
    slow.flush()
    for leaf in (0, 8):  # a leaf that holds a few tuples makes a deep tree of a small buffer
        parts = stream.run(leaf=leaf)
        np.testing.assert_equal(groups_of(parts), slow.released)
        dropped = [(int(p), REASONS[r]) for part in parts for p, r in zip(part.dropped, part.reasons, strict=True)]
        assert dropped == slow.dropped


@settings(max_examples=200)
@given(stream=streams())
def test_groups_are_the_twins(stream):
    assert_equals_twin(stream)


# Buffers beyond the size of a scan: the tree splits, merges, rebuilds and answers as a scan does.
@pytest.mark.parametrize(
    "options",
    [
        {"kinds": (2, 0, 0)},
        {"kinds": (2, 0, 0), "grid": 2},
        {"kinds": (1, 1, 1), "grid": 3, "position_weight": 0.0},
        {"kinds": (0, 0, 2), "position_weight": 0.0},
        {"kinds": (2, 0, 0), "people": 8, "position_weight": 0.001},
        {"kinds": (2, 0, 1), "sweeps": 2, "k": 4},
        {"kinds": (2, 0, 0), "sweeps": 1, "k": 4, "people": 30},
        {"kinds": (1, 1, 1), "sweeps": 3, "k": 5, "people": 12, "grid": 3},
        {"kinds": (2, 0, 0), "sweeps": 0, "t": 0.12, "confidential": ("ordered",)},
    ],
)
def test_large_buffers_give_the_twins_groups(options):
    assert_equals_twin(make_stream(7, **{"n": 480, "k": 6, "max_delay": 400, "sweeps": 0, **options}))


# The first sweep puts tuple 9, of a sixth subject, in the place of 5, whose subject stays. Now that more than k
# subjects are in, the second may put the nearer 13, which brings none, in the place of 18, alone of its subject.
def test_swaps_may_give_up_a_subject_beyond_k():
    ranks = [1, 3, 4, 3, 0, 2, 1, 0, 1, 0, 4, 1, 4, 0, 2, 2, 3, 4, 1]
    subjects = [5, 4, 5, 1, 4, 5, 1, 0, 1, 2, 5, 5, 2, 1, 1, 5, 5, 4, 3]
    settings = StreamSettings(k=5, max_delay=18, sweeps=2, subjects=True, ranks=(OrdinalSetting(levels=5, weight=1.5),))
    stream = Stream(settings, np.array(ranks, dtype=float)[:, None], np.array(subjects), np.empty((19, 0)))
    assert sorted(stream.run()[0].positions.tolist()) == [0, 4, 6, 7, 8, 9, 11, 13]
    assert_equals_twin(stream)


@pytest.mark.parametrize("order", [1, -1])
def test_sorted_streams_give_the_twins_groups(order):
    stream = make_stream(3, n=480, k=6, max_delay=400, kinds=(2, 0, 0), sweeps=0)
    stream.cells[:] = stream.cells[np.argsort(order * stream.cells[:, 0])]
    assert_equals_twin(stream)


@pytest.mark.parametrize("order", ["random", "sorted", "reversed", "few", "one"])
def test_trees_of_every_shape_give_the_groups_of_a_scan(order):
    """Long enough for leaves to split and merge, and for lopsided trees to be rebuilt."""
    stream = make_stream(2, n=9000, k=3, max_delay=2500, kinds=(2, 0, 1), position_weight=0.0001)
    if order == "sorted":
        stream.cells[:] = stream.cells[np.argsort(stream.cells[:, 0])]
    elif order == "reversed":
        stream.cells[:] = stream.cells[np.argsort(-stream.cells[:, 0])]
    elif order == "few":
        stream.cells[:, :2] = np.round(stream.cells[:, :2])
    elif order == "one":
        stream.cells[:] = 1.0
    scan = stream.run(leaf=2501)
    for leaf in (0, 8, 32):
        for part, expected in zip(stream.run(leaf=leaf), scan, strict=True):
            np.testing.assert_equal(part._asdict(), expected._asdict())


def test_more_distinct_values_than_bins_give_the_twins_groups():
    stream = make_stream(5, n=1100, k=2, max_delay=4, kinds=(1, 0, 0), t=0.3, confidential=("ordered", "nominal"))
    stream.confidential[:] = np.random.default_rng(1).permutation(2200).reshape(1100, 2)
    assert_equals_twin(stream)


@pytest.mark.parametrize("kind", ["ordered", "nominal"])
@pytest.mark.parametrize("t", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("on_unclose", ["drop", "merge"])
def test_a_stream_whose_values_moved_away_gives_the_twins_groups(kind, t, on_unclose):
    # What is buffered has none of the values that the stream began with: soon no group of it can be close.
    options = {"kinds": (1, 0, 0), "t": t, "confidential": (kind,), "on_unclose": on_unclose}
    stream = make_stream(8, n=160, k=2, max_delay=12, **options)
    stream.confidential[:, 0] = np.arange(160) // 16 + np.random.default_rng(2).integers(0, 3, 160)
    assert_equals_twin(stream)


def test_a_t_too_fine_for_the_delay_gives_the_twins_groups():
    stream = make_stream(9, n=150, k=3, max_delay=25, kinds=(2, 0, 0), t=0.005, confidential=("ordered", "nominal"))
    stream.confidential[:] = np.random.default_rng(3).permutation(300).reshape(150, 2)
    assert_equals_twin(stream)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k": 1}, "k must be at least 2"),
        ({"max_delay": 1}, "max_delay is 1 but k is 3"),
        ({"position_weight": -1.0}, "position_weight"),
        ({"sweeps": -1}, "sweeps"),
        ({"coords": ()}, "at least one quasi-identifier"),
        ({"on_unclose": "merge"}, "changes nothing without"),
    ],
)
def test_wrong_settings_are_refused(wrong, message):
    with pytest.raises(PlanError, match=message):
        StreamSettings(**{"k": 3, "coords": (ContinuousSetting(),), **wrong})


@pytest.mark.parametrize(
    "make",
    [
        lambda: ContinuousSetting(weight=0),
        lambda: ContinuousSetting(bounds=(1, 0)),
        lambda: OrdinalSetting(levels=0),
        lambda: ClosenessSetting(t=1.1),
    ],
)
def test_wrong_axes_are_refused(make):
    with pytest.raises(PlanError, match=r"weight|bounds|level|t must"):
        make()


@pytest.mark.parametrize(
    ("cells", "more", "message"),
    [
        ([[1.0, 2.0]], {}, "columns"),
        ([[np.inf, 0.0, 0.0]], {}, "finite"),
        ([[np.nan, 0.0, 0.0]], {}, "missing"),
        ([[0.0, 3.0, 0.0]], {}, "whole numbers from 0 to 2"),
        ([[0.0, 0.5, 0.0]], {}, "whole numbers from 0 to 2"),
        ([[0.0, 0.0, 0.0]], {"subjects": [1]}, "subjects"),
        ([[0.0, 0.0, 0.0]], {"confidential": [[1.0]]}, "confidential"),
    ],
)
def test_wrong_arrays_are_refused(cells, more, message):
    settings = StreamSettings(k=2, coords=(ContinuousSetting(),), ranks=(OrdinalSetting(levels=3),) * 2)
    with pytest.raises(DataError, match=message):
        StreamEngine(settings).push_many(cells, **more)
