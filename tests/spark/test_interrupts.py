"""Runs that are interrupted while the table is written or judged: nothing is left, and nobody could look into it."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command
import shoal
from spark.cluster import wait_for

N = 50_000
PLAN = shoal.Plan(
    k=5,
    subject="record",
    attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}, "ward": {"role": "other"}},
)
OPTIONS = ("--plan", "plan.toml", "--engine", "spark", "--master", "local[1]")


def start(folder: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    PLAN.save(folder / "plan.toml")
    ages = np.random.default_rng(1).integers(0, 1 << 20, N)
    pq.write_table(pa.table({"age": ages, "ward": [f"w{i % 9}" for i in range(N)]}), folder / "in.parquet")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = environment | command.SCREEN
    return command.start_shoal("anonymize", "in.parquet", "-o", "out", *OPTIONS, cwd=folder, env=environment, **pipes)


@pytest.mark.parametrize(
    ("number", "moment", "code", "said"),
    [
        (signal.SIGINT, "_temporary/**/*.parquet", 130, "interrupted: nothing was written"),
        (signal.SIGTERM, "_SUCCESS", 143, ""),
    ],
)
def test_an_interrupt_leaves_nothing(
    spark_environment: dict[str, str], tmp_path: Path, number: signal.Signals, moment: str, code: int, said: str
) -> None:
    process = start(tmp_path, spark_environment)
    unjudged = tmp_path / "out-in-progress"
    try:
        wait_for("files that are written", lambda: process.poll() is not None or next(unjudged.glob(moment), None))
        assert process.poll() is None, process.communicate()
        mode = unjudged.stat().st_mode
        process.send_signal(number)
        _, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert mode & 0o077 == 0, "others can look into what was not judged"
    lines = errors.decode().splitlines()
    assert process.returncode == code, lines
    assert [line for line in lines if "Java" not in line and not line.startswith("Spark ")] == [said] * bool(said)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.parquet", "plan.toml"]
    assert "Spark shows its jobs" not in errors.decode(), "no pages that everybody in the network can open"
