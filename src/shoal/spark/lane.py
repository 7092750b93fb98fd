"""One lane of a stream on Spark: its records of a micro-batch in, what leaves out, the state between two of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from shoal.classes import is_missing
from shoal.errors import DataError
from shoal.frames.calendar import OUTSIDE
from shoal.plan import Plan
from shoal.spark.lane_state import BEYOND, TIE, LaneState, LaneTerms, pack_lane, unpack_lane
from shoal.stream import StreamAnonymizer
from shoal.stream.engine import REASONS, Released
from shoal.stream.engine.stream_encoder import StreamEncoder

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

    ``timer`` is for whoever sets one: the millisecond for which it is set, or None.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        state: bytes | None = None,  # what `dump` gave after the micro-batch before; None begins anew
        max_delay_ms: int | None = None,  # the milliseconds that a record may wait; None sets no bound
        refuse: bool = True,  # a record that does not fit the plan raises; otherwise it is an outcome with the reason
        terms: LaneTerms | None = None,  # what records are taken by beside the plan; a state of other terms is refused
    ) -> None:
        self._max_delay_ms = max_delay_ms
        self._refuse = refuse
        self._terms = terms or LaneTerms()
        begun = LaneState(StreamAnonymizer(plan), [], None) if state is None else unpack_lane(state, plan, self._terms)
        self._stream, self._arrivals, self.timer = begun
        self._released = self._stream.stats.released
        self._dropped: list[str] = []
        self._stream.observer = self._note_drops

    def take(self, records: Iterable[Mapping[str, Any] | DataError], now: int) -> Iterator[Outcome]:
        """Take the records of a micro-batch in their order; what leaves because of them, or never will.

        An error in place of a record says why it cannot be one.

        Raises DataError: a record does not fit the plan, and ``refuse`` is on.
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


@dataclass(frozen=True, kw_only=True)
class LaneShape:
    """What the rows of a lane look like on both sides."""

    plan: Mapping[str, Any]  # what the stream is anonymized by, as plain values: what Spark sends to its workers
    columns: Mapping[str, str]  # those of the plan and their types, as rows have them, behind `TIE` and `BEYOND`
    order: int  # how many columns before these say in which order the rows of a micro-batch came
    released: Mapping[str, type | None]  # those that leave, with the Python type of their values; None for any
    lane: str | None  # the column of the lane; None where there is one only
    id: str | None  # the column of ids; None leaves it out
    reason: str | None  # the column of reasons; None leaves it out
    max_delay_ms: int | None  # the milliseconds that a record may wait; None sets no bound


class LaneProcessor(StatefulProcessor):
    """Runs one engine of streams for each lane.

    A micro-batch is taken in the order of its rows by the columns that say it, whatever the order in which a shuffle
    brings them: so a micro-batch that is run again, after a crash, gives the same groups under the same ids.
    """

    def __init__(self, shape: LaneShape) -> None:
        self._shape = shape

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state."""
        self._handle = handle
        self._plan = Plan.from_mapping(self._shape.plan)
        self._state = handle.getValueState("lane", "snapshot binary")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        """Take the rows of one lane."""
        lane = self._restored()
        arrived = list(rows)
        tie, beyond = map(arrived[0].__fields__.index, (TIE, BEYOND))
        # The content itself is last: different records may have one hash, and some types have none.
        arrived.sort(key=lambda row: (_order_key(row[tie - self._shape.order : tie + 1]), repr(row[beyond:])))
        records = (self._record(row[beyond], row[beyond + 1 :]) for row in arrived)
        yield from self._written(key, lane.take(records, timerValues.getCurrentProcessingTimeInMs()))
        self._keep(lane)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        """Let go of what is overdue in one lane."""
        lane, now = self._restored(), timerValues.getCurrentProcessingTimeInMs()
        yield from self._written(key, lane.leave_overdue(now))
        if lane.timer is not None and lane.timer <= now:  # another one may go off that was set for a longer wait
            lane.timer = None
        self._keep(lane)

    def _record(self, beyond: str | None, cells: Sequence[Any]) -> dict[str, Any] | DataError:
        """Return a record, or why it is none: Spark has dates that Python cannot hold."""
        if beyond is not None:
            return DataError(f"column {beyond!r} has {OUTSIDE}: mend it, or make it missing")
        return dict(zip(self._shape.columns, cells, strict=True))

    def _restored(self) -> LaneStream:
        """Return the lane as the micro-batch before left it."""
        state = self._state.get()
        return LaneStream(
            self._plan,
            state=None if state is None else bytes(state[0]),
            max_delay_ms=self._shape.max_delay_ms,
            refuse=self._shape.reason is None,
            terms=LaneTerms(self._shape.lane, self._shape.columns),
        )

    def _keep(self, lane: LaneStream) -> None:
        """Keep the state, and see to it that a timer is set for the oldest record that waits."""
        if lane.due is not None and (lane.timer is None or lane.due < lane.timer):
            self._handle.registerTimer(lane.due)
            lane.timer = lane.due
        self._state.update((lane.dump(),))

    def _written(self, key: Sequence[Any], outcomes: Iterable[Outcome]) -> Iterator[Row]:
        shape = self._shape
        prefix = "" if shape.lane is None or key[0] is None else f"{key[0]}-"
        lane_alone = cache(self._lane_alone)
        for outcome in outcomes:
            cells: dict[str, Any] = {}
            if shape.id is not None:
                cells[shape.id] = None if outcome.number is None else f"{prefix}{outcome.number}"
            if outcome.record is not None:
                cells |= {name: _typed(name, outcome.record[name], kind) for name, kind in shape.released.items()}
            elif shape.reason is None:
                continue
            else:
                cells |= dict.fromkeys(shape.released) | lane_alone(key[0])
            if shape.reason is not None:
                cells[shape.reason] = outcome.reason
            yield Row(**cells)

    def _lane_alone(self, value: Any) -> dict[str, Any]:
        """Return what a row has that tells nothing else of its record: the lane, unless the plan refuses its value."""
        lane = self._shape.lane
        if lane is None:
            return {}
        encoder = StreamEncoder(self._plan)
        try:
            for column in (*encoder.columns, *encoder.judged):
                if column.name == lane:
                    column.axes({lane: value})
        except DataError:
            return {}
        return {lane: _typed(lane, value, self._shape.released[lane])}


def _typed(name: str, value: Any, kind: type | None) -> Any:
    """Return a value as one of the column's type: engines give whole numbers where they round to such."""
    if value is None or kind is None:
        return value
    try:
        typed = kind(value)
        fits = not isinstance(value, str) and (kind is float or typed == value)
    except (ValueError, TypeError, OverflowError):
        fits = False
    if not fits:
        raise DataError(f"column {name!r} would leave with a value that its type cannot hold: convert it before")
    return typed


def _order_key(cells: Sequence[Any]) -> tuple[tuple[bool, Any], ...]:
    """Return what rows are sorted by; what is missing or no number goes last."""
    return tuple((True, 0) if is_missing(cell) else (False, cell) for cell in cells)
