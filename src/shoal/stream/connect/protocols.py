"""Messages in and out of a stream: what every source gives, and what every sink takes."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from shoal.errors import PlanError

MOST_AT_ONCE = 2000
"""Messages that a source returns at a time, at most,"""
MOST_BYTES = 1 << 24
"""and about how many bytes of them: memory is bounded also where every message is as large as it may be."""


def load_client(module: str, problem: str) -> Any:
    """Return the client of a server, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise PlanError(problem) from None


class Message(NamedTuple):
    """One message of a source.

    Its lane is the part of the source it belongs to, such as a Kafka partition: a stream of its own, because only
    within a lane is the order the same when it is read again. Reading from the place ``before`` begins with this
    message, from ``after`` with the next.
    """

    lane: str
    value: bytes
    before: Any  # plain values (JSON)
    after: Any
    problem: str | None = None  # why the source itself refuses it
    cut: bool = False  # ``value`` is only the beginning


class Source(Protocol):
    """Messages in an order that is the same each time they are read from the same place."""

    def lanes(self) -> list[str]:
        """Return the names of the lanes; one without a name where there is only one."""
        return [""]

    def identity(self) -> dict[str, Any]:
        """Return what tells this source from others (plain values, ``what`` in words), to be saved with the places.

        It is asked for when every message that was read has been taken.
        """

    def open(self, places: Mapping[str, Any], identity: Mapping[str, Any] | None = None) -> None:
        """Begin to read, in each lane from its place; lanes without one begin where the source was left.

        ``identity`` is that of the source that the places are of: in another one they would point anywhere, so it is
        refused. So is whatever else cannot be read: no output was touched yet.
        """

    def read(self, timeout: float) -> list[Message] | None:
        """Return the messages that came, waiting up to ``timeout`` seconds for the first; None at the end."""

    def caught_up(self) -> bool:
        """Whether the source, which gave nothing of late, was asked and has nothing more; False if it is away."""
        return True

    def commit(self, places: Mapping[str, Any]) -> None:
        """Tell the source that nothing before these places is needed any more; there is at least one."""
        return

    def close(self) -> None:
        """Let go of the source."""


def refuse_another(identity: Mapping[str, Any], saved: Any) -> None:
    """Refuse a source that is not the one a state was saved with.

    >>> refuse_another({"what": "topic 'visits'"}, {"what": "topic 'trips'"})
    Traceback (most recent call last):
    ...
    shoal.errors.PlanError: the state is of topic 'trips', not of topic 'visits': give this run a state of its own
    """
    what = (saved.get("what") if isinstance(saved, Mapping) else None) or "another source"
    if saved is not None and what != identity["what"]:
        raise PlanError(f"the state is of {what}, not of {identity['what']}: give this run a state of its own")


class Stopped(Exception):  # not an error: somebody asked
    """The run was asked to stop while it waited."""


NEW = "new"
"""The place of a sink that goes with a state which knows none: nothing may stand there yet."""


class Output(NamedTuple):
    """A message that leaves.

    Its id is the same each time the record is released again after a restart: a reader that has seen it may skip it. It
    counts releases and tells nothing of the original record.
    """

    id: str
    value: bytes


class Sink(Protocol):
    """A place that takes messages in their order."""

    def write(self, outputs: Sequence[Output]) -> None:
        """Take messages; they may wait until `flush`."""

    def flush(self) -> None:
        """Return when every message taken so far is where it belongs."""

    def place(self) -> Any:
        """Return where the sink stands after a flush (plain value); None where it cannot go back."""
        return None

    def open(self, place: Any) -> bool:
        """Begin, or go back to a place, taking back what came after it; tell whether something stands before it.

        None, without a state, takes back whatever is there. Nothing is taken back before the first `write` or `flush`:
        a run that is refused before leaves everything as it was.
        """
        return False

    def close(self) -> None:
        """Let go of the sink."""


class SideOutput:
    """Lines that a run writes beside its records, to a sink of their own; they wait until `write`."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.waiting: list[Output] = []

    def write(self) -> None:
        """Hand what waits to the sink."""
        waiting, self.waiting = self.waiting, []
        self.sink.write(waiting)
