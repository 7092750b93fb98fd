"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# Machines are slow when they are busy: a test that takes longer is not a test that fails.
settings.register_profile("shoal", deadline=None)
settings.load_profile("shoal")
