"""Anonymize microdata and data streams by microaggregation."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from shoal import constrain, measure, partition, steer
from shoal.errors import DataError, GuaranteeError, OutputError, PlanError, ShoalError
from shoal.points import Points

if TYPE_CHECKING:
    from shoal.plan import Plan
    from shoal.run.pipeline import anonymize
    from shoal.run.release import Release
    from shoal.stream.anonymizer import StreamAnonymizer

__all__ = [
    "DataError",
    "GuaranteeError",
    "OutputError",
    "Plan",
    "PlanError",
    "Points",
    "Release",
    "ShoalError",
    "StreamAnonymizer",
    "anonymize",
    "constrain",
    "measure",
    "partition",
    "steer",
]

# What needs more than NumPy is loaded when it is first used, so that `import shoal` stays quick.
_LAZY = {
    "Plan": "shoal.plan",
    "Release": "shoal.run.release",
    "StreamAnonymizer": "shoal.stream.anonymizer",
    "anonymize": "shoal.run.pipeline",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'shoal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
