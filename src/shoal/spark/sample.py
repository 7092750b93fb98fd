"""A seeded sample of a table: records by a hash of their own cells, so that partitions do not decide which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F

from shoal.spark.fields import content_key, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

RECORDS = "__shoal_records"
_PARTS = 1 << 30


def drawn(frame: DataFrame, key: Column, records: int, size: int) -> DataFrame:
    """Return about so many of the records of a table, by a hash of each."""
    if size >= records:
        return frame
    return frame.where(F.pmod(key, F.lit(_PARTS)) < F.lit(int(_PARTS * size / records)))


def sampled(frame: DataFrame, names: Sequence[str], records: int, size: int, seed: int) -> pa.Table:
    """Return the different values of some columns in a sample, and how many sampled records have each."""
    chosen = drawn(frame, content_key(frame, seed), records, size)
    found = chosen.groupBy(*(F.col(quoted(name)) for name in names)).agg(F.count(F.lit(1)).alias(RECORDS)).toArrow()
    return found.sort_by([(name, "ascending") for name in names])
