"""Backends: who anonymizes a frame that does not live in the memory of this process; a new one is a line here.

A backend is a shell: it spreads the work of the same encoder, partitioners, guarantees and averages over an engine of
its own, and returns the same kind of release.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from shoal.registry import Registry

if TYPE_CHECKING:
    from shoal.run.release import Release


@dataclass(frozen=True)
class Backend:
    """An engine for frames of its own."""

    name: str  # in messages
    accepts: Callable[[Any], bool]  # whether a frame is one of its own; it looks at the type, and loads nothing
    # ``anonymize(frame, plan, *, progress) -> Release``; with ``key`` too where the caller has one for pseudonyms
    anonymize: Callable[..., Release]


def _is_of_spark(frame: Any) -> bool:
    """Tell a Spark DataFrame by the module of its class, so that pyspark is not loaded for it."""
    return any(cls.__module__.startswith("pyspark.sql.") and cls.__name__ == "DataFrame" for cls in type(frame).__mro__)


def _on_spark(frame: Any, plan: Any, **options: Any) -> Release:
    # By name: the room stands above this one, and is loaded for those who bring its frames.
    return cast("Release", importlib.import_module("shoal.spark").anonymize(frame, plan, **options))


BACKENDS: Registry[Backend] = Registry("backend", (Backend("Spark", _is_of_spark, _on_spark),))
"""Name to backend: `shoal.anonymize` hands each the frames that it accepts. Frames in memory need none."""


def backend_of(frame: Any) -> Backend | None:
    """Return the backend that a frame belongs to, None where it is a table in memory."""
    return next((backend for backend in BACKENDS.values() if backend.accepts(frame)), None)
