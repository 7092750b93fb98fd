"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Machines are slow when they are busy: a test that takes longer is not a test that fails. Continuous integration tries
# the same examples every time, so that it fails by a change and not by luck; everybody else explores.
settings.register_profile("shoal", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("shoal")


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The folder of the CASC reference files; tests that need it skip without it."""
    folder = os.environ.get("SHOAL_REFERENCE_DATA")
    if not folder:
        pytest.skip("SHOAL_REFERENCE_DATA does not say where census.csv and tarragona.csv are")
    return Path(folder)
