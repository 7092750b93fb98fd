"""The loop of ``shoal stream``: messages from a source, through their lanes, to a sink."""

from __future__ import annotations

import copy
import functools
import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from shoal.errors import DataError, PlanError
from shoal.plan import Plan
from shoal.stream.connect.lane import Lane
from shoal.stream.connect.line_sink import require_nothing_after, require_nothing_more
from shoal.stream.connect.message_formats import DeadLetters, Incoming, Outgoing
from shoal.stream.connect.metrics import Metrics
from shoal.stream.connect.protocols import NEW, Message, Output, SideOutput, Sink, Stopped
from shoal.stream.connect.state_folder import RunState, read_state, write_state
from shoal.stream.connect.trace import TraceWriter

logger = logging.getLogger("shoal.stream")

AtEnd = Literal["flush", "save"]
_WAIT = 0.2  # seconds that a read waits for the first message
_SINKS = ("sink", "dead", "trace")


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a run behaves."""

    state: Path | None = None  # folder of the snapshot; None keeps nothing
    # Between two snapshots, more if writing one takes long; 0 writes one after every batch of messages.
    checkpoint_seconds: float = 10.0
    log_seconds: float | None = 10.0  # between two lines of metrics; None writes none but the last
    idle_seconds: float | None = None  # a source that gave nothing for so long has ended; None waits forever
    # What happens to records in the buffer at the end of the source, and when the run is asked to stop.
    on_end: AtEnd = "flush"
    on_stop: AtEnd = "flush"
    id_field: str | None = None  # name of the field that carries the id in lines; None leaves it out
    # Bytes of messages whose records wait in a lane; beyond, the oldest leave before their time. None sets no bound.
    max_buffer_bytes: int | None = 1 << 30
    key: bytes | None = None  # seals the snapshot, so that who does not have it cannot change it unnoticed


class Runner:
    """Runs a stream until its source ends or it is asked to stop.

    Messages that are no records go to ``dead_letters``; without, the first ends the run. The trace tells which records
    left together and when.
    """

    def __init__(
        self,
        plan: Plan,
        incoming: Incoming,
        outgoing: Outgoing,
        *,
        dead_letters: DeadLetters | None = None,
        trace: TraceWriter | None = None,
        options: RunOptions | None = None,
    ) -> None:
        self._plan = plan
        self._source, self._reads = incoming
        self._sink, self._writes = outgoing
        self._dead = dead_letters
        self._trace = trace
        beside = {"dead": dead_letters, "trace": trace}
        self._beside: dict[str, SideOutput] = {name: output for name, output in beside.items() if output is not None}
        self._options = options or RunOptions()
        if self._options.id_field in plan.attributes:
            raise PlanError(f"the id field {self._options.id_field!r} is a column of the plan: choose another name")
        self._lanes: dict[str, Lane] = {}
        self._stopping = False
        self._opening = False
        self._taken = self._written = False  # whether anything was, in this run
        self._beginning: RunState | None = None  # of a run with a state that has written nothing yet
        self._shared: dict[str, Any] = {}  # kept with the lanes' states: of source and sinks
        self._headed = False  # whether the names of the columns stand before what is written
        self.metrics = Metrics(lambda: list(self._lanes.values()))

    def stop(self) -> None:
        """Ask the run to end soon; safe to call from a signal handler."""
        self._stopping = True
        if self._opening:  # a named pipe may wait for its other end for ever, and only an exception ends that
            raise Stopped

    def run(self) -> None:
        """Run to the end."""
        try:
            self._opening = True
            self._open()
            self._opening = False
            self._loop()
        except Stopped:
            # Asked to stop while a server is away: what was released is not all delivered, and comes again next time.
            logger.warning("stopped while it waited for a server or a pipe; the last snapshot says where to go on")
        finally:
            self._opening = False
            self._source.close()
            for sink in self._sinks().values():
                sink.close()
            self.metrics.log(last=True)

    def _open(self) -> None:
        names = self._source.lanes()
        self._shared, states = read_state(self._options.state, names, key=self._options.key)
        for name in names:
            self._lanes[name] = Lane(
                name,
                plan=self._plan,
                format=self._reads,
                state=states.get(name),
                max_bytes=self._options.max_buffer_bytes,
            )
            if self._trace is not None:
                self._lanes[name].anonymizer.observer = functools.partial(self._trace.add, name)
        # The source first: if it is not there, no output is touched.
        places = {name: lane.place for name, lane in self._lanes.items() if lane.place is not None}
        self._source.open(places, self._shared.get("source"))
        left = self._left_open()
        begun = {
            name: self._open_sink(sink, self._shared.get(name), ended=name not in left)
            for name, sink in self._sinks().items()
        }
        self._headed = begun["sink"]
        shape = [self._writes.text, self._options.id_field]
        if self._headed and self._shared.get("shape") != shape:
            raise PlanError(
                "the output holds records in another format or with another id field: go on with those, or name a new "
                "file"
            )
        self._shared |= {"shape": shape, "ended": False, "left_open": [name for name in left if name not in begun]}
        self._beginning = None if self._options.state is None else copy.deepcopy(self._state())
        ending = [lane for lane in self._lanes.values() if lane.ending]
        for lane in ending:  # a flush was asked for, and perhaps not carried out
            self._write(lane.flush())
        if ending:
            self._checkpoint()

    def _left_open(self) -> list[str]:
        """Return the sinks that a run which did not end may have written to, and no run has gone on with since."""
        if self._shared.get("ended") is not True:
            return list(_SINKS)
        left = self._shared.get("left_open")
        return [name for name in _SINKS if isinstance(left, list) and name in left]

    def _open_sink(self, sink: Sink, place: Any, *, ended: bool) -> bool:
        if self._options.state is None:
            return sink.open(None)
        begun = sink.open(NEW if place is None else place)
        if place is not None and sink.place() != place:
            require_nothing_after(place, ended=ended)
        if place is not None and ended:
            require_nothing_more(sink.place())
        return begun

    def _sinks(self) -> dict[str, Sink]:
        return {"sink": self._sink, **{name: output.sink for name, output in self._beside.items()}}

    def _loop(self) -> None:
        logged = saved = time.monotonic()
        quiet = 0.0  # seconds of reads that were answered with nothing
        pause = self._options.checkpoint_seconds
        while not self._stopping:
            asked = time.monotonic()
            messages = self._source.read(_WAIT)
            now = time.monotonic()
            if messages:
                quiet = 0.0
                self._take(messages)
            else:
                # A read that took longer waited for a server that was away: that is not silence.
                quiet += min(now - asked, _WAIT)
            self.metrics.update()  # also without messages: the rate is then nothing
            if messages is None or (not messages and self._ended(quiet)):
                self._end(self._options.on_end)
                return
            if self._taken and now - saved >= pause:
                self._checkpoint()
                saved = time.monotonic()
                # Saving takes a tenth of the time at most, unless it is wanted after every batch.
                pause = self._options.checkpoint_seconds
                pause = max(pause, 10 * (saved - now)) if pause > 0 else 0.0
            if self._options.log_seconds is not None and now - logged >= self._options.log_seconds:
                self.metrics.log()
                logged = now
        self._end(self._options.on_stop)

    def _ended(self, quiet: float) -> bool:
        limit = self._options.idle_seconds
        return limit is not None and quiet >= limit and self._source.caught_up()

    def _take(self, messages: list[Message]) -> None:
        released: list[tuple[str, dict[str, Any]]] = []
        again = False
        try:
            for message in messages:
                try:
                    released += self._lanes[message.lane].take(message)
                except DataError as error:
                    if self._dead is None:
                        again = self._options.state is not None
                        raise DataError(
                            f"a message does not fit the plan: {error}; name a dead-letter output to go on without such"
                        ) from None
                    self._dead.add(message, str(error))
                self._taken = True
        finally:
            if not again:  # what a run with a state is refused after comes again
                self._write(released)

    def _write(self, released: list[tuple[str, dict[str, Any]]]) -> None:
        """Hand records, dead letters and the trace of what left to their sinks."""
        outputs = []
        for identity, record in released:
            if self._options.id_field is not None:
                record = {self._options.id_field: identity, **record}
            if not self._headed:
                self._headed = True
                header = self._writes.header()
                if header is not None:
                    outputs.append(Output("header", header))
            outputs.append(Output(identity, self._writes.encode(record)))
        if not self._written and (outputs or any(output.waiting for output in self._beside.values())):
            self._written = True
            if self._beginning is not None:  # after a crash it says where to cut what was written
                self._save(self._beginning)
        self._sink.write(outputs)
        for output in self._beside.values():
            output.write()

    def _end(self, how: AtEnd) -> None:
        if how == "flush":
            for lane in self._lanes.values():
                lane.ending = True
            self._checkpoint()
            for lane in self._lanes.values():
                self._write(lane.flush())
        self._shared["ended"] = True
        self._checkpoint()
        self.metrics.update()

    def _checkpoint(self) -> None:
        """Deliver, then save, then commit: in this order nothing is ever saved or committed that did not arrive."""
        if self._written or self._shared["ended"]:  # until then a run that is refused leaves the sinks as they were
            for sink in self._sinks().values():
                sink.flush()
        if self._options.state is not None:
            self._save(self._state())
        places = {name: lane.oldest_place() for name, lane in self._lanes.items()}
        if read := {name: place for name, place in places.items() if place is not None}:
            self._source.commit(read)

    def _save(self, state: RunState) -> None:
        assert self._options.state is not None
        write_state(self._options.state, state, key=self._options.key)
        self._beginning = None

    def _state(self) -> RunState:
        """Return the state of source and sinks, and of the lanes."""
        self._shared |= {name: sink.place() for name, sink in self._sinks().items()}
        self._shared["source"] = self._source.identity()
        return RunState(self._shared, {name: lane.dump() for name, lane in self._lanes.items()})
