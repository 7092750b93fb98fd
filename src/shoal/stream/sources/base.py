"""What every source gives: messages, each with the places before and after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol


class Message(NamedTuple):
    """One message of a source.

    Parameters
    ----------
    lane
        The part of the source it belongs to, such as a Kafka partition. Each lane is a stream of its own, because only
        within a lane is the order the same when it is read again.
    value
        The bytes.
    before, after
        Places in the lane: reading from ``before`` begins with this message, from ``after`` with the next. Plain values
        (JSON).
    problem
        Why the source itself refuses the message.
    cut
        ``value`` is only the beginning.
    """

    lane: str
    value: bytes
    before: Any
    after: Any
    problem: str | None = None
    cut: bool = False


class Source(Protocol):
    """Messages in an order that is the same each time they are read from the same place."""

    def lanes(self) -> list[str]:
        """Return the names of the lanes."""

    def open(self, places: Mapping[str, Any]) -> None:
        """Begin to read, in each lane from its place; lanes without one begin where the source was left."""

    def read(self, timeout: float) -> list[Message] | None:
        """Return the messages that came, waiting up to ``timeout`` seconds for the first; None at the end."""

    def caught_up(self) -> bool:
        """Whether the source, which gave nothing of late, was asked and has nothing more; False if it is away."""

    def commit(self, places: Mapping[str, Any]) -> None:
        """Tell the source that nothing before these places is needed any more; there is at least one."""

    def close(self) -> None:
        """Let go of the source."""
