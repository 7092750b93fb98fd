"""A backend of one's own: frames that are not in memory go to it, others stay."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.errors import DataError, PlanError
from shoal.run import BACKENDS, Backend, Release

PLAN = shoal.Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
AGES = pl.DataFrame({"age": [1.0, 2.0, 30.0, 40.0]})


class Fragments(list):
    """A table in pieces, as an engine of its own might hold it."""


def gather(frame, plan, *, progress=None) -> Release:
    return shoal.anonymize(pl.concat(frame), plan, progress=progress)


PIECES = Backend("pieces", lambda frame: isinstance(frame, Fragments), gather)


def test_a_frame_goes_to_the_backend_that_accepts_it():
    frame = Fragments([AGES[:2], AGES[2:]])
    with pytest.raises(DataError, match="is not a table in memory"):
        shoal.anonymize(frame, PLAN)
    with BACKENDS.temporarily(PIECES):
        release = shoal.anonymize(frame, PLAN)
        alone = shoal.anonymize(AGES, PLAN)
    assert release.data.equals(alone.data)
    assert release.guarantees.holds


def test_a_name_is_given_once():
    with BACKENDS.temporarily(PIECES), pytest.raises(PlanError, match="there is a backend 'pieces' already"):
        BACKENDS.register(PIECES)
    assert "pieces" not in BACKENDS
