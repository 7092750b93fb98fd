"""Streams: k-anonymity within a bounded delay (Domingo-Ferrer and Soria-Comas 2017, section V).

``engine`` anonymizes: records, frames or arrays in, groups out. ``connect`` stands around it: sources, sinks, what is
kept across a crash, what is reported while it runs.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # type checkers read it as typing's, and typing is not loaded for it
if TYPE_CHECKING:
    from shoal.stream.engine import StreamAnonymizer, StreamStats

__all__ = ["StreamAnonymizer", "StreamStats"]


def __getattr__(name: str) -> object:
    """Load the engine when it is first used: who connects a stream may want to say what is wrong before."""
    if name not in __all__:
        raise AttributeError(f"module 'shoal.stream' has no attribute {name!r}")
    value: object = getattr(importlib.import_module("shoal.stream.engine"), name)
    globals()[name] = value  # found without this function the next time
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
