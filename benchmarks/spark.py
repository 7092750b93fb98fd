"""Tables on Spark beside one machine: seconds from Parquet to Parquet, memory of all processes, and loss.

Run it by itself, with Spark's Java where Spark finds it:

    python benchmarks/spark.py                            10,000,000 × 4, k = 10
    python benchmarks/spark.py --count 1000000 --fragment-size 125000
    python benchmarks/spark.py --large 100000000          the same, and a table of that many records on Spark alone
    python benchmarks/spark.py --count 0 --large 100000000    that one by itself, with a line a minute of how it stands

One table is anonymized on this machine; by Spark on two cores, without and with a second pass over shifted fragments;
and half of it by Spark on one core. All are `shoal anonymize` in a process of its own with the settings that it chooses
by itself, so that starting Spark counts. Processors are counted besides the clock, because a machine that others use
gives each run another share of itself. The loss is the squared error of standardised columns, of which groups keep what
their means spread: no row needs to find its original.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import psutil

from shoal import Plan

COLUMNS = [f"x{j}" for j in range(4)]
PIECE = 5_000_000
CORES = 2
PERIOD = 1.0
"""Seconds from one look at the processes to the next."""
LINE = 60.0
"""Seconds from one line on a long run to the next."""


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


@dataclass(frozen=True)
class Run:
    """What a run took.

    Parameters
    ----------
    seconds, work
        By the clock, and of all processors.
    memory
        GB that all its processes held at once, at their most.
    lost
        The squared error as a percentage of the whole spread.
    """

    seconds: float
    work: float
    memory: float
    lost: float


@dataclass(frozen=True)
class Bench:
    """Runs `shoal anonymize` in a folder, and tells what came of it."""

    folder: Path
    k: int
    fragment_size: int | None

    def spark(self, source: str, cores: int, refine: str = "none", *, told: bool = False) -> Run:
        """Anonymize a folder by Spark, on the first so many processors; told says now and then how it stands."""
        options = ["--engine", "spark", "--master", f"local[{cores}]"]
        if self.fragment_size is not None:
            options += ["--fragment-size", str(self.fragment_size)]
        what = f"Spark, {cores} core{'s' if cores > 1 else ''}{'' if refine == 'none' else f', refine = {refine}'}"
        target = self.folder / "on-spark"
        try:
            return self._run(what, self.folder / source, target, refine, options, cores, told=told)
        finally:
            shutil.rmtree(target, ignore_errors=True)

    def alone(self, source: str) -> Run:
        """Anonymize a folder on this machine, from one file to another."""
        one, target = self.folder / "one.parquet", self.folder / "alone.parquet"
        pl.scan_parquet(self.folder / source / "*.parquet").sink_parquet(one)
        try:
            return self._run("one machine", one, target, "none", [], CORES)
        finally:
            for path in (one, target):
                path.unlink(missing_ok=True)

    def _run(
        self, what: str, source: Path, target: Path, refine: str, options: list[str], cores: int, *, told: bool = False
    ) -> Run:
        plan = self.folder / f"{refine}.toml"
        make_plan(self.k, refine).save(plan)
        arguments = [str(source), "--plan", str(plan), "-o", str(target), *options]
        seconds, work, memory = watched(arguments, cores, told=told)
        run = Run(seconds, work, memory, loss(source, target))
        print(f"{what:34} {seconds:9.1f} {work:9.1f} {memory:7.2f} {run.lost:9.4f}", flush=True)
        return run


def watched(arguments: list[str], cores: int, *, told: bool = False) -> tuple[float, float, float]:
    """Run the command line; return seconds by the clock and of processors, and the most GB of all processes at once."""
    start = time.perf_counter()
    process = psutil.Popen([sys.executable, "-m", "shoal", "anonymize", *arguments, "--quiet"])
    process.cpu_affinity(process.cpu_affinity()[:cores])
    peak, over, line = 0.0, False, LINE
    worked: dict[int, float] = {}
    while not over:
        over = process.poll() is not None
        now = look(process, worked)
        peak = max(peak, now)
        if told and time.perf_counter() - start > line:
            line += LINE
            so_far = f"{time.perf_counter() - start:9.1f} {sum(worked.values()):9.1f} {now:7.2f}"
            print(f"{'  so far':34} {so_far}   at most {peak:.2f}", flush=True)
        time.sleep(0.0 if over else PERIOD)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    return seconds, sum(worked.values()), peak


def look(process: psutil.Process, worked: dict[int, float]) -> float:
    """Return the GB that a process and its children hold, what they share counted once; note how long each worked."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied, AttributeError):
                times = each.cpu_times()
                worked[each.pid] = times.user + times.system
                total += each.memory_full_info().pss
    return total / 1e9


def loss(original: Path, released: Path) -> float:
    """Return the squared error as a percentage of the whole spread."""
    before, after = (
        pl.scan_parquet(path / "*.parquet" if path.is_dir() else path)
        .select(pl.col(COLUMNS).var().name.keep())
        .collect(engine="streaming")
        .row(0)
        for path in (original, released)
    )
    return 100 * float(np.mean([1 - b / a for a, b in zip(before, after, strict=True)]))


def print_head(count: int) -> None:
    """Name what lines tell of a table of so many records."""
    print(f"{f'{count:,} records':34} {'seconds':>9} {'of CPU':>9} {'GB':>7} {'loss %':>9}", flush=True)


def compare(bench: Bench, count: int, refine: str) -> None:
    """Anonymize one table in every way, and tell the ratios."""
    write_table(bench.folder / "half", count // CORES)
    write_table(bench.folder / "whole", count)
    print_head(count)
    alone = bench.alone("whole")
    whole = bench.spark("whole", CORES)
    half = bench.spark("half", 1)
    print(f"Spark beside one machine: {_times(whole, alone)}, {100 * (whole.lost / alone.lost - 1):+.2f} % loss")
    print(f"twice the table on twice the cores: {whole.seconds / half.seconds:.2f} times the time", flush=True)
    if refine != "none":
        refined = bench.spark("whole", CORES, refine)
        print(f"with a second pass: {_times(refined, whole)}, {100 * (refined.lost / alone.lost - 1):+.2f} % loss")


def _times(run: Run, other: Run) -> str:
    return f"{run.seconds / other.seconds:.2f} times the time, {run.work / other.work:.2f} times the work"


def main() -> None:
    """Run what is asked for."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=10_000_000, help="records; 0 leaves the comparison out")
    options.add_argument("--k", type=int, default=10)
    options.add_argument("--fragment-size", type=int, help="as of shoal anonymize")
    options.add_argument("--refine", default="quick", help="of the second pass; none leaves it out")
    options.add_argument("--large", type=int, default=0, help="records of a table for Spark alone")
    given = options.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="shoal-benchmark-"))
    bench = Bench(folder, given.k, given.fragment_size)
    try:
        if given.count:
            compare(bench, given.count, given.refine)
        if given.large:
            write_table(folder / "large", given.large)
            print_head(given.large)
            bench.spark("large", CORES, told=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
