"""What is fuzzed, by name: from a seed to what was found."""

from __future__ import annotations

import importlib
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

from fuzz.judging import Found

TARGETS = {
    "tables": "fuzz.tables:trouble",
    "persons": "fuzz.persons:trouble",
    "columns": "fuzz.columns:trouble",
    "audits": "fuzz.audits:trouble",
    "reports": "fuzz.reports:trouble",
    "streams": "fuzz.streams:trouble",
    "stream_runs": "fuzz.stream_runs:trouble",
    "files": "fuzz.files:trouble",
    "plans": "fuzz.plans:trouble",
    "moved_originals": "fuzz.moved_originals:trouble",
    "overwrites": "fuzz.overwrites:trouble",
    "refinements": "fuzz.refinements:trouble",
    "snapshots": "fuzz.snapshots:trouble",
    "snapshot_frames": "fuzz.snapshots:broken_frame",
    "csv_bytes": "fuzz.hostile_inputs:csv_bytes",
    "arrow_columns": "fuzz.hostile_inputs:arrow_columns",
    "plan_values": "fuzz.hostile_inputs:plans",
}
"""The module and function of each; reports and the last six call the library itself, the others the command
line."""


def target(place: str) -> Callable[[int], Found]:
    """Return a target by its module and function, warnings being errors where it calls the library."""
    module, name = place.split(":")
    function = getattr(importlib.import_module(module), name)
    if module == "fuzz.snapshots":
        return lambda seed: _in_a_folder(function, seed)
    if module == "fuzz.hostile_inputs":
        return lambda seed: _strictly(function, seed)
    found: Callable[[int], Found] = function
    return found


def _in_a_folder(function: Callable[[int, Path], Found], seed: int) -> Found:
    with tempfile.TemporaryDirectory() as folder:
        return function(seed, Path(folder))


def _strictly(function: Callable[[int], Found], seed: int) -> Found:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return function(seed)
