"""A stream of a Valkey or Redis server: each entry has the id of the record and the record."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from shoal.errors import OutputError
from shoal.stream.connect.sinks.base import Output
from shoal.stream.connect.valkey_server import DATA, ValkeyServer

_BATCH = 1000
_DISK_MILLISECONDS = 5000


class ValkeySink:
    """Entries of a stream with the fields ``id`` and ``data``.

    An answer that got lost makes the batch be sent again, so entries may repeat: they then have the same ``id``.

    Parameters
    ----------
    stream, server
        What to write to, and the address of the server.
    most
        Trim the stream to about this many entries; it grows without limit if None.
    stopped
        Whether the run was asked to stop.
    """

    def __init__(self, stream: str, *, server: str, most: int | None = None, stopped: Callable[[], bool]) -> None:
        self._stream = stream
        self._most = most
        self._server = ValkeyServer(server, stream, stopped=stopped, error=OutputError)

    def open(self, place: Any) -> bool:
        """Do nothing: a stream cannot be cut."""
        return False

    def write(self, outputs: Sequence[Output]) -> None:
        """Send the entries, batch by batch, until the server has taken them."""
        for begin in range(0, len(outputs), _BATCH):
            batch = outputs[begin : begin + _BATCH]
            self._server.call("writing", lambda batch=batch: self._send(batch))  # type: ignore[misc]

    def flush(self) -> None:
        """Wait until the server has what was sent on its disk, if it keeps a log there."""
        self._server.call("writing to the disk", self._wait_for_disk)

    def place(self) -> Any:
        """Return nothing: readers skip what they have seen by its id."""
        return None

    def close(self) -> None:
        """Disconnect."""
        self._server.close()

    def _wait_for_disk(self) -> None:
        # A server without an append-only file, or older than the command, says so: then an answer is all it can give.
        with contextlib.suppress(self._server.errors.ResponseError):
            self._server.client.waitaof(1, 0, _DISK_MILLISECONDS)

    def _send(self, batch: Sequence[Output]) -> None:
        pipe = self._server.client.pipeline(transaction=False)
        for output in batch:
            pipe.xadd(
                self._stream,
                {"id": output.id, DATA: output.value},
                maxlen=self._most,
                approximate=self._most is not None,
            )
        pipe.execute()
