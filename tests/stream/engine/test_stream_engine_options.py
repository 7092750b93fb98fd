"""Every option of the engine changes what is released."""

from __future__ import annotations

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
        {"codes": (NominalSetting(weight=0.1),)},
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


def test_the_mode_of_a_tie_is_the_first_in_the_stream():
    engine = StreamEngine(StreamSettings(k=4, max_delay=3, codes=(NominalSetting(),)))
    assert engine.push_many([[7.0], [3.0], [3.0], [7.0]]).modes.tolist() == [[0]]


def test_values_outside_given_bounds_count_as_the_bound_in_distances_and_as_themselves_in_means():
    settings = StreamSettings(k=2, max_delay=2, position_weight=0.0, coords=(ContinuousSetting(bounds=(0.0, 1.0)),))
    out = StreamEngine(settings).push_many([[1.0], [0.9], [501.0]])
    assert sorted(out.positions.tolist()) == [0, 2]
    assert out.coords.tolist() == [[251.0]]


def test_a_subject_who_comes_often_brings_all_tuples_along():
    settings = StreamSettings(k=2, max_delay=4, position_weight=0.0, subjects=True, coords=(ContinuousSetting(),))
    out = StreamEngine(settings).push_many([[0.0], [0.1], [0.2], [0.3], [9.0]], subjects=[1, 1, 1, 2, 3])
    assert sorted(out.positions.tolist()) == [0, 1, 2, 3]
