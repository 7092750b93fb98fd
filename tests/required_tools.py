"""Programs that tests use where they are installed, and that continuous integration must have."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

REQUIRED = "SHOAL_REQUIRE_TOOLS"


def missing(words: str) -> NoReturn:
    """Skip for a program that is not there; fail where `REQUIRED` is set."""
    if os.environ.get(REQUIRED):
        pytest.fail(words)
    pytest.skip(words)
