"""Streams: tuples per second, the price of the delay, and memory over a long run.

Run it by itself:

    python benchmarks/stream.py                 throughput (about two minutes)
    python benchmarks/stream.py --delay-price   the loss against MDAV on the whole set
    python benchmarks/stream.py --soak 600      memory while a stream runs for so many seconds

Times are of the processor, not of the clock, so that a busy machine disturbs less; one core. Batches go through
`StreamAnonymizer.push_many` with polars frames, single records through `StreamAnonymizer.push`. Every rate is taken
after the buffer has been filled three times.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
import polars as pl
import psutil

from shoal import Plan, StreamAnonymizer
from shoal.partitioners import mdav
from shoal.stream.engine import ContinuousSetting, StreamEngine, StreamSettings

BATCH = 10_000


def make_plan(m: int, k: int, delay: int, weight: float) -> Plan:
    """Return a plan with m numeric quasi-identifiers and a confidential attribute."""
    attributes = {f"x{j}": {"role": "quasi_identifier", "kind": "numeric"} for j in range(m)}
    return Plan(
        k=k,
        attributes={**attributes, "c": {"role": "confidential", "kind": "numeric"}},
        stream={"max_delay": delay, "position_weight": weight},
    )


def frame(random: np.random.Generator, n: int, m: int) -> pl.DataFrame:
    """Return tuples in the unit cube."""
    columns = {f"x{j}": random.random(n) for j in range(m)}
    return pl.DataFrame({**columns, "c": random.random(n)})


def rates(m: int, k: int, delay: int, weight: float, seconds: float = 0.6) -> tuple[float, float]:
    """Return the rates of `push_many` and of `push`, once the buffer was filled three times.

    Without a weight groups leave in bursts, so batches are pushed until the buffer was filled once more.
    """
    random = np.random.default_rng(0)
    stream = StreamAnonymizer(make_plan(m, k, delay, weight))
    for _ in range(3 * (delay // BATCH + 1)):
        stream.push_many(frame(random, BATCH, m))
    pushed, spent = 0, 0.0
    while spent < seconds or pushed < delay:
        tuples = frame(random, BATCH, m)
        start = time.process_time()
        stream.push_many(tuples)
        spent += time.process_time() - start
        pushed += BATCH
    first, *records = frame(random, BATCH, m).rows(named=True)
    stream.push(first)  # turns what waits into records
    start = time.process_time()
    for record in records:
        stream.push(record)
    return pushed / spent, len(records) / (time.process_time() - start)


def throughput() -> None:
    """Print tuples per second, and large delays against small ones."""
    print("| m | k | δ | ω_p | batches of 10,000 | one by one |")
    print("|---|---|---|---|---|---|")
    for m in (2, 8):
        for k in (5, 50):
            for weight in (0.01, 0.0):
                batches = {}
                for delay in (100, 1_000, 10_000, 100_000):
                    batches[delay], single = rates(m, k, delay, weight)
                    row = f"| {m} | {k} | {delay:,} | {weight:g} | {batches[delay]:,.0f} /s | {single:,.0f} /s |"
                    print(row, flush=True)
                print(f"| {m} | {k} | 100,000 against 1,000 | {weight:g} | {batches[100_000] / batches[1_000]:.2f} | |")


def loss(points: np.ndarray, groups: list[np.ndarray]) -> float:
    """Return the mean squared error of groups, attributes on [0, 1]."""
    return sum(float(((points[g] - points[g].mean(axis=0)) ** 2).sum()) for g in groups) / sum(map(len, groups))


def delay_price() -> None:
    """Print the mean squared error at ω_p = 0 against MDAV on the whole set."""
    random = np.random.default_rng(0)
    sets = {"uniform 20,000×2": random.random((20_000, 2)), "lognormal 20,000×2": random.lognormal(size=(20_000, 2))}
    folder = os.environ.get("SHOAL_REFERENCE_DATA")
    if folder:
        census = pl.read_csv(Path(folder) / "census.csv")
        sets["Census TAXINC, POTHVAL"] = census.select("TAXINC", "POTHVAL").to_numpy().astype(float)
        sets["Census, 13 columns"] = census.to_numpy().astype(float)
    print("| data | k | δ | MSE of the stream | of MDAV | ratio | without swaps | dropped |")
    print("|---|---|---|---|---|---|---|---|")
    for name, values in sets.items():
        points = (values - values.min(axis=0)) / np.ptp(values, axis=0)
        for k in (5, 10):
            labels = mdav(points, k)
            whole = loss(points, [np.flatnonzero(labels == g) for g in range(labels.max() + 1)])
            for delay in (100, 1_000, 10_000):
                if delay > len(points):
                    continue
                found = {}
                for sweeps in (2, 0):
                    axes = tuple(ContinuousSetting(bounds=(0.0, 1.0)) for _ in range(points.shape[1]))
                    settings = StreamSettings(k=k, max_delay=delay, position_weight=0.0, sweeps=sweeps, coords=axes)
                    engine = StreamEngine(settings)
                    parts = [engine.push_many(points), engine.flush()]
                    groups = [g for part in parts for g in np.split(part.positions, part.sizes.cumsum()[:-1])]
                    found[sweeps] = loss(points, groups), sum(len(part.dropped) for part in parts)
                mine, dropped = found[2]
                print(
                    f"| {name} | {k} | {delay:,} | {mine:.6f} | {whole:.6f} | {mine / whole:.2f} | "
                    f"{found[0][0] / whole:.2f} | {dropped} |",
                    flush=True,
                )


def soak(seconds: float) -> None:
    """Print memory as a stream runs."""
    random = np.random.default_rng(0)
    streams = {
        "numbers": StreamAnonymizer(make_plan(2, 5, 100, 0.01)),
        "everything": StreamAnonymizer(
            Plan(
                k=5,
                closeness={"t": 0.3},
                attributes={
                    "who": {"role": "identifier"},
                    "x": {"role": "quasi_identifier", "kind": "numeric"},
                    "agent": {"role": "quasi_identifier", "kind": "nominal"},
                    "c": {"role": "confidential", "kind": "numeric"},
                },
                stream={"subject": "who", "max_delay": 1_000, "on_unclose": "merge"},
            )
        ),
    }
    process = psutil.Process()
    pushed = dict.fromkeys(streams, 0)
    start = told = time.monotonic()
    print("| seconds | tuples of numbers | tuples of everything | memory |")
    print("|---|---|---|---|")
    while (now := time.monotonic()) - start < seconds:
        for _ in range(40):
            streams["numbers"].push_many(frame(random, BATCH, 2))
            pushed["numbers"] += BATCH
        number = pushed["everything"]
        mixed = pl.DataFrame(
            {
                "who": [f"person {i}" for i in range(number, number + 1000)],  # ever new people and agents
                "x": random.random(1000),
                "agent": [f"agent {i // 3}" for i in range(number, number + 1000)],
                "c": random.random(1000),
            }
        )
        streams["everything"].push_many(mixed)
        pushed["everything"] += 1000
        if now - told >= seconds / 20 or told == start:
            told = now
            memory = process.memory_info().rss / 1e6
            print(
                f"| {now - start:.0f} | {pushed['numbers']:,} | {pushed['everything']:,} | {memory:.0f} MB |",
                flush=True,
            )


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay-price", action="store_true")
    parser.add_argument("--soak", type=float, metavar="SECONDS")
    arguments = parser.parse_args()
    if arguments.soak:
        soak(arguments.soak)
    elif arguments.delay_price:
        delay_price()
    else:
        throughput()


if __name__ == "__main__":
    main()
