"""Measures of a stream, against the definition and against what the engine counted itself."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.measures import Pair
from shoal.measures.stream import measure_stream
from shoal.stream.engine import ContinuousSetting, StreamEngine, StreamSettings


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 50), st.integers(0, 9)), min_size=1, max_size=40))
def test_scores_follow_their_definitions(tuples):
    numbers = {label: number for number, label in enumerate(sorted({label for label, _, _ in tuples}))}
    labels = [numbers[label] for label, _, _ in tuples]
    positions = [position for _, position, _ in tuples]
    delays = [delay for _, _, delay in tuples]
    left_at = [position + delay for position, delay in zip(positions, delays, strict=True)]
    members = [[p for p, label in zip(positions, labels, strict=True) if label == g] for g in range(len(numbers))]
    spans = [max(group) - min(group) for group in members]
    values = np.arange(float(len(tuples)))
    scores = measure_stream(Pair.of(values, values[::-1]), labels, positions, left_at)
    assert scores["position_difference_max"].value == max(spans)
    assert scores["position_difference_avg"].value == pytest.approx(statistics.fmean(spans))
    assert scores["position_difference_avg"].groups["difference"].tolist() == spans
    excess = [span - len(group) + 1 for span, group in zip(spans, members, strict=True)]
    assert scores["position_difference_max"].parts["reordering"] == max(excess)
    assert scores["delay_max"].value == max(delays)
    assert scores["delay_avg"].value == pytest.approx(statistics.fmean(delays))
    for share in (0.5, 0.9, 0.99):
        enough = [d for d in range(10) if sum(delay <= d for delay in delays) >= share * len(delays)]
        assert scores["delay_avg"].parts[f"quantile {share}"] == enough[0]


def run(position_weight, n=400, k=4, max_delay=30):
    cells = np.random.default_rng(0).random((n, 2))
    axis = ContinuousSetting(bounds=(0.0, 1.0))
    engine = StreamEngine(
        StreamSettings(k=k, max_delay=max_delay, position_weight=position_weight, coords=(axis, axis))
    )
    parts = [engine.push_many(cells), engine.flush()]
    positions = np.concatenate([part.positions for part in parts])
    sizes = np.concatenate([part.sizes for part in parts])
    labels = np.repeat(np.arange(len(sizes)), sizes)
    left_at = np.repeat(np.concatenate([part.at for part in parts]), sizes)
    coords = np.concatenate([part.coords for part in parts])
    return engine.tally(), measure_stream(Pair.of(cells[positions], coords[labels]), labels, positions, left_at)


def test_what_the_engine_counted_is_what_its_output_shows():
    tally, scores = run(0.01)
    assert scores["position_difference_max"].value == tally["largest_spread"]
    assert scores["position_difference_avg"].value * tally["groups"] == pytest.approx(tally["total_spread"])
    assert scores["delay_max"].value == np.flatnonzero(tally["delays"])[-1]
    # The engine scales by the bounds it was given, the measure by the smallest and greatest value that came.
    assert scores["mse"].value == pytest.approx(tally["squared_error"] / tally["released"], rel=0.05)
    assert scores["mae"].value == pytest.approx(tally["absolute_error"] / tally["released"], rel=0.05)


def test_a_heavier_position_reorders_less_and_loses_more():
    light, heavy = run(0.0)[1], run(0.5)[1]
    assert heavy["position_difference_avg"].value < light["position_difference_avg"].value
    assert heavy["position_difference_max"].value < light["position_difference_max"].value
    assert heavy["mse"].value > light["mse"].value
    assert heavy["mae"].value > light["mae"].value


def test_a_longer_delay_is_seen():
    assert run(0.01, max_delay=60)[1]["delay_max"].value > run(0.01, max_delay=10)[1]["delay_max"].value


@pytest.mark.parametrize(
    ("labels", "positions", "left_at", "message"),
    [
        ([0], [5], [4], "left_at must not be before"),
        ([0, 0], [1], [2, 2], "there are 1 for 2 tuples"),
        ([-1], [1], [1], "from 0"),
        ([0.5], [1], [1], "labels must be one whole number"),
        ([0], [], [], "at least one tuple"),
    ],
)
def test_what_makes_no_sense_is_refused(labels, positions, left_at, message):
    values = np.arange(float(len(labels)))
    with pytest.raises(DataError, match=message):
        measure_stream(Pair.of(values, values), labels, positions, left_at)
