"""Folders of files that Spark reads and writes: which format, and columns as the plan says."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pyspark.errors import AnalysisException
from pyspark.sql import types as T

from shoal.errors import DataError, PlanError
from shoal.plan import Plan
from shoal.spark.headers import require_same_headers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMATS = ("parquet", "csv", "orc", "json", "delta")
"""What Spark reads and writes here; Delta where its package is on the cluster."""
_ENDINGS = {".parquet": "parquet", ".csv": "csv", ".orc": "orc", ".json": "json", ".jsonl": "json", ".ndjson": "json"}


def format_of(path: str, asked: str | None = None) -> str:
    """Return the format of a folder or file: the one asked for, that of its name, or that of the files in it.

    Examples
    --------
    >>> format_of("visits.csv"), format_of("s3://lake/visits", "orc"), format_of("s3://lake/visits")
    ('csv', 'orc', 'parquet')
    """
    if asked is not None:
        if asked not in FORMATS:
            raise PlanError(f"format must be one of {', '.join(FORMATS)} on Spark, not {asked!r}")
        return asked
    name = PurePosixPath(urlsplit(path).path)
    for ending in reversed(name.suffixes):
        if ending.lower() in _ENDINGS:
            return _ENDINGS[ending.lower()]
    folder = local_path(path)
    if folder is not None and folder.is_dir():
        if (folder / "_delta_log").is_dir():
            return "delta"
        for file in sorted(folder.iterdir()):
            if file.suffix.lower() in _ENDINGS and not file.name.startswith((".", "_")):
                return _ENDINGS[file.suffix.lower()]
    return "parquet"


def local_path(path: str) -> Path | None:
    """Return a path of this machine, None of one elsewhere."""
    parts = urlsplit(path)
    if parts.scheme in ("", "file"):
        return Path(parts.path if parts.scheme else path)
    return None


def resolved(session: SparkSession, path: str) -> str:
    """Return a path as every process of Spark finds it: one of this machine from the folder that we stand in."""
    here = local_path(path)
    configured = session.sparkContext._jsc.hadoopConfiguration().get("fs.defaultFS")  # which pyspark does not show
    if here is None or here.is_absolute() or not str(configured).startswith("file:"):
        return path
    return str(here.absolute())


def read(session: SparkSession, path: str, plan: Plan, *, file_format: str, **how: Any) -> DataFrame:
    """Read a table; the cells of CSV files as the plan declares their columns, text where it does not say.

    Raises
    ------
    DataError
        There is nothing, or its files do not have the same columns.
    """
    where = resolved(session, path)
    try:
        if file_format == "csv":
            return _read_csv(session, where, plan, how)
        reader = session.read.format(file_format)
        if file_format in ("parquet", "orc"):
            reader = reader.option("mergeSchema", "true")
        return reader.load(where)
    except AnalysisException as error:
        condition = error.getCondition() or ""
        if condition == "PATH_NOT_FOUND":
            raise DataError(f"there is no table at {path}") from None
        if condition.startswith("DATA_SOURCE_NOT_FOUND"):
            raise DataError(
                f"Spark has no package for {file_format}: add it by spark.jars.packages, or choose another format"
            ) from None
        if condition.startswith("UNABLE_TO_INFER_SCHEMA"):
            raise DataError(f"there are no {file_format} files at {path}") from None
        raise
    except Exception as error:
        if "CANNOT_MERGE_SCHEMAS" in str(error) or "Failed merging schema" in str(error):
            raise DataError(
                f"the files at {path} do not have the same types in the same columns: convert them to one schema first"
            ) from None
        raise


def _read_csv(session: SparkSession, path: str, plan: Plan, how: dict[str, Any]) -> DataFrame:
    options = {"header": "true", "mode": "FAILFAST", **{key: value for key, value in how.items() if value is not None}}
    listed = session.read.options(**options).schema(T.StructType([])).csv(path).inputFiles()
    require_same_headers(session, listed, options)
    guessed = session.read.options(**options).option("inferSchema", "true").csv(path).schema
    fields = []
    for field in guessed.fields:
        declared = plan.attributes.get(field.name)
        kind = None if declared is None else declared.kind
        is_text = (kind is None or kind.is_categorical) and field.name != plan.weights
        fields.append(T.StructField(field.name, T.StringType() if is_text else field.dataType, nullable=True))
    frame = session.read.options(**options).schema(T.StructType(fields)).csv(path)
    if not set(frame.inputFiles()) <= set(listed):
        raise DataError(f"files were added at {path} while it was read: wait until all are there")
    return frame


def write(frame: DataFrame, path: str, *, file_format: str) -> DataFrame:
    """Write a table into an empty folder, and return it as it is read from there."""
    writer = frame.write.format(file_format)
    if file_format == "csv":
        writer = writer.option("header", "true")
    writer.mode("append").save(path)  # into the folder that was made for it
    return read_back(frame, path, file_format=file_format)


def read_back(frame: DataFrame, path: str, *, file_format: str) -> DataFrame:
    """Return a table with the columns of another as it stands in a folder."""
    reader = frame.sparkSession.read.format(file_format)
    if file_format == "csv":
        reader = reader.option("header", "true").option("mode", "FAILFAST")
    where = re.sub(r"([\\{}\[\]*?])", r"\\\1", path)  # one folder of that very name, not all that match it
    return reader.load(path) if file_format == "delta" else reader.schema(frame.schema).load(where)
