"""A lane: one stream with its state, which goes on after a crash exactly where its snapshot was taken."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping
from typing import Any

from shoal.errors import DataError, PlanError, counted
from shoal.plan import Plan
from shoal.stream.connect.message_formats import MessageFormat, nested_levels
from shoal.stream.connect.protocols import Message
from shoal.stream.engine import StreamAnonymizer
from shoal.stream.engine.snapshot import Snapshot

CONTAINER = 200
"""Bytes that an object or a list counts for: ``{}`` and ``[]`` are two letters of a message."""

ITEM = 64
"""Bytes that whatever stands in one counts for, at least: ``1.5`` is a number of 24 bytes and a place in a list."""


def held_bytes(record: Mapping[str, Any], message: int) -> int:
    """Return the bytes that a record, as decoded from a message of so many bytes, counts for while it waits.

    The same for the same message wherever it is read, because groups depend on it. So the numbers are fixed, somewhat
    above what Python takes, and not measured.

    >>> held_bytes({"age": 30}, 11), held_bytes({"tags": [[], [1]]}, 19)
    (11, 811)
    """
    return message + sum(CONTAINER + ITEM * len(value) for level in nested_levels(record) for value in level)


logger = logging.getLogger("shoal.stream")

_MARKS = 50
"""About how many places are remembered within the buffer."""


class Lane:
    """One stream of messages; its name, empty where there is only one, is the first part of its ids.

    It goes on from the state that `dump` gave in an earlier run. Of that ``max_bytes``, which bounds the messages whose
    records wait (see `StreamAnonymizer`), is a part: with another bound a restart would form other groups.
    """

    def __init__(
        self,
        name: str,
        *,
        plan: Plan,
        format: MessageFormat,
        state: Snapshot | None = None,
        max_bytes: int | None = None,
    ) -> None:
        self.name = name
        self._hurried = False
        self._format = format
        self._marks: deque[tuple[int, Any]] = deque()  # positions of some records and the places before them
        self.place: Any = None  # to go on reading from
        self.ending = False
        self.refused = 0
        self._mark_every = max(1, (plan.stream.max_delay if plan.stream else 100) // _MARKS)
        if state is not None:
            header, parts = state
            _require_plain(header)
            self.anonymizer = StreamAnonymizer.load(header["stream"], parts, plan=plan)
            if self.anonymizer.text != format.text:
                raise PlanError(
                    "the state is of records in another format (JSON or CSV): go on with that one, or start without it"
                )
            if self.anonymizer.max_bytes != max_bytes:
                raise PlanError(
                    f"the state was made with --max-buffer-bytes {self.anonymizer.max_bytes}: go on with that, or "
                    "start without it"
                )
            self.place, self.ending, self.refused = (header[key] for key in ("place", "ending", "refused"))
            self._marks.extend((position, place) for position, place in header["marks"])
        else:
            self.anonymizer = StreamAnonymizer(plan, text=format.text, max_bytes=max_bytes)
        self.released = self.anonymizer.stats.released

    def take(self, message: Message) -> list[tuple[str, dict[str, Any]]]:
        """Take a message; return the records that leave because of it, with their ids.

        One that is no record of the plan raises DataError: it is counted, and the stream goes on without it.
        """
        self.place = message.after
        try:
            if message.problem is not None:
                raise DataError(message.problem)
            record = self._format.decode(message.value)
            released = self.anonymizer.push(record, size=held_bytes(record, len(message.value)))
        except DataError:
            self.refused += 1
            raise
        if self.anonymizer.hurried and not self._hurried:
            self._hurried = True
            logger.warning(
                "the buffer would hold more than %s, so records leave before their time: raise --max-buffer-bytes, or "
                "lower --max-delay",
                counted(self.anonymizer.max_bytes or 0, "byte"),
            )
        position = self.anonymizer.arrived - 1
        if position % self._mark_every == 0:
            self._marks.append((position, message.before))
        return self._numbered(released)

    def flush(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the records that leave at the end."""
        released = self._numbered(self.anonymizer.flush())
        self.ending = False
        return released

    def dump(self) -> Snapshot:
        """Return the whole state."""
        stream, parts = self.anonymizer.dump()
        own = {"place": self.place, "ending": self.ending, "refused": self.refused, "marks": list(self._marks)}
        return Snapshot({"stream": stream, **own}, parts)

    def oldest_place(self) -> Any:
        """Return a place that no record still in the buffer stands before; None if there is nothing to tell."""
        oldest = self.anonymizer.oldest
        if oldest == self.anonymizer.arrived:
            return self.place
        while len(self._marks) > 1 and self._marks[1][0] <= oldest:
            self._marks.popleft()
        return self._marks[0][1] if self._marks else None

    def _numbered(self, released: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
        first = self.released
        self.released += len(released)
        prefix = f"{self.name}-" if self.name else ""
        return [(f"{prefix}{number}", record) for number, record in enumerate(released, start=first)]


def _require_plain(header: Mapping[str, Any]) -> None:
    """Refuse a state that `Lane.dump` does not give."""
    fits = isinstance(header, Mapping) and isinstance(header.get("stream"), Mapping) and "place" in header
    fits = fits and isinstance(header.get("ending"), bool) and type(header.get("refused")) is int
    marks = header.get("marks") if fits else None
    pairs = isinstance(marks, list) and all(isinstance(mark, list | tuple) and len(mark) == 2 for mark in marks)
    if not pairs or not all(type(position) is int for position, _ in header["marks"]):
        raise DataError("the state of a lane is not what it should be: go back to an older one or start anew")
