"""Headers of CSV files: Spark takes the names of one file, and the columns of all others by their places."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from shoal.errors import DataError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SIZES = (1 << 16, 1 << 24)
"""Bytes in which a header is looked for: almost always in the first few, and no file without lines fills the driver."""
_AT_ONCE = 8
"""Files that are opened at a time: on a store that is far away, to open one takes longer than to read its header."""
_BLANK = "".join(map(chr, range(33)))
"""What Spark takes for nothing at both ends of a line."""


def require_same_headers(session: SparkSession, files: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuse files of one table that do not name the same columns in the same order.

    Raises
    ------
    DataError
        The file. What stands in it is not said: the first line of a file without a header is a record.

    Notes
    -----
    Files that hold nothing have no header, and no record that could leave.
    """
    if len(files) < 2 or str(options["header"]).lower() != "true":  # places are what was asked for then
        return
    reader = _HeaderReader(session, options)
    ordered = sorted(files)
    first: tuple[str, list[str]] | None = None
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for file, names in zip(ordered, pool.map(reader, ordered), strict=True):
            if names is None:
                continue
            first = first or (file, names)
            if names != first[1]:
                raise DataError(
                    f"{shown(file)} does not begin with the header of {shown(first[0])}: all files of a table must "
                    "name the same columns in the same order; give it that header, or anonymize it by itself"
                )


def shown(file: str) -> str:
    """Return the path of an address that Spark lists, as people write it."""
    return unquote(urlsplit(file).path) if file.startswith("file:") else unquote(file)


@dataclass(frozen=True, eq=False)
class _HeaderReader:
    """Reads the names of columns in the first line of a file that is neither blank nor a comment."""

    session: SparkSession
    options: Mapping[str, Any]

    def __call__(self, file: str) -> list[str] | None:
        """Return the names, or the line where it cannot be divided here; None of a file that holds nothing."""
        for size in _SIZES:
            text, is_whole = self._beginning(file, size)
            line = self._first_line(text, is_whole=is_whole)
            if line is not None:
                return self._names(line) if line else None
        raise DataError(f"{shown(file)} has no line of less than {_SIZES[-1] >> 20} MiB at its beginning: no header")

    def _beginning(self, file: str, size: int) -> tuple[str, bool]:
        """Return the first bytes of a file as text, unpacked, and whether they are all."""
        jvm: Any = self.session._jvm  # the one way to the file systems of the cluster
        configuration = self.session.sparkContext._jsc.hadoopConfiguration()
        path = jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(file))
        codec = jvm.org.apache.hadoop.io.compress.CompressionCodecFactory(configuration).getCodec(path)
        stream = path.getFileSystem(configuration).open(path)
        try:
            data = (stream if codec is None else codec.createInputStream(stream)).readNBytes(size)
        finally:
            stream.close()
        charset = self.options.get("encoding") or self.options.get("charset") or "UTF-8"
        # By Java, which knows every name of an encoding that Spark takes.
        text = jvm.java.nio.charset.Charset.forName(charset).decode(jvm.java.nio.ByteBuffer.wrap(data)).toString()
        return text.removeprefix("\ufeff"), len(data) < size

    def _first_line(self, text: str, *, is_whole: bool) -> str | None:
        """Return the header, an empty text where there is none; None where it goes on behind this text."""
        separator = self.options.get("lineSep")
        lines = text.split(separator) if separator else text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        comment = self.options.get("comment")
        several = str(self.options.get("multiLine", False)).lower() == "true"
        quote, escape = (self.options.get(name, default) for name, default in (("quote", '"'), ("escape", "\\")))
        found: list[str] = []
        for line in lines if is_whole else lines[:-1]:
            if not found and (not line.strip(_BLANK) or (comment and line.startswith(comment))):
                continue
            found.append(line)
            if not several or not quote or "\n".join(found).replace(f"{escape}{quote}", "").count(quote) % 2 == 0:
                return "\n".join(found)
        return "\n".join(found) if is_whole else None

    def _names(self, line: str) -> list[str]:
        """Return the names in a header, so that quotes make no difference between files."""
        separator, quote = self.options.get("sep", ","), self.options.get("quote", '"')
        if len(separator) != 1 or len(quote) != 1:
            return [line]
        try:
            return next(csv.reader([line], delimiter=separator, quotechar=quote, strict=True), [line])
        except csv.Error:  # a quote inside of a name, or a name without end: compared as it is
            return [line]
