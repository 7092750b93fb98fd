"""Extra memory of a call: how far the process grows above where it stood, in bytes (Linux)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _status(key: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {key}")


def extra_memory(call: Callable[[], Any]) -> tuple[Any, int]:
    """Run a call and return its result and the peak of resident memory above where it stood before."""
    ctypes.CDLL(None).malloc_trim(0)  # so that memory freed by earlier calls is not found again for nothing
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak to the present size
    before = _status("VmRSS")
    result = call()
    return result, _status("VmHWM") - before
