"""Tables and streams of Apache Spark: the same plans and the same guarantees where the data already are.

It is a shell: what forms groups, masks and judges is the engine that tables and streams on one machine use. This is the
only room that imports pyspark (``pip install 'shoal[spark]'``), and it does so when something is first asked of it.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # type checkers read it as typing's, and typing is not loaded for it
if TYPE_CHECKING:
    from shoal.spark._anonymize import anonymize
    from shoal.spark._anonymize_files import anonymize_files
    from shoal.spark.messages import SparkError
    from shoal.spark.release import SparkRelease
    from shoal.spark.streaming import anonymize_stream

__all__ = ["SparkError", "SparkRelease", "anonymize", "anonymize_files", "anonymize_stream"]

_HOMES = {
    "SparkError": "shoal.spark.messages",
    "SparkRelease": "shoal.spark.release",
    "anonymize": "shoal.spark._anonymize",
    "anonymize_files": "shoal.spark._anonymize_files",
    "anonymize_stream": "shoal.spark.streaming",
}


def __getattr__(name: str) -> object:
    """Load a name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal.spark' has no attribute {name!r}")
    value: object = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value  # found without this function the next time
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
