"""What a stream promises, on random streams and arbitrary cuts.

Domingo-Ferrer and Soria-Comas 2017, Definitions 4 and 5.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.stream import SlowBins, SlowCategories
from shoal.errors import DataError
from shoal.exact import exact
from shoal.stream.engine import StreamEngine
from stream.engine.streams import groups_of, make_stream, streams

LONG = streams(most=400)


@settings(max_examples=100)
@given(stream=LONG)
def test_every_tuple_is_released_once_or_dropped_once(stream):
    parts = stream.run()
    settled = [int(p) for part in parts for p in (*part.positions, *part.dropped)]
    assert sorted(settled) == list(range(len(stream)))


@settings(max_examples=100)
@given(stream=LONG)
def test_every_class_has_k_distinct_subjects(stream):
    classes = defaultdict(set)
    values = {}
    for group in groups_of(stream.run()):
        classes[group["class"]] |= {stream.subject(p) for p in group["positions"]}
        value = str([group["coords"], group["ranks"], group["modes"]])
        assert values.setdefault(group["class"], value) == value
    assert all(len(subjects) >= stream.settings.k for subjects in classes.values())


@settings(max_examples=100)
@given(stream=LONG)
def test_no_tuple_waits_longer_than_the_delay(stream):
    for group in groups_of(stream.run()):
        assert all(0 <= group["at"] - p <= stream.settings.max_delay for p in group["positions"])
        assert len(set(group["positions"])) == len(group["positions"])


@settings(max_examples=100)
@given(stream=LONG, data=st.data())
def test_batches_cut_anywhere_give_what_single_pushes_give(stream, data):
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=8))
    engine = StreamEngine(stream.settings)
    single = []
    for i in range(len(stream)):
        subject = 0 if stream.subjects is None else int(stream.subjects[i])
        out = engine.push(stream.cells[i].tolist(), subject=subject, confidential=stream.confidential[i].tolist())
        if out is not None:
            single.append(out)
    single.append(engine.flush())
    batches = stream.run(cuts)
    np.testing.assert_equal(groups_of(batches), groups_of(single))
    assert [p for part in batches for p in part.dropped] == [p for part in single for p in part.dropped]


@settings(max_examples=100)
@given(stream=LONG, data=st.data())
def test_saving_and_restoring_anywhere_changes_nothing(stream, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), min_size=1, max_size=4)))
    engine = StreamEngine(stream.settings)
    parts = []
    for begin, end in pairwise([0, *cuts, len(stream)]):
        parts.append(engine.push_many(**stream.part(begin, end)))
        engine = StreamEngine.restored(stream.settings, engine.save())
    parts.append(engine.flush())
    np.testing.assert_equal(groups_of(parts), groups_of(stream.run()))


@settings(max_examples=100)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(0, 300),
    k=st.integers(2, 9),
    extra=st.integers(0, 40),
    kinds=st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)).filter(any),
    sweeps=st.integers(0, 3),
    bounds=st.sampled_from(["running", "given"]),
    grid=st.sampled_from([0, 2]),
)
def test_a_heavy_position_forbids_reordering(seed, n, k, extra, kinds, sweeps, bounds, grid):
    """Proposition 2, also for weighted and mixed attributes: groups are runs, and leave one after the other."""
    options = {"n": n, "k": k, "max_delay": k - 1 + extra, "kinds": kinds, "sweeps": sweeps}
    options |= {"bounds": bounds, "grid": grid}
    bound = make_stream(seed, **options).settings.no_reordering
    stream = make_stream(seed, **options, position_weight=bound * (1 + 1e-9))
    released = [p for group in groups_of(stream.run()) for p in sorted(group["positions"])]
    assert released == list(range(len(released)))


@settings(max_examples=100)
@given(stream=streams(most=200, closeness=False))
def test_the_end_drops_only_what_has_too_few_subjects(stream):
    engine = StreamEngine(stream.settings)
    before = engine.push_many(**stream.part(0, len(stream)))
    settled = {int(p) for p in (*before.positions, *before.dropped)}
    waiting = {stream.subject(p) for p in range(len(stream)) if p not in settled}
    dropped = len(engine.flush().dropped)
    assert (dropped == 0) == (len(waiting) == 0 or len(waiting) >= stream.settings.k)


@settings(max_examples=100)
@given(stream=streams(most=250).filter(lambda stream: stream.settings.confidential))
def test_every_class_is_close_to_the_stream_when_it_grows(stream):
    classes = defaultdict(list)
    seen = 0
    running = [(SlowCategories if hidden.nominal else SlowBins)() for hidden in stream.settings.confidential]
    for group in groups_of(stream.run()):
        for row in stream.confidential[seen : group["at"] + 1]:
            for distribution, value in zip(running, row, strict=True):
                distribution.add(value)
        seen = group["at"] + 1
        members = classes[group["class"]]
        members += group["positions"]
        for c, distribution in enumerate(running):
            assert distribution.distance(stream.confidential[members, c]) <= exact(stream.settings.confidential[c].t)


@settings(max_examples=60)
@given(stream=LONG)
def test_the_tally_adds_up(stream):
    engine = StreamEngine(stream.settings)
    parts = [engine.push_many(**stream.part(0, len(stream)))]
    tally = engine.tally()
    assert (
        tally["arrived"]
        == len(stream)
        == tally["released"] + tally["buffered"] + sum(tally[name] for name in ("dropped_subjects", "dropped_close"))
    )
    parts.append(engine.flush())
    tally = engine.tally()
    groups = groups_of(parts)
    delays = [group["at"] - p for group in groups for p in group["positions"]]
    assert tally["buffered"] == 0
    assert tally["released"] == len(delays)
    np.testing.assert_array_equal(tally["delays"], np.bincount(delays, minlength=stream.settings.max_delay + 1))
    whole = [group["positions"] for group in groups if len(group["positions"]) > 1]
    spreads = [max(positions) - min(positions) for positions in whole]
    assert tally["total_spread"] == sum(spreads)
    assert tally["largest_spread"] == max(spreads, default=0)
    assert tally["groups"] == len(whole)
    assert tally["joined"] == len(groups) - len(whole)


def test_errors_are_measured_on_the_unit_range():
    stream = make_stream(0, n=300, k=4, max_delay=30, kinds=(2, 1, 1))
    stream.cells[0, :2], stream.cells[1, :2] = -5.0, 5.0  # the running bounds stand from the second tuple on
    engine = StreamEngine(stream.settings)
    groups = groups_of([engine.push_many(**stream.part(0, 300)), engine.flush()])
    squares = []
    for group in groups:
        for p in group["positions"]:
            differences = [
                *((stream.cells[p, :2] - group["coords"]) / 10),
                (stream.cells[p, 2] - group["ranks"][0]) / stream.settings.ranks[0].levels,
                float(stream.cells[p, 3] != stream.cells[group["modes"][0], 3]),
            ]
            squares.append(float(np.square(differences).sum()))
    tally = engine.tally()
    assert tally["squared_error"] == pytest.approx(sum(squares))
    assert tally["absolute_error"] == pytest.approx(np.sqrt(squares).sum())


def test_a_state_that_was_cut_short_is_refused():
    stream = make_stream(0, n=50, k=3, max_delay=20)
    engine = StreamEngine(stream.settings)
    engine.push_many(**stream.part(0, 50))
    state = engine.save()
    for broken in (state[:-1], state[: len(state) // 2], b"", state + b"\0"):
        with pytest.raises(DataError, match="cannot be restored"):
            StreamEngine.restored(stream.settings, broken)
