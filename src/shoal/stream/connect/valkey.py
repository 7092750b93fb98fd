"""Streams of a Valkey or Redis server: one lane, entry ids as places, and calls that are tried again."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from shoal.errors import DataError, OutputError
from shoal.stream.connect.protocols import (
    MOST_AT_ONCE,
    MOST_BYTES,
    Message,
    Output,
    Sink,
    Source,
    Stopped,
    load_client,
    refuse_another,
)

logger = logging.getLogger("shoal.stream")

T = TypeVar("T")
DATA = "data"
"""The field of an entry that holds the record."""

_FIRST_WAIT, _LONGEST_WAIT = 0.1, 10.0
"""Seconds before a call is tried again, after the first failure and at most; the wait doubles in between."""


class ValkeyServer:
    """A server with a stream; ``error`` is raised when it refuses a call."""

    def __init__(
        self, address: str, stream: str, *, stopped: Callable[[], bool], error: type[DataError] | type[OutputError]
    ) -> None:
        valkey = load_client("valkey", "Valkey and Redis need the valkey package: pip install 'shoal[valkey]'")
        self.errors = valkey.exceptions
        # The connection is made when it is first used, and made again when it breaks.
        self.client = valkey.Valkey.from_url(
            address, socket_connect_timeout=5, socket_timeout=30, health_check_interval=15
        )
        self.away: tuple[type[BaseException], ...] = (
            self.errors.ConnectionError,
            self.errors.TimeoutError,
            self.errors.BusyLoadingError,
            self.errors.ReadOnlyError,  # until a replica is promoted
            self.errors.OutOfMemoryError,  # until readers have trimmed
        )
        self._stream = stream
        self._error = error
        self._stopped = stopped

    def call(self, what: str, call: Callable[[], T]) -> T:
        """Return what the call returns, tried again while the server is away; raise `Stopped` where the run stops."""
        wait = _FIRST_WAIT
        while True:
            try:
                return call()
            except (self.errors.AuthenticationError, self.errors.AuthorizationError):
                raise self._error(
                    f"the server of the stream {self._stream!r} refuses the user or the password"
                ) from None
            except self.away as error:
                logger.warning("valkey: %s waits: %s; trying again in %.1f s", what, self._reason(error), wait)
            except self.errors.ResponseError as error:
                raise self._error(f"the stream {self._stream!r} refuses {what}: {type(error).__name__}") from None
            end = time.monotonic() + wait
            while (left := end - time.monotonic()) > 0:
                if self._stopped():
                    raise Stopped
                time.sleep(min(left, 0.1))
            wait = min(2 * wait, _LONGEST_WAIT)

    def _reason(self, error: BaseException) -> str:
        """Say what an error means: its own message may quote a server, or a record."""
        words = {
            self.errors.BusyLoadingError: "the server is still loading its data",
            self.errors.ReadOnlyError: "the server is a replica, which only reads",
            self.errors.OutOfMemoryError: "the server has no memory left",
            self.errors.TimeoutError: "the server does not answer in time",
        }
        return next((said for kind, said in words.items() if isinstance(error, kind)), "no server answers")

    def close(self) -> None:
        """Disconnect."""
        self.client.close()


_FIRST = 100  # entries asked for before their size is known


class ValkeySource(Source):
    """Entries of a stream, each with a record as JSON in its field ``data``.

    Entries are read by their ids, as a log: the server hands them out in the same order every time. A consumer group is
    the bookmark that says where to begin when there is no state; without both, the first entry kept, or what comes next
    if ``latest``. It has nothing more as soon as a read comes back empty: that was an answer of the server.
    """

    def __init__(
        self, stream: str, *, server: str, group: str = "shoal", latest: bool = False, stopped: Callable[[], bool]
    ) -> None:
        self._stream = stream
        self._group = group
        self._latest = latest
        self._server = ValkeyServer(server, stream, stopped=stopped, error=DataError)
        self._last = "0-0"
        self._count = _FIRST

    def identity(self) -> dict[str, Any]:
        """Return the name of the stream."""
        return {"what": f"stream {self._stream!r}"}

    def open(self, places: Mapping[str, Any], identity: Mapping[str, Any] | None = None) -> None:
        """Begin after the saved entry, the bookmark, or at the first (or next) entry."""
        refuse_another(self.identity(), identity)
        place = places.get("")
        self._server.call("opening", self._make_bookmark)
        if place is None:
            place = self._server.call("reading the bookmark", self._bookmark)
        self._last = place

    def read(self, timeout: float) -> list[Message] | None:
        """Return the entries that came."""
        try:
            answer = self._server.call("reading", lambda: self._entries(timeout))
        except Stopped:
            return []
        messages = []
        for _, entries in answer:
            for entry, fields in entries:
                place = entry.decode()
                value = fields.get(DATA.encode())
                problem = None if value is not None else f"the entry has no field {DATA!r}"
                messages.append(Message("", value or b"", self._last, place, problem))
                self._last = place
        if messages:
            each = 1 + sum(len(message.value) for message in messages) // len(messages)
            self._count = max(1, min(MOST_AT_ONCE, MOST_BYTES // each))
        return messages

    def commit(self, places: Mapping[str, Any]) -> None:
        """Move the bookmark; if the server is away, the next commit does it."""
        try:
            self._server.client.xgroup_setid(self._stream, self._group, places[""])
        except (*self._server.away, self._server.errors.ResponseError) as error:
            logger.warning("valkey: the bookmark was not moved (%s)", type(error).__name__)

    def close(self) -> None:
        """Disconnect."""
        self._server.close()

    def _entries(self, timeout: float) -> Any:
        block = max(1, int(timeout * 1000))
        answer = self._server.client.xread({self._stream: self._last}, count=self._count, block=block) or []
        return answer.items() if isinstance(answer, dict) else answer

    def _make_bookmark(self) -> None:
        try:
            begin = "$" if self._latest else "0"
            self._server.client.xgroup_create(self._stream, self._group, id=begin, mkstream=True)
        except self._server.errors.ResponseError as error:
            if "BUSYGROUP" not in str(error):  # it is there already
                raise

    def _bookmark(self) -> str:
        for group in self._server.client.xinfo_groups(self._stream):
            if group["name"] in (self._group, self._group.encode()):
                last = group["last-delivered-id"]
                return str(last.decode() if isinstance(last, bytes) else last)
        raise DataError(f"the stream {self._stream!r} lost its group {self._group!r} while it was opened")


_BATCH = 1000
_DISK_MILLISECONDS = 5000


class ValkeySink(Sink):
    """Entries of a stream with the fields ``id`` and ``data``.

    An answer that got lost makes the batch be sent again, so entries may repeat: they then have the same ``id``. The
    stream is trimmed to about ``most`` entries, and grows without limit if None. It cannot be cut: readers skip what
    they have seen by its id.
    """

    def __init__(self, stream: str, *, server: str, most: int | None = None, stopped: Callable[[], bool]) -> None:
        self._stream = stream
        self._most = most
        self._server = ValkeyServer(server, stream, stopped=stopped, error=OutputError)

    def write(self, outputs: Sequence[Output]) -> None:
        """Send the entries, batch by batch, until the server has taken them."""
        for begin in range(0, len(outputs), _BATCH):
            batch = outputs[begin : begin + _BATCH]
            self._server.call("writing", lambda batch=batch: self._send(batch))  # type: ignore[misc]

    def flush(self) -> None:
        """Wait until the server has what was sent on its disk, if it keeps a log there."""
        self._server.call("writing to the disk", self._wait_for_disk)

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
