"""Benchmarks as modules, for tests of what they measure. Their folder is in no path: tests have some of their names."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[1] / "benchmarks"


@cache
def benchmark(name: str) -> ModuleType:
    """Load the script of that name."""
    specification = importlib.util.spec_from_file_location(f"{name}_benchmark", FOLDER / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module
