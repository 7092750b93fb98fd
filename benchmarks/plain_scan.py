"""The plain scan of plain_scan.cpp: compiled for this machine with the user's compiler, run, its labels read back."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FLAGS = ("-std=c++20", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno")


@cache
def program() -> tuple[tempfile.TemporaryDirectory[str], Path]:
    """Compile once; the folder lives as long as it is held."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        raise SystemExit("the plain scan needs a C++ compiler: set CXX")
    folder = tempfile.TemporaryDirectory()
    binary = Path(folder.name) / "plain_scan"
    subprocess.run([compiler, *FLAGS, str(Path(__file__).with_name("plain_scan.cpp")), "-o", str(binary)], check=True)
    return folder, binary


def plain_scan(points: NDArray[np.float64], k: int, repeats: int = 1) -> tuple[float, NDArray[np.int64]]:
    """Return the least processor time over the tries, and the labels."""
    folder, binary = program()
    data, labels = (Path(folder.name) / name for name in ("points", "labels"))
    data.write_bytes(np.asfortranarray(points).tobytes(order="F"))
    n, d = points.shape
    command = [str(binary), str(data), str(n), str(d), str(k), str(labels)]
    times = [float(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(repeats)]
    return min(times), np.fromfile(labels, dtype=np.int64)
