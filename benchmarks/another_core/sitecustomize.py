"""Lets a process use other compiled kernels than those installed: SHOAL_CORE names their file.

Python imports this module by itself where this folder is in PYTHONPATH, in every process that a run starts:

    PYTHONPATH=benchmarks/another_core SHOAL_CORE=build/baseline/core/_core.so python -m pytest tests/core
"""

from __future__ import annotations

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location


class AnotherCore(MetaPathFinder):
    """Finds the kernels in the file that SHOAL_CORE names."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Say where a module is; nothing but the kernels is sought here."""
        return spec_from_file_location(name, os.environ["SHOAL_CORE"]) if name == "shoal._core" else None


if "SHOAL_CORE" in os.environ:
    sys.meta_path.insert(0, AnotherCore())
