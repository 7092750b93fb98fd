"""One lane of a stream on Spark: the engine of streams between two micro-batches, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import DataError
from shoal.plan import Plan
from shoal.spark.lane_state import LaneState, LaneTerms, pack_lane, unpack_lane
from shoal.stream import StreamAnonymizer
from shoal.stream.engine import REASONS, Released

DROPPED = {
    "too_few_subjects": "dropped: fewer than k subjects waited when it had to leave",
    "not_close": "dropped: no group within t of the stream so far could be formed when it had to leave",
}
"""What is said of a record that the engine dropped, by the engine's own reasons."""


class Outcome(NamedTuple):
    """A record that leaves with its number, or one that does not and why; never both, and nothing of the latter."""

    number: int | None
    record: Mapping[str, Any] | None
    reason: str | None


class LaneStream:
    """One lane: records in, outcomes out, everything else in bytes.

    Parameters
    ----------
    plan
        What the stream is anonymized by.
    state
        What `dump` gave after the micro-batch before; None begins anew.
    max_delay_ms
        The milliseconds that a record may wait; None sets no bound.
    refuse
        A record that does not fit the plan raises; otherwise it is an outcome with the reason.
    terms
        What records are taken by beside the plan; a state of other terms is refused.

    ``timer`` is kept for whoever sets one: the millisecond for which it is set, or None.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        state: bytes | None = None,
        max_delay_ms: int | None = None,
        refuse: bool = True,
        terms: LaneTerms | None = None,
    ) -> None:
        self._max_delay_ms = max_delay_ms
        self._refuse = refuse
        self._terms = terms or LaneTerms()
        kept = LaneState(StreamAnonymizer(plan), [], None) if state is None else unpack_lane(state, plan, self._terms)
        self._stream, self._arrivals, self.timer = kept
        self._released = self._stream.stats.released
        self._dropped: list[str] = []
        self._stream.observer = self._note_drops

    def take(self, records: Iterable[Mapping[str, Any] | DataError], now: int) -> Iterator[Outcome]:
        """Take the records of a micro-batch in their order; what leaves because of them, or never will.

        An error in place of a record says why it cannot be one.

        Raises
        ------
        DataError
            A record does not fit the plan, and ``refuse`` is on.
        """
        if self._max_delay_ms is not None:
            self._arrivals.append((self._stream.arrived, now))
        for record in records:
            try:
                if isinstance(record, DataError):
                    raise record
                left = self._stream.push(record)
            except DataError as error:
                if self._refuse:
                    raise
                yield Outcome(None, None, f"refused: {error}")
                continue
            yield from self._outcomes(left)
        self._forget_arrivals()

    def leave_overdue(self, now: int) -> Iterator[Outcome]:
        """Let go of what has waited for as long as it may."""
        if self._max_delay_ms is None:
            return
        overdue = [end for end, (_, at) in self._batches() if at + self._max_delay_ms <= now]
        if overdue:
            yield from self._outcomes(self._stream.expire(overdue[-1]))
        self._forget_arrivals()

    @property
    def due(self) -> int | None:
        """When the oldest record that waits must have left; None where none waits, or may wait for ever."""
        if self._max_delay_ms is None or not self._arrivals:
            return None
        return self._arrivals[0][1] + self._max_delay_ms

    def dump(self) -> bytes:
        """Return the whole state, records that wait as they came among it."""
        return pack_lane(LaneState(self._stream, self._arrivals, self.timer), self._terms)

    def _outcomes(self, left: Iterable[Mapping[str, Any]]) -> Iterator[Outcome]:
        for record in left:
            yield Outcome(self._released, record, None)
            self._released += 1
        dropped, self._dropped = self._dropped, []
        yield from (Outcome(None, None, DROPPED[name]) for name in dropped)

    def _note_drops(self, released: Released) -> None:
        self._dropped += [REASONS[reason] for reason in np.asarray(released.reasons).tolist()]

    def _batches(self) -> list[tuple[int, tuple[int, int]]]:
        """Return the position behind each micro-batch of which records wait, and its entry."""
        ends = [position for position, _ in self._arrivals[1:]] + [self._stream.arrived]
        return list(zip(ends, self._arrivals, strict=False))  # one end too many where there is none

    def _forget_arrivals(self) -> None:
        """Keep the micro-batches of which a record waits."""
        oldest = self._stream.oldest
        self._arrivals = [entry for end, entry in self._batches() if end > oldest]
