"""A Python data source of visits, and processors that die in the middle: what workers of Spark import."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import Row
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from shoal.spark.lane import LaneProcessor, LaneShape
from spark.visits import SCHEMA, visits

BATCHES = 3
DEATHS = ("while records left", "after the state was written")


class Visits(DataSource):
    """``count`` visits in three micro-batches of two partitions each."""

    @classmethod
    def name(cls) -> str:
        return "visits"

    def schema(self) -> str:
        return SCHEMA

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return _Reader(int(self.options["count"]))


class _Part(InputPartition):
    def __init__(self, start: int, end: int, step: int) -> None:
        super().__init__((start, end, step))


class _Reader(DataSourceStreamReader):
    def __init__(self, count: int) -> None:
        self._count = count

    def initialOffset(self) -> dict[str, int]:
        return {"number": 0}

    def latestOffset(self, start: dict[str, int], limit: object) -> dict[str, int]:
        return {"number": min(self._count, start["number"] + -(-self._count // BATCHES))}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        return [_Part(start["number"] + part, end["number"], 2) for part in range(2)]

    def read(self, partition: Any) -> Iterator[tuple[Any, ...]]:
        records = visits(self._count)
        for number in range(*partition.value):
            yield tuple(records[number].values())


class Dying(LaneProcessor):
    """A processor whose worker is killed twice: while records leave, and when its state is written, not committed."""

    def __init__(self, shape: LaneShape, folder: Path) -> None:
        super().__init__(shape)
        self._folder = folder

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        for count, row in enumerate(super().handleInputRows(key, rows, timerValues)):
            if count == 5:
                self._die(DEATHS[0])
            yield row
        self._die(DEATHS[1])

    def _die(self, when: str) -> None:
        if not (self._folder / when).exists():
            (self._folder / when).touch()
            os.kill(os.getpid(), signal.SIGKILL)
