"""A stream of a Valkey or Redis server: one lane, and entry ids as places."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from shoal.errors import DataError
from shoal.stream.connect.retry import Stopped
from shoal.stream.connect.sources.base import MOST_AT_ONCE, MOST_BYTES, Message, refuse_another
from shoal.stream.connect.valkey_server import DATA, ValkeyServer

logger = logging.getLogger("shoal.stream")

_FIRST = 100  # entries asked for before their size is known


class ValkeySource:
    """Entries of a stream, each with a record as JSON in its field ``data``.

    Entries are read by their ids, as a log: the server hands them out in the same order every time. A consumer group is
    the bookmark that says where to begin when there is no state.

    Parameters
    ----------
    stream, server
        What to read, and the address of the server.
    group
        The bookmark.
    latest
        Without state and bookmark, begin with what comes next instead of the first entry kept.
    stopped
        Whether the run was asked to stop.
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

    def lanes(self) -> list[str]:
        """Return the one lane."""
        return [""]

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

    def caught_up(self) -> bool:
        """Return True: a read that came back empty was answered by the server."""
        return True

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
