"""Folders of files that Spark reads and writes: which format, columns as the plan says, one header in all files."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from shoal.errors import DataError, PlanError
from shoal.plan import Plan

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


class HadoopPath:
    """A path on whichever file system of the cluster it is, by Java: pyspark does not show them."""

    def __init__(self, session: SparkSession, address: Any) -> None:
        java: Any = session._jvm
        self._hadoop = java.org.apache.hadoop
        self._configuration = session.sparkContext._jsc.hadoopConfiguration()
        self.where = self._hadoop.fs.Path(address)
        self.files = self.where.getFileSystem(self._configuration)

    def exists(self) -> bool:
        """Whether there is something."""
        return bool(self.files.exists(self.where))

    def allow(self, mode: str) -> None:
        """Set the permissions, given by digits."""
        self.files.setPermission(self.where, self._hadoop.fs.permission.FsPermission(mode))

    def beginning(self, size: int) -> bytes:
        """Return the first bytes of a file, unpacked."""
        codec = self._hadoop.io.compress.CompressionCodecFactory(self._configuration).getCodec(self.where)
        with closing(self.files.open(self.where)) as stream:
            return bytes((stream if codec is None else codec.createInputStream(stream)).readNBytes(size))


def read(session: SparkSession, path: str, plan: Plan, *, file_format: str, **how: Any) -> DataFrame:
    """Read a table; the cells of CSV files as the plan declares their columns, text where it does not say.

    Raises DataError: there is nothing, or its files do not have the same columns.
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


_SIZES = (1 << 16, 1 << 24)
"""Bytes in which a header is looked for: almost always in the first few, and no file without lines fills the driver."""
_AT_ONCE = 8
"""Files that are opened at a time: on a store that is far away, to open one takes longer than to read its header."""
_BLANK = "".join(map(chr, range(33)))
"""What Spark takes for nothing at both ends of a line."""


def require_same_headers(session: SparkSession, files: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuse files of one table that do not name the same columns in the same order.

    The error names the file and not what stands in it: the first line of a file without a header is a record. Files
    that hold nothing have no header, and no record that could leave.
    """
    if len(files) < 2 or str(options["header"]).lower() != "true":  # places are what was asked for then
        return
    ordered = sorted(files)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = zip(ordered, pool.map(partial(_header, session, options), ordered), strict=True)
        headers = ((file, names) for file, names in found if names is not None)
        first, expected = next(headers, ("", []))
        for file, names in headers:
            if names != expected:
                raise DataError(
                    f"{shown(file)} does not begin with the header of {shown(first)}: all files of a table must "
                    "name the same columns in the same order; give it that header, or anonymize it by itself"
                )


def shown(file: str) -> str:
    """Return the path of an address that Spark lists, as people write it."""
    return unquote(urlsplit(file).path) if file.startswith("file:") else unquote(file)


def _header(session: SparkSession, options: Mapping[str, Any], file: str) -> list[str] | None:
    """Return the names of columns in the first line of a file that is neither blank nor a comment.

    Or that line, where it cannot be divided here; None of a file that holds nothing.
    """
    java: Any = session._jvm
    for size in _SIZES:
        data = HadoopPath(session, java.java.net.URI(file)).beginning(size)
        # By Java, which knows every name of an encoding that Spark takes.
        charset = java.java.nio.charset.Charset.forName(options.get("encoding") or options.get("charset") or "UTF-8")
        text: str = charset.decode(java.java.nio.ByteBuffer.wrap(data)).toString()
        line = _first_line(text.removeprefix("\ufeff"), options, is_whole=len(data) < size)
        if line is not None:
            return _names(line, options) if line else None
    raise DataError(f"{shown(file)} has no line of less than {_SIZES[-1] >> 20} MiB at its beginning: no header")


def _first_line(text: str, options: Mapping[str, Any], *, is_whole: bool) -> str | None:
    """Return the header, an empty text where there is none; None where it goes on behind this text."""
    separator = options.get("lineSep")
    lines = text.split(separator) if separator else text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    comment = options.get("comment")
    several = str(options.get("multiLine", False)).lower() == "true"
    quote, escape = options.get("quote", '"'), options.get("escape", "\\")
    header: list[str] = []
    for line in lines if is_whole else lines[:-1]:
        if not header and (not line.strip(_BLANK) or (comment and line.startswith(comment))):
            continue
        header.append(line)
        if not several or not quote or "\n".join(header).replace(f"{escape}{quote}", "").count(quote) % 2 == 0:
            return "\n".join(header)
    return "\n".join(header) if is_whole else None


def _names(line: str, options: Mapping[str, Any]) -> list[str]:
    """Return the names in a header, so that quotes make no difference between files."""
    separator, quote = options.get("sep", ","), options.get("quote", '"')
    if len(separator) != 1 or len(quote) != 1:
        return [line]
    try:
        return next(csv.reader([line], delimiter=separator, quotechar=quote, strict=True), [line])
    except csv.Error:  # a quote inside of a name, or a name without end: compared as it is
        return [line]
