"""Streams on Spark beside the engine alone: records per second, and the ratio.

Run it by itself, with Spark's Java where Spark finds it:

    python benchmarks/spark_stream.py              200,000 records, one lane and then two
    python benchmarks/spark_stream.py --count N

Both sides take the same records from the same files of JSON, in micro-batches of 20,000: the engine alone by `push`,
lines decoded by Python; Spark by its own reader through `anonymize_stream`, written nowhere (the sink noop). Times are
of the processor, on Spark of its Java and all its workers of Python together, so that a busy machine disturbs less: a
query with its start, after another one of the same kind has warmed everything up.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
from pyspark.sql import DataFrame, SparkSession

from shoal import Plan, StreamAnonymizer
from shoal.spark import anonymize_stream
from shoal.spark.streaming import PROVIDER

BATCH = 20_000
SCHEMA = "number long, lane long, x0 double, x1 double, x2 double, x3 double, c double"


def make_plan(delay: int) -> Plan:
    """Return a plan with four numeric quasi-identifiers and a confidential attribute."""
    quasi = {f"x{j}": {"role": "quasi_identifier", "kind": "numeric"} for j in range(4)}
    others = {"number": {"role": "other"}, "lane": {"role": "other"}}
    return Plan(
        k=5,
        attributes={**others, **quasi, "c": {"role": "confidential", "kind": "numeric"}},
        stream={"max_delay": delay},
    )


def write(folder: Path, count: int, lanes: int) -> None:
    """Write files of a micro-batch each."""
    random = np.random.default_rng(0)
    for start in range(0, count, BATCH):
        cells = random.random((BATCH, 5)).round(6).tolist()
        records = [
            {"number": start + i, "lane": i % lanes, **dict(zip(("x0", "x1", "x2", "x3", "c"), row, strict=True))}
            for i, row in enumerate(cells)
        ]
        (folder / f"{start:09}.json").write_text("".join(json.dumps(record) + "\n" for record in records))


def engine_seconds(folder: Path, plan: Plan) -> float:
    """Return the processor time of one engine for each lane."""
    streams: dict[int, StreamAnonymizer] = {}
    start = time.process_time()
    for file in sorted(folder.iterdir()):
        for line in file.read_text().splitlines():
            record = json.loads(line)
            if record["lane"] not in streams:
                streams[record["lane"]] = StreamAnonymizer(plan)
            streams[record["lane"]].push(record)
    return time.process_time() - start


def spark_seconds(frame: DataFrame, checkpoint: Path) -> float:
    """Return the processor time of a query, in Java and in all its workers."""
    before = _spent()
    writer = frame.writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    writer.trigger(availableNow=True).start().awaitTermination()
    return _spent() - before


def _spent() -> float:
    """Return the processor time so far of the processes that this one started, and of theirs."""
    return sum(sum(process.cpu_times()[:4]) for process in psutil.Process().children(recursive=True))


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=200_000)
    count = options.parse_args().count
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.streaming.stateStore.providerClass", PROVIDER)
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    print("| lanes | δ | engine alone, records/s | on Spark, records/s | ratio |")
    print("|---|---|---|---|---|")
    for lanes, delay in ((1, 100), (1, 10_000), (2, 100)):
        with tempfile.TemporaryDirectory() as name:
            source = Path(name) / "source"
            source.mkdir()
            write(source, count, lanes)
            plan = make_plan(delay)
            alone = count / engine_seconds(source, plan)
            came = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(source))
            anonymous = anonymize_stream(came, plan, lane="lane", order="number")
            spark_seconds(anonymous, Path(name) / "warm")
            there = count / spark_seconds(anonymous, Path(name) / "checkpoint")
            print(f"| {lanes} | {delay:,} | {alone:,.0f} | {there:,.0f} | {there / alone:.2f} |", flush=True)


if __name__ == "__main__":
    main()
