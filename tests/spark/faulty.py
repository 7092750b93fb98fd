"""Runs of tables in which something goes wrong at a chosen moment: what a driver of its own and its workers import.

A fault happens in the tasks of the one shuffle: where it is written, or where a fragment is masked. A task that is held
says who it is in the file ``held`` and waits for the file ``go``, so that a test can kill what it wants in the middle.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

from shoal import Plan, ShoalError

PLAN = Plan.from_mapping(
    {
        "k": 4,
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi_identifier", "kind": "numeric"},
            "city": {"role": "quasi_identifier", "kind": "nominal"},
            "cost": {"role": "confidential", "kind": "numeric"},
        },
    }
)
FRAGMENT_SIZE = 150


@dataclass(frozen=True)
class Fault:
    """What goes wrong, in whichever task comes first; every other task, and the same one later, goes well.

    Parameters
    ----------
    folder
        Of the files by which tasks and tests speak.
    kind
        ``hold-shuffle`` and ``hold-fragment`` wait until they are let go; ``fail`` raises in two attempts.
    """

    folder: str
    kind: str

    def __call__(self) -> None:
        """Go wrong, if it is the turn of this task."""
        if self.kind == "fail":
            for attempt in range(2):
                if self._first(f"failed{attempt}"):
                    raise RuntimeError("a task fails on purpose")
        elif self._first("held"):
            end = time.monotonic() + 300
            while not (Path(self.folder) / "go").exists() and time.monotonic() < end:
                time.sleep(0.05)

    def _first(self, name: str) -> bool:
        try:
            with (Path(self.folder) / name).open("x") as file:
                file.write(str(os.getpid()))
        except FileExistsError:
            return False
        return True


@dataclass(frozen=True)
class FaultyShuffle:
    """Tasks that write the shuffle."""

    fault: Fault

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Hand the first columns on, then go wrong."""
        for batch in batches:
            yield batch
            self.fault()


@dataclass(frozen=True)
class FaultyMask:
    """Tasks that mask a fragment."""

    mask: Callable[[Any], Any]
    fault: Fault

    def __call__(self, fragment: pa.Table) -> pa.Table:
        """Mask, then go wrong before anybody sees it."""
        masked = self.mask(fragment)
        self.fault()
        return masked


def main() -> None:
    """Serve runs: each line of standard input names an output and a fault, each line of output says how it went."""
    from pyspark.sql import SparkSession

    import shoal.spark._anonymize as stages
    from shoal.spark._anonymize_files import anonymize_files

    master, folder = sys.argv[1:]
    session = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.executor.memory", "512m")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.python.authenticate.socketTimeout", "300s")
        .getOrCreate()
    )
    on_fragments = stages.on_fragments
    for line in sys.stdin:
        name, kind = line.split()
        fault = Fault(f"{folder}/{name}-fault", kind)

        def faulty(assigned: DataFrame, key: str, count: int, mask: Any, *rest: Any, **more: Any) -> DataFrame:
            fault: Fault = more.pop("fault")
            if fault.kind == "hold-shuffle":
                assigned = assigned.mapInArrow(FaultyShuffle(fault), assigned.schema)
            elif fault.kind != "none":
                mask = FaultyMask(mask, fault)
            return on_fragments(assigned, key, count, mask, *rest, **more)

        stages.on_fragments = partial(faulty, fault=fault)
        Path(fault.folder).mkdir(exist_ok=True)
        try:
            release = anonymize_files(
                session, f"{folder}/in.parquet", PLAN, f"{folder}/{name}.parquet", fragment_size=FRAGMENT_SIZE
            )
            said = {"rows": release.manifest["output"]["rows"], "fragments": release.manifest["spark"]["fragments"]}
        except ShoalError as error:
            said = {"error": str(error)}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
