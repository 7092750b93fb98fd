"""Hospital stays as a stream on Spark: files of a folder in, anonymous files out, each ward a stream of its own.

    spark-submit examples/spark/stream.py --plan examples/discharges.toml --source stays/ --out anonymous/ \\
        --checkpoint waiting/

Files like examples/discharges.csv that are moved into the folder are taken as they come. Stopped and started again with
the same checkpoint, the query goes on where it was. What waits in it are records as they came: it stands outside of the
output, which is published, and only its owner can look into the folder. ``--once`` takes what is there and ends; what
waits then goes on with the next run, which must be one with ``--once``, too: the other has timers, and Spark does not
go on with a checkpoint without them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from urllib.parse import urlsplit

from pyspark.sql import SparkSession

from shoal import Plan
from shoal.spark import anonymize_stream

COLUMNS = (
    "patient_id string, name string, age int, sex string, postcode string, admitted date, stay int, ward string, "
    "severity string, diagnosis string, charge double"
)


def main() -> None:
    """Run the query until it is stopped, or once."""
    options = argparse.ArgumentParser(description="Anonymize hospital stays as they come.")
    options.add_argument("--plan", required=True, help="the plan, such as examples/discharges.toml")
    options.add_argument("--source", required=True, help="the folder of CSV files")
    options.add_argument("--out", required=True, help="the folder of anonymous Parquet files")
    options.add_argument("--checkpoint", required=True, help="the folder of what waits; keep it as safe as the source")
    options.add_argument("--max-delay", type=int, default=500, help="records of a ward that may come in between")
    options.add_argument("--max-seconds", type=float, default=600, help="seconds that a record may wait")
    options.add_argument("--once", action="store_true", help="take what is there, and end")
    given = options.parse_args()
    if f"{given.checkpoint}/".startswith(f"{given.out.rstrip('/')}/"):
        options.error("--checkpoint must not stand in --out: what waits are records as they came")
    make_private(given.checkpoint)

    spark = (
        SparkSession.builder.appName("anonymous stays")
        .config(
            "spark.sql.streaming.stateStore.providerClass",
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
        )
        .getOrCreate()
    )
    plan = Plan.load(given.plan).replace(stream={"max_delay": given.max_delay})
    # By its places, a file with its columns in another order would leave names where wards belong.
    headers = {"header": "true", "enforceSchema": "false"}
    stays = spark.readStream.schema(COLUMNS).options(**headers).csv(given.source)
    seconds = None if given.once else given.max_seconds  # for its timers Spark would go on and on
    anonymous = anonymize_stream(stays, plan, lane="ward", order="admitted", max_seconds=seconds, id="id", reason="why")
    trigger = {"availableNow": True} if given.once else {"processingTime": "10 seconds"}
    query = (
        anonymous.writeStream.format("parquet")
        .option("checkpointLocation", given.checkpoint)
        .trigger(**trigger)
        .start(given.out)
    )
    query.awaitTermination()


def make_private(folder: str) -> None:
    """Make a folder of this machine that its owner alone can look into: Spark writes by the umask."""
    address = urlsplit(folder)
    if address.scheme in ("", "file"):
        Path(address.path).mkdir(mode=0o700, parents=True, exist_ok=True)
        Path(address.path).chmod(0o700)


if __name__ == "__main__":
    main()
