"""What every registered backend must do, whatever it is."""

from __future__ import annotations

import inspect

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.run import BACKENDS


@pytest.fixture(params=BACKENDS, ids=str)
def backend(request):
    return BACKENDS[request.param]


@pytest.mark.parametrize("frame", [pl.DataFrame({"a": [1]}), pd.DataFrame({"a": [1]}), pa.table({"a": [1]}), None, [1]])
def test_frames_in_memory_and_what_is_no_frame_are_not_its_own(backend, frame):
    assert backend.accepts(frame) is False


def test_it_takes_a_frame_a_plan_and_who_listens_to_progress(backend):
    call = inspect.signature(backend.anonymize).bind("frame", "plan", progress="progress")
    assert [*call.args, *call.kwargs.values()] == ["frame", "plan", "progress"]


def test_it_has_a_name(backend):
    assert backend.name.strip() == backend.name
    assert backend.name
