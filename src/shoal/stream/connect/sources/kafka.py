"""A Kafka topic: every partition is a lane, every offset a place."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from shoal.errors import DataError
from shoal.stream.connect.kafka_client import Complaints, in_words, is_away, load_client, make_client
from shoal.stream.connect.sources.base import MOST_AT_ONCE, MOST_BYTES, Message, refuse_another

T = TypeVar("T")

_SLICE = 100  # messages asked for at a time
_SECONDS = 30.0
_ANSWER_SECONDS = 2.0


class KafkaSource:
    """Messages of a topic.

    Partitions are assigned, not subscribed to: the state of a stream belongs to its partitions, so they must not move
    to another process while this one runs. librdkafka reconnects by itself.

    Parameters
    ----------
    topic, brokers
        What to read, and where.
    group
        Whose committed offsets say where to begin when there is no state.
    partitions
        Which partitions; all of them if None.
    latest
        Without state and committed offset, begin with what comes next instead of the first message kept.
    config
        More librdkafka properties.
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
        self._kafka = load_client()
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
        self._partitions = self._known_partitions() if partitions is None else partitions
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
            found = self._messages(self._consumer.consume(_SLICE, 0 if messages else timeout))
            messages += found
            size += sum(len(message.value) for message in found)
            if len(found) < _SLICE:
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
        end = time.monotonic() + _SECONDS
        while True:
            try:
                return question(_ANSWER_SECONDS)
            except self._kafka.KafkaException as error:
                problem = error.args[0]
                if time.monotonic() >= end or not (is_away(problem) or problem.retriable()):
                    raise DataError(f"{failure}: {in_words(problem)}") from None
                self._complaints.say(in_words(problem))

    def _known_partitions(self) -> list[int]:
        topic = self._ask(
            f"topic {self._topic!r} cannot be read",
            lambda seconds: self._consumer.list_topics(self._topic, timeout=seconds).topics[self._topic],
        )
        if topic.error is not None:
            raise DataError(f"topic {self._topic!r} cannot be read: {topic.error.name()}")
        return sorted(topic.partitions)
