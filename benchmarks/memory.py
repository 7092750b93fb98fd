"""Peak memory of a whole run, Parquet to Parquet, as a multiple of the size of the points.

python benchmarks/memory.py [rows] [columns] [k]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
import psutil

from shoal import Plan


def main(rows: int = 1_000_000, columns: int = 8, k: int = 10) -> None:
    """Anonymize normal points in a process of its own and watch its resident memory."""
    with tempfile.TemporaryDirectory() as folder:
        data, plan, out = (Path(folder) / name for name in ("data.parquet", "plan.toml", "out.parquet"))
        rng = np.random.default_rng(0)
        frame = pl.DataFrame({f"x{j}": rng.normal(size=rows) for j in range(columns)})
        frame.write_parquet(data)
        Plan(k=k, attributes={name: {"role": "quasi_identifier", "kind": "numeric"} for name in frame.columns}).save(
            plan
        )
        del frame
        start = time.perf_counter()
        command = [sys.executable, "-m", "shoal", "anonymize", data, "--plan", plan, "-o", out]
        process = psutil.Popen([str(part) for part in command])
        peak = 0
        while process.poll() is None:
            try:
                peak = max(peak, process.memory_info().rss)
            except psutil.NoSuchProcess:
                break
            time.sleep(0.01)
        if process.wait() != 0:
            raise SystemExit(f"shoal ended with {process.returncode}")
        points = rows * columns * 8
        print(
            f"{rows:,}×{columns}, k={k}: {time.perf_counter() - start:.1f} s, peak {peak / 1e6:,.0f} MB, "
            f"{peak / points:.2f}x the {points / 1e6:,.0f} MB of points"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
