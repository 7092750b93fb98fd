"""Hospital stays as a table on Spark: a folder in, an anonymous folder with its manifest out.

    spark-submit examples/spark/table.py --plan examples/discharges.toml --source stays.csv --out anonymous

Every machine that runs tasks needs shoal. Where it is not installed there, ship a virtual environment along:

    python -m venv pack && pack/bin/pip install 'shoal[spark]' venv-pack
    pack/bin/venv-pack -o shoal.tar.gz
    PYSPARK_PYTHON=./shoal/bin/python spark-submit --archives shoal.tar.gz#shoal examples/spark/table.py ...

The same on the command line: shoal anonymize --engine spark --master URL SOURCE --plan PLAN -o OUT.
"""

from __future__ import annotations

import argparse
import sys

from pyspark.sql import SparkSession

from shoal import Plan
from shoal.spark import anonymize_files


def main() -> None:
    """Anonymize a table, and say what holds."""
    options = argparse.ArgumentParser(description="Anonymize a table that Spark reads.")
    options.add_argument("--plan", required=True, help="the plan, such as examples/discharges.toml")
    options.add_argument("--source", required=True, help="a folder or file: Parquet, CSV, ORC, JSON or Delta")
    options.add_argument("--out", required=True, help="the folder of the release; its manifest is put beside it")
    options.add_argument("--fragment-size", type=int, default=1_000_000, help="records that a worker groups at a time")
    given = options.parse_args()

    session = SparkSession.builder.appName("anonymous stays").getOrCreate()
    release = anonymize_files(
        session,
        given.source,
        Plan.load(given.plan),
        given.out,
        fragment_size=given.fragment_size,
        manifest=f"{given.out}.manifest.json",
    )
    session.stop()
    sys.stdout.write(f"{release}\n")


if __name__ == "__main__":
    main()
