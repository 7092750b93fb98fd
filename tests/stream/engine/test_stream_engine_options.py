"""Every option of the engine changes what is released."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from shoal.stream.engine import (
    ClosenessSetting,
    ContinuousSetting,
    NominalSetting,
    OrdinalSetting,
    StreamEngine,
    StreamSettings,
)
from stream.engine.streams import groups_of

RANDOM = np.random.default_rng(4)
CELLS = np.column_stack(
    [RANDOM.normal(size=(200, 2)), RANDOM.integers(0, 5, size=200), RANDOM.integers(0, 3, size=200)]
).astype(float)
CELLS[:, 2] = np.minimum(CELLS[:, 2], RANDOM.integers(0, 5, size=200))  # skewed, so that median, mode and hull differ
HIDDEN = np.sort(RANDOM.integers(0, 20, size=(200, 1)), axis=0).astype(float)[RANDOM.permutation(200)]
BASE = StreamSettings(
    k=4,
    max_delay=40,
    coords=(ContinuousSetting(), ContinuousSetting()),
    ranks=(OrdinalSetting(levels=5),),
    codes=(NominalSetting(),),
)
CLOSE = replace(BASE, max_delay=9, confidential=(ClosenessSetting(t=0.1),))  # a buffer too small to be close always


def released(settings, cells=CELLS, subjects=None):
    engine = StreamEngine(settings)
    hidden = HIDDEN if settings.confidential else None
    parts = [engine.push_many(cells, subjects=subjects, confidential=hidden), engine.flush()]
    return str(groups_of(parts))


@pytest.mark.parametrize(
    "changes",
    [
        {"k": 5},
        {"max_delay": 60},
        {"position_weight": 0.0},
        {"sweeps": 0},
        {"coords": (ContinuousSetting(weight=4.0), ContinuousSetting())},
        {"coords": (ContinuousSetting(bounds=(-1.0, 1.0)), ContinuousSetting())},
        {"coords": (ContinuousSetting(operator="median"), ContinuousSetting())},
        {"ranks": (OrdinalSetting(levels=5, weight=9.0),)},
        {"ranks": (OrdinalSetting(levels=9),)},
        {"ranks": (OrdinalSetting(levels=5, operator="mode"),)},
        {"ranks": (OrdinalSetting(levels=5, operator="convex_median"),)},
        {"ranks": (OrdinalSetting(levels=5, operator="draw"),)},
        {"codes": (NominalSetting(weight=0.1),)},
        {"codes": (NominalSetting(operator="draw"),)},
        {"confidential": (ClosenessSetting(t=0.1),)},
    ],
)
def test_options_change_the_release(changes):
    assert released(replace(BASE, **changes)) != released(BASE)


@pytest.mark.parametrize(
    "changes",
    [
        {"confidential": (ClosenessSetting(t=0.3),)},
        {"confidential": (ClosenessSetting(t=0.1, nominal=True),)},
        {"on_unclose": "merge"},
    ],
)
def test_options_of_closeness_change_the_release(changes):
    assert released(replace(CLOSE, **changes)) != released(CLOSE)


def test_a_second_sweep_changes_the_release():
    large = replace(BASE, k=12, max_delay=60)
    assert released(replace(large, sweeps=1)) != released(large)


def test_subjects_change_the_release():
    assert released(replace(BASE, subjects=True), subjects=np.arange(200) // 3) != released(BASE)


def test_imputation_lets_missing_cells_in():
    cells = CELLS.copy()
    cells[::7, :] = np.nan
    assert "nan" not in released(replace(BASE, impute=True), cells=cells)


def test_swaps_lower_the_error_of_the_first_group():
    """The first group is chosen from the same buffer with and without swaps; the pool lets swaps find better ones."""
    better = 0
    for seed in range(40):
        cells = np.random.default_rng(seed).normal(size=(41, 2))
        errors = []
        for sweeps in (0, 2):
            settings = StreamSettings(
                k=5, max_delay=40, position_weight=0.0, sweeps=sweeps, coords=(ContinuousSetting(),) * 2
            )
            group = StreamEngine(settings).push_many(cells).positions
            scaled = (cells[group] / np.ptp(cells, axis=0)) if len(group) else cells
            errors.append(float(((scaled - scaled.mean(axis=0)) ** 2).sum()))
        assert errors[1] <= errors[0]
        better += errors[1] < errors[0]
    assert better > 10


def test_ties_of_categories_are_drawn_and_not_given_to_the_first():
    cells = np.tile([[7.0], [3.0], [3.0], [7.0]], (500, 1))
    settings = StreamSettings(k=4, max_delay=3, position_weight=100.0, codes=(NominalSetting(),))
    chosen = cells[StreamEngine(settings).push_many(cells).modes[:, 0], 0]
    assert len(chosen) > 400
    assert abs((chosen == 7.0).mean() - 0.5) < 0.1
    assert (chosen != cells[StreamEngine(replace(settings, seed=1)).push_many(cells).modes[:, 0], 0]).any()


def test_a_drawn_member_is_not_the_one_who_leaves_first():
    cells = np.arange(2000.0)[:, None]  # every tuple has its own category
    settings = StreamSettings(k=4, max_delay=3, position_weight=100.0, codes=(NominalSetting(operator="draw"),))
    out = StreamEngine(settings).push_many(cells)
    first = out.positions[np.cumsum(out.sizes) - out.sizes]
    assert abs((out.modes[:, 0] == first).mean() - 0.25) < 0.08


def test_values_outside_given_bounds_count_as_the_bound_in_distances_and_as_themselves_in_means():
    settings = StreamSettings(k=2, max_delay=2, position_weight=0.0, coords=(ContinuousSetting(bounds=(0.0, 1.0)),))
    out = StreamEngine(settings).push_many([[1.0], [0.9], [501.0]])
    assert sorted(out.positions.tolist()) == [0, 2]
    assert out.coords.tolist() == [[251.0]]


def test_a_subject_who_comes_often_brings_all_tuples_along():
    settings = StreamSettings(k=2, max_delay=4, position_weight=0.0, subjects=True, coords=(ContinuousSetting(),))
    out = StreamEngine(settings).push_many([[0.0], [0.1], [0.2], [0.3], [9.0]], subjects=[1, 1, 1, 2, 3])
    assert sorted(out.positions.tolist()) == [0, 1, 2, 3]


@pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer ends the process where memory lacks"
)
def test_exceptions_of_kernels_are_their_own_where_duckdb_is_loaded():
    code = """if True:
        import duckdb
        from shoal.errors import PlanError
        from shoal.stream.engine import ContinuousSetting, StreamSettings
        from shoal.stream.engine.stream_engine import StreamEngine
        duckdb.sql("select 1").fetchall()
        try:
            StreamEngine(StreamSettings(k=2, max_delay=2**40, coords=(ContinuousSetting(),)))
        except PlanError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "does not fit in memory" in done.stdout
