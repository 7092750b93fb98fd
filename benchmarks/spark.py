"""Tables on Spark beside one machine: seconds from Parquet to Parquet, memory of all processes, and loss.

Run it by itself, with Spark's Java where Spark finds it:

    python benchmarks/spark.py                            10,000,000 × 4, k = 10, on local[2]
    python benchmarks/spark.py --count 1000000 --fragment-size 125000 --refine good
    python benchmarks/spark.py --scale                    a table on one core, and twice the table on two
    python benchmarks/spark.py --count 100000000 --spark-only

Both sides are `shoal anonymize` in a process of its own, so that starting Spark counts. The loss is the squared error
of standardised columns, of which groups keep what their means spread: no row needs to find its original.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl
import psutil

from shoal import Plan

COLUMNS = [f"x{j}" for j in range(4)]
PIECE = 5_000_000


def make_plan(k: int, refine: str) -> Plan:
    """Return a plan of four numeric quasi-identifiers and a confidential attribute."""
    quasi = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in COLUMNS}
    return Plan(k=k, refine=refine, attributes={**quasi, "pay": {"role": "confidential", "kind": "numeric"}})


def write_table(folder: Path, count: int) -> None:
    """Write a table of correlated numbers in pieces, so that memory does not grow with it."""
    folder.mkdir()
    mixing = np.random.default_rng(1).normal(size=(4, 4))
    for number, start in enumerate(range(0, count, PIECE)):
        rng = np.random.default_rng(start)
        cells = rng.normal(size=(min(PIECE, count - start), 4)) @ mixing
        pay = cells[:, 0] + rng.normal(size=len(cells))
        frame = pl.DataFrame({**{name: cells[:, j] for j, name in enumerate(COLUMNS)}, "pay": pay})
        frame.write_parquet(folder / f"{number:04}.parquet")


def run(*arguments: str) -> tuple[float, float]:
    """Run the command line; return its seconds, and the most GB that it and all its children held at once."""
    start = time.perf_counter()
    process = psutil.Popen([sys.executable, "-m", "shoal", "anonymize", *arguments, "--quiet"])
    peak, over = [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(0.5):
            peak[0] = max(peak[0], held(process))

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = process.wait()
    seconds = time.perf_counter() - start
    over.set()
    watcher.join()
    if code:
        raise subprocess.CalledProcessError(code, arguments)
    return seconds, peak[0]


def held(process: psutil.Process) -> float:
    """Return the GB that a process and its children hold, what they share counted once."""
    total = 0
    try:
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0.0
    for each in family:
        try:
            total += each.memory_full_info().pss
        except (psutil.NoSuchProcess, psutil.AccessDenied, AttributeError):
            continue
    return total / 1e9


def loss(original: str, released: str) -> float:
    """Return the squared error as a percentage of the whole spread."""
    before, after = (
        pl.scan_parquet(path).select(pl.col(COLUMNS).var().name.keep()).collect(engine="streaming").row(0)
        for path in (original, released)
    )
    return 100 * float(np.mean([1 - b / a for a, b in zip(before, after, strict=True)]))


def compare(folder: Path, given: argparse.Namespace) -> None:
    """Time both sides on one table, and tell the ratio."""
    write_table(folder / "in", given.count)
    make_plan(given.k, given.refine).save(folder / "plan.toml")
    plan = ("--plan", str(folder / "plan.toml"))
    spark = ("--engine", "spark", "--master", f"local[{given.cores}]", "--fragment-size", str(given.fragment_size))
    seconds, memory = run(str(folder / "in"), *plan, *spark, "-o", str(folder / "spark"))
    lost = loss(f"{folder}/in/*.parquet", f"{folder}/spark/*.parquet")
    print(f"Spark       {seconds:8.1f} s {memory:6.2f} GB  loss {lost:.4f} %", flush=True)
    if given.spark_only:
        return
    one = folder / "one.parquet"
    pl.scan_parquet(folder / "in" / "*.parquet").sink_parquet(one)
    alone, held_alone = run(str(one), *plan, "-o", str(folder / "alone.parquet"))
    lost_alone = loss(str(one), str(folder / "alone.parquet"))
    print(f"one machine {alone:8.1f} s {held_alone:6.2f} GB  loss {lost_alone:.4f} %")
    print(f"ratio of time {seconds / alone:.2f}, loss of Spark {100 * (lost / lost_alone - 1):+.2f} %")


def scale(folder: Path, given: argparse.Namespace) -> None:
    """Time a table on one core, and twice the table on two."""
    make_plan(given.k, given.refine).save(folder / "plan.toml")
    found = []
    for cores in (1, 2):
        source = folder / f"in{cores}"
        write_table(source, given.count * cores)
        spark = ("--engine", "spark", "--master", f"local[{cores}]", "--fragment-size", str(given.fragment_size))
        plan = ("--plan", str(folder / "plan.toml"))
        found.append(run(str(source), *plan, *spark, "-o", str(folder / f"out{cores}"))[0])
        print(f"{given.count * cores:,} records on {cores} of the cores: {found[-1]:.1f} s", flush=True)
    print(f"twice the data on twice the cores: {found[1] / found[0]:.2f} of the time")


def main() -> None:
    """Run what is asked for."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=10_000_000)
    options.add_argument("--k", type=int, default=10)
    options.add_argument("--fragment-size", type=int, default=1_000_000)
    options.add_argument("--cores", type=int, default=2)
    options.add_argument("--refine", default="none")
    options.add_argument("--spark-only", action="store_true")
    options.add_argument("--scale", action="store_true")
    given = options.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="shoal-benchmark-"))
    try:
        (scale if given.scale else compare)(folder, given)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
