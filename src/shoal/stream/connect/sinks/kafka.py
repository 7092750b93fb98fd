"""A Kafka topic: the id of a record is the key of its message."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shoal.errors import OutputError
from shoal.stream.connect.kafka_client import Complaints, load_client, make_client
from shoal.stream.connect.retry import Stopped
from shoal.stream.connect.sinks.base import Output

logger = logging.getLogger("shoal.stream")

_SECONDS = 5.0


class KafkaSink:
    """Messages of a topic, by an idempotent producer: what the broker has acknowledged is there once and in order.

    Parameters
    ----------
    topic, brokers
        What to write to, and where.
    config
        More librdkafka properties.
    stopped
        Whether the run was asked to stop.
    """

    def __init__(
        self, topic: str, *, brokers: str, config: Mapping[str, Any] | None = None, stopped: Callable[[], bool]
    ) -> None:
        self._stopped = stopped
        self._kafka = load_client()
        self._topic = topic
        self._failed: str | None = None
        self._producer = make_client(
            "Producer",
            {"linger.ms": 20, **(config or {}), "bootstrap.servers": brokers, "enable.idempotence": True},
            complaints=Complaints(),
        )

    def open(self, place: Any) -> bool:
        """Do nothing: a topic cannot be cut."""
        return False

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
        while self._producer.flush(_SECONDS) > 0:
            self._check()
            if self._stopped():
                raise Stopped
            waited += _SECONDS
            if waited >= 2 * said:
                said = waited
                logger.warning("kafka: waiting for the broker to take what was released, for %.0f s now", waited)
        self._check()

    def place(self) -> Any:
        """Return nothing: readers skip what they have seen by its key."""
        return None

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
