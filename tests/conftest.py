"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from isolation import same_after

# Machines are slow when they are busy: a test that takes longer is not a test that fails. Continuous integration tries
# the same examples every time, so that it fails by a change and not by luck; everybody else explores.
settings.register_profile("shoal", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("shoal")

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdist.remote import Producer
    from xdist.scheduler import LoadGroupScheduling

TOGETHER = {
    "tests/spark/test_faults.py": "a cluster of Spark",
    "tests/spark/": "a session of Spark",
    "tests/growth/": "counted runs",
}
"""Tests that share what is slow to start: where they are, and what it is."""

BY_FILE = ("tests/app/", "tests/golden/", "tests/report/", "tests/docs/test_site.py")
"""Where the tests of a file share what is slow to make: a server and an open page, published tables, a report."""


def shared(nodeid: str) -> str:
    """Return what a test shares with others, or the test itself where it stands alone."""
    file = nodeid.partition("::")[0]
    alone = file if file.startswith(BY_FILE) else nodeid
    return next((what for where, what in TOGETHER.items() if nodeid.startswith(where)), alone)


def pytest_configure(config: pytest.Config) -> None:
    """Leave random numbers alone, where pytest-randomly is on: tests seed what they draw themselves."""
    config.option.randomly_reset_seed = False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of the night out, unless ``-m`` says which tests to run, or one is named."""
    if config.option.markexpr or any("::" in argument for argument in config.args):
        return
    nights = [item for item in items if item.get_closest_marker("nightly")]
    if nights:
        config.hook.pytest_deselected(items=nights)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadGroupScheduling:
    """Give tests that share something slow to one worker, and give them first; all others to whichever is free.

    By where they are, not by the mark ``xdist_group``: xdist 3.8 writes groups where pytest 9.2 does not read node ids.
    """
    from xdist.scheduler import LoadGroupScheduling

    class Scheduling(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return shared(nodeid)

    return Scheduling(config, log)


@pytest.fixture(autouse=True)
def _isolated() -> Iterator[None]:
    """No test finds what another left: the one that leaves something fails, and it is put back."""
    with same_after():
        yield


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The folder of the CASC reference files; tests that need it skip without it."""
    folder = os.environ.get("SHOAL_REFERENCE_DATA")
    if not folder:
        pytest.skip("SHOAL_REFERENCE_DATA does not say where census.csv and tarragona.csv are")
    return Path(folder)
