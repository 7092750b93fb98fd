"""The number of processors changes nothing: the search runs on one, its lists of near records on all."""

from __future__ import annotations

import os
from contextlib import contextmanager

import numpy as np
import pytest

from shoal import _core
from shoal.partitioners import cells, mdav
from shoal.points import Points
from shoal.refinement import refine

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system does not let us choose")

POINTS = np.random.default_rng(1).standard_normal((20_000, 4))
START = mdav(POINTS, 3)


@contextmanager
def on_one_processor():
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


@pytest.mark.parametrize("reach", [0.0, 0.5, 1.0])
def test_lists(reach):
    records = Points.of(POINTS).records()
    everywhere = _core.near_rows(records, 6, reach)
    with on_one_processor():
        np.testing.assert_array_equal(_core.near_rows(records, 6, reach), everywhere)


def test_groups():
    everywhere = refine(POINTS, START, 3, effort="quick")
    with on_one_processor():
        np.testing.assert_array_equal(refine(POINTS, START, 3, effort="quick"), everywhere)


def test_cells():
    everywhere = cells(POINTS, 3, cell=2000)
    with on_one_processor():
        np.testing.assert_array_equal(cells(POINTS, 3, cell=2000), everywhere)
