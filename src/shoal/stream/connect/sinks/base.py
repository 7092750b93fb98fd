"""What every sink takes: released records with their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

NEW = "new"
"""The place of a sink that goes with a state which knows none: nothing may stand there yet."""


class Output(NamedTuple):
    """A message that leaves.

    Parameters
    ----------
    id
        The same each time this record is released again after a restart: a reader that has seen it may skip it. It
        counts releases and tells nothing of the original record.
    value
        The bytes.
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
        """Return where the sink stands after a flush, if it can go back there (plain value)."""

    def open(self, place: Any) -> bool:
        """Begin, or go back to a place, taking back what came after it; tell whether something stands before it.

        None, without a state, takes back whatever is there. Nothing is taken back before the first `write` or `flush`:
        a run that is refused before leaves everything as it was.
        """

    def close(self) -> None:
        """Let go of the sink."""
