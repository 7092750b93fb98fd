"""partition: any method by its name."""

import numpy as np
import pytest

import shoal
from shoal.errors import DataError, PlanError
from shoal.partitioners import METHODS

POINTS = np.random.default_rng(3).normal(size=(90, 2))
GROUPS = [name for name, method in METHODS.items() if method.attributes in ("together", "one")]


@pytest.mark.parametrize("method", GROUPS)
def test_it_is_the_method_itself(method):
    points = POINTS[:, :1] if METHODS[method].attributes == "one" else POINTS
    labels = shoal.partition(points, 4, method=method)
    assert np.array_equal(labels, getattr(shoal.partitioners, method)(points, 4))
    assert np.bincount(labels).min() >= 4


def test_options_are_those_of_the_method():
    assert not np.array_equal(
        shoal.partition(POINTS, 4, method="vmdav", gain=2.0), shoal.partition(POINTS, 4, method="vmdav", gain=0.0)
    )
    with pytest.raises(PlanError, match="gain is an unknown key"):
        shoal.partition(POINTS, 4, gain=2.0)
    with pytest.raises(PlanError, match=r"method must be one of mdav, .*, not 'mdaw'; did you mean 'mdav'"):
        shoal.partition(POINTS, 4, method="mdaw")


@pytest.mark.parametrize("method", ["individual", "mic1d"])
def test_methods_that_form_no_groups_of_records_are_refused(method):
    with pytest.raises(PlanError, match=f"call shoal.partitioners.{method}"):
        shoal.partition(POINTS, 4, method=method)


def test_progress_is_called():
    told = []
    shoal.partition(POINTS, 4, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (90, 90)


def test_frames_of_numbers_are_arrays():
    pandas = pytest.importorskip("pandas")
    assert np.array_equal(shoal.partition(pandas.DataFrame(POINTS), 4), shoal.partition(POINTS, 4))
    with pytest.raises(DataError, match="finite"):
        shoal.partition([[np.nan], [1.0]], 2)
