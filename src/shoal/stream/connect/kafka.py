"""Kafka topics: every partition is a lane, every offset a place; the id of a record is the key of its message."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from shoal.errors import DataError, OutputError, PlanError
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

_unheard = logging.getLogger("shoal.stream.librdkafka")
_unheard.addHandler(logging.NullHandler())
_unheard.propagate = False

_PATIENT = {"reconnect.backoff.ms": 1000, "reconnect.backoff.max.ms": 30_000}
"""How long librdkafka waits before it tries a broker again: without it, twenty times a second."""


def load_kafka() -> Any:
    """Return the Kafka client."""
    return load_client("confluent_kafka", "Kafka needs the confluent-kafka package: pip install 'shoal[kafka]'")


def make_client(kind: str, config: Mapping[str, Any], *, complaints: Complaints) -> Any:
    """Return a ``Consumer`` or ``Producer``; parameters that librdkafka does not know are refused.

    What librdkafka would print by itself goes to the logger ``shoal.stream.librdkafka``, which shows it to nobody
    unless somebody asks; what it reports is said through ``complaints``.
    """
    kafka = load_kafka()
    try:
        return getattr(kafka, kind)(
            {**_PATIENT, **config, "error_cb": lambda error: complaints.say(in_words(error))}, logger=_unheard
        )
    except (kafka.KafkaException, TypeError, ValueError) as error:
        problem = error.args[0]
        raise PlanError(
            f"the parameters of the Kafka address do not fit: {problem.str() if hasattr(problem, 'str') else problem}"
        ) from None


def in_words(error: Any) -> str:
    """Return what an error of Kafka means; the same where it means the same."""
    return "no broker answers" if is_away(error) else str(error.name())


def is_away(error: Any) -> bool:
    """Whether an error of Kafka says that nobody is there, now."""
    return error.name() in ("_TRANSPORT", "_ALL_BROKERS_DOWN", "_RESOLVE", "_TIMED_OUT", "_WAIT_COORD")


_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 300.0
"""Seconds before the same complaint is said again, at first and at most."""


class Complaints:
    """Says the same thing once, and again only after a pause that doubles each time, with how often it came meanwhile.

    >>> logged, moments = [], iter([0.0, 0.1, 0.2, 3.0])
    >>> complaints = Complaints(logged.append, clock=lambda: next(moments))
    >>> for _ in range(4):
    ...     complaints.say("no broker answers")
    >>> logged
    ['kafka: no broker answers; it is tried again', 'kafka: no broker answers, 3 times more; it is tried again']
    """

    def __init__(
        self, say: Callable[[str], object] = logger.warning, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say = say
        self._clock = clock
        self._kinds: dict[str, tuple[float, float, int]] = {}  # when it may be said again, the pause, how often it came

    def say(self, what: str) -> None:
        """Say it, or count it."""
        now = self._clock()
        again, pause, times = self._kinds.get(what, (now, _FIRST_PAUSE / 2, 0))
        if now < again:
            self._kinds[what] = (again, pause, times + 1)
            return
        pause = _FIRST_PAUSE if now - again > 2 * _LONGEST_PAUSE else min(2 * pause, _LONGEST_PAUSE)
        more = f", {times + 1} times more" if times else ""
        self._say(f"kafka: {what}{more}; it is tried again")
        self._kinds[what] = (now + pause, pause, 0)


T = TypeVar("T")

_SLICE = 100  # messages asked for at a time
_METADATA_SECONDS = 30.0
_ANSWER_SECONDS = 2.0


class KafkaSource(Source):
    """Messages of a topic.

    Partitions (all of them if None) are assigned, not subscribed to: the state of a stream belongs to its partitions,
    so they must not move to another process while this one runs. librdkafka, which ``config`` has more properties for,
    reconnects by itself. Without a state, the offsets that ``group`` committed say where to begin; without both, the
    first message kept, or what comes next if ``latest``.
    """

    def __init__(
        self,
        topic: str,
        *,
        brokers: str,
        group: str = "shoal",
        partitions: list[int] | None = None,
        latest: bool = False,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        self._kafka = load_kafka()
        self._topic = topic
        self._complaints = Complaints()
        self._begin = self._kafka.OFFSET_END if latest else self._kafka.OFFSET_BEGINNING
        self._consumer = make_client(
            "Consumer",
            {
                **(config or {}),
                "bootstrap.servers": brokers,
                "group.id": group,
                "enable.auto.commit": False,
                "enable.partition.eof": True,  # tells of ends that no message marks, as after a transaction
                "auto.offset.reset": "error",  # a place that is gone is a loss: say so instead of jumping over it
            },
            complaints=self._complaints,
        )
        self._partitions = self._all_partitions() if partitions is None else partitions
        self._ends: dict[int, int] = {}  # the end of each partition, when it was last reached

    def lanes(self) -> list[str]:
        """Return the partitions."""
        return [str(partition) for partition in self._partitions]

    def identity(self) -> dict[str, Any]:
        """Return the name of the topic."""
        return {"what": f"topic {self._topic!r}"}

    def open(self, places: Mapping[str, Any], identity: Mapping[str, Any] | None = None) -> None:
        """Begin at the saved offsets, the committed ones, or the first (or next) message."""
        refuse_another(self.identity(), identity)
        wanted = [self._kafka.TopicPartition(self._topic, partition) for partition in self._partitions]
        answer = self._ask(
            f"the offsets of topic {self._topic!r} cannot be read",
            lambda seconds: self._consumer.committed(wanted, timeout=seconds),
        )
        committed = {part.partition: part.offset for part in answer}
        for part in wanted:
            place = places.get(str(part.partition), committed[part.partition])
            if place is not None and type(place) is not int:
                raise DataError("the place in the state is no offset: start anew without the state")
            part.offset = self._begin if place is None or place < 0 else place
        self._consumer.assign(wanted)

    def read(self, timeout: float) -> list[Message] | None:
        """Return the messages that came."""
        messages: list[Message] = []
        size = 0
        while len(messages) < MOST_AT_ONCE and size < MOST_BYTES:
            batch = self._messages(self._consumer.consume(_SLICE, 0 if messages else timeout))
            messages += batch
            size += sum(len(message.value) for message in batch)
            if len(batch) < _SLICE:
                break
        return messages

    def _messages(self, consumed: list[Any]) -> list[Message]:
        """Return what is a message among what a consumer gave; what is an error ends the run, or is said."""
        messages = []
        for message in consumed:
            error = message.error()
            if error is None:
                offset = message.offset()
                messages.append(Message(str(message.partition()), message.value() or b"", offset, offset + 1))
            elif error.code() == self._kafka.KafkaError._AUTO_OFFSET_RESET:
                raise DataError(
                    f"partition {message.partition()} of topic {self._topic!r} no longer has the offset to go on from: "
                    "messages were deleted before they were read; start anew without the state"
                )
            elif error.code() == self._kafka.KafkaError._PARTITION_EOF:
                self._ends[message.partition()] = message.offset()
            elif error.fatal() or not error.retriable():
                raise DataError(f"topic {self._topic!r} cannot be read: {error.name()}")
            else:
                self._complaints.say(in_words(error))
        return messages

    def caught_up(self) -> bool:
        """Whether every partition was read to the end that the brokers tell now."""
        try:
            return all(
                self._ends.get(partition, -1)
                >= self._consumer.get_watermark_offsets(
                    self._kafka.TopicPartition(self._topic, partition), timeout=_ANSWER_SECONDS
                )[1]
                for partition in self._partitions
            )
        except self._kafka.KafkaException:
            return False

    def commit(self, places: Mapping[str, Any]) -> None:
        """Commit the offsets; if the broker does not answer now, the next commit does."""
        parts = [self._kafka.TopicPartition(self._topic, int(lane), place) for lane, place in places.items()]
        try:
            self._consumer.commit(offsets=parts, asynchronous=False)
        except self._kafka.KafkaException as error:
            self._complaints.say(f"offsets were not committed ({error.args[0].name()})")

    def close(self) -> None:
        """Leave the broker."""
        self._consumer.close()

    def _ask(self, failure: str, question: Callable[[float], T]) -> T:
        """Ask the broker for a while: never long at a time, so that who waits is told, and can interrupt it."""
        end = time.monotonic() + _METADATA_SECONDS
        while True:
            try:
                return question(_ANSWER_SECONDS)
            except self._kafka.KafkaException as error:
                problem = error.args[0]
                if time.monotonic() >= end or not (is_away(problem) or problem.retriable()):
                    raise DataError(f"{failure}: {in_words(problem)}") from None
                self._complaints.say(in_words(problem))

    def _all_partitions(self) -> list[int]:
        topic = self._ask(
            f"topic {self._topic!r} cannot be read",
            lambda seconds: self._consumer.list_topics(self._topic, timeout=seconds).topics[self._topic],
        )
        if topic.error is not None:
            raise DataError(f"topic {self._topic!r} cannot be read: {topic.error.name()}")
        return sorted(topic.partitions)


_FLUSH_SECONDS = 5.0


class KafkaSink(Sink):
    """Messages of a topic, by an idempotent producer: what the broker has acknowledged is there once and in order.

    A topic cannot be cut: readers skip what they have seen by its key.
    """

    def __init__(
        self, topic: str, *, brokers: str, config: Mapping[str, Any] | None = None, stopped: Callable[[], bool]
    ) -> None:
        self._stopped = stopped
        self._kafka = load_kafka()
        self._topic = topic
        self._failed: str | None = None
        self._producer = make_client(
            "Producer",
            {"linger.ms": 20, **(config or {}), "bootstrap.servers": brokers, "enable.idempotence": True},
            complaints=Complaints(),
        )

    def write(self, outputs: Sequence[Output]) -> None:
        """Hand messages to the producer; wait while its queue is full."""
        for output in outputs:
            while True:
                try:
                    self._producer.produce(
                        self._topic, value=output.value, key=output.id.encode(), on_delivery=self._delivered
                    )
                    break
                except BufferError:
                    self._producer.poll(0.5)
                    self._check()
                    if self._stopped():
                        raise Stopped from None
                except self._kafka.KafkaException as error:
                    raise OutputError(
                        f"topic {self._topic!r} does not take a message: {error.args[0].name()}; for one too large "
                        "raise message.max.bytes in the address and on the broker"
                    ) from None
        self._producer.poll(0)
        self._check()

    def flush(self) -> None:
        """Wait until the broker has everything."""
        waited, said = 0.0, 0.0
        while self._producer.flush(_FLUSH_SECONDS) > 0:
            self._check()
            if self._stopped():
                raise Stopped
            waited += _FLUSH_SECONDS
            if waited >= 2 * said:
                said = waited
                logger.warning("kafka: waiting for the broker to take what was released, for %.0f s now", waited)
        self._check()

    def close(self) -> None:
        """Give the producer a last chance to send."""
        self._producer.flush(5.0)

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self._failed = error.name()

    def _check(self) -> None:
        if self._failed is not None:
            raise OutputError(
                f"topic {self._topic!r} did not take a message: {self._failed}; start again to send it once more"
            )
