"""Streaming queries of tests: where records come from, where they go to, and how long to wait."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

import polars as pl

from shoal.spark import anonymize_stream
from spark.cluster import wait_for
from spark.visits import PLAN, SCHEMA, Record, lines

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

Found = TypeVar("Found")


def put(folder: Path, records: Iterable[Record]) -> None:
    """Add a file of records to a folder, whole at once, with the numbers of its first and last record in its name."""
    records = list(records)
    folder.mkdir(exist_ok=True)
    hidden = folder / f".{records[0]['number']:06}"
    hidden.write_text(lines(records), encoding="utf-8")
    hidden.rename(folder / f"{records[0]['number']:06}.json")


def files(spark: SparkSession, folder: Path, *, schema: str = SCHEMA) -> DataFrame:
    """Read a folder, one file in each micro-batch."""
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(str(folder))


def start(frame: DataFrame, folder: Path, **trigger: Any) -> StreamingQuery:
    """Write a stream to files in a folder, its checkpoint beside them."""
    writer = frame.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    return writer.trigger(**(trigger or {"processingTime": "0 seconds"})).start(str(folder / "out"))


_TOO_SLOW = "failed to connect back"
"""Spark gives the first worker of a query ten seconds to call, which a busy machine may not have; the query can go on.

No setting changes them: they are a constant of ``PythonWorkerFactory.createSimpleWorker`` (4.3). All other workers come
from a daemon, and have the time that ``spark.python.authenticate.socketTimeout`` says.
"""


def finish(begin: Callable[[], StreamingQuery | None]) -> None:
    """Start a query that takes what is available, and wait for its end."""
    from pyspark.errors import StreamingQueryException

    for _ in range(10):
        try:
            query = begin()
            assert query is None or query.awaitTermination(300), "the query did not end"
        except StreamingQueryException as error:
            if _TOO_SLOW not in str(error):
                raise
        else:
            return
    raise AssertionError("this machine is too busy for Spark")


def follow(begin: Callable[[], StreamingQuery], what: str, find: Callable[[], Found]) -> tuple[StreamingQuery, Found]:
    """Start a query and wait for something; return the query, which goes on, and what was found."""
    for _ in range(10):
        query = begin()
        found = wait_for(what, lambda: find() or (None if query.isActive else query))  # noqa: B023
        if found is not query:
            return query, found
        assert _TOO_SLOW in str(query.exception()), query.exception()
    raise AssertionError("this machine is too busy for Spark")


def anonymous(frame: DataFrame, **options: Any) -> DataFrame:
    """Anonymize visits by ward, with ids and in their order."""
    return anonymize_stream(
        frame, options.pop("plan", PLAN), **{"lane": "ward", "order": "number", "id": "id", **options}
    )


def written(folder: Path) -> dict[str, Record]:
    """Return what is committed to the output by its id, as the log of Spark's file sink has it; no id stands twice."""
    log = [path.read_text(encoding="utf-8") for path in sorted((folder / "out" / "_spark_metadata").glob("[0-9]*"))]
    entries = [json.loads(line) for text in log for line in text.splitlines()[1:]]
    paths = sorted({unquote(urlsplit(entry["path"]).path) for entry in entries})
    rows = [row for path in paths for row in pl.read_parquet(path).to_dicts()]
    found = {row.pop("id"): row for row in rows}
    assert len(found) == len(rows), "an id was written twice"
    return found


class LineServer:
    """Sends lines to everybody who connects.

    Parameters
    ----------
    text
        The lines.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._listener.getsockname()[1])

    def close(self) -> None:
        """End it."""
        self._listener.shutdown(socket.SHUT_RDWR)  # which wakes up who waits for a reader
        self._listener.close()
        for connection in self._connections:
            connection.close()
        self._thread.join(30)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)  # open as long as the query runs, which would end with it
            connection.sendall(self._text.encode())
