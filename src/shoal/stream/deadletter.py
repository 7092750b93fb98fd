"""Messages that are no records of the plan, with the reason: kept apart, so that nothing is lost silently."""

from __future__ import annotations

import base64
import json

from shoal.stream.sinks.base import Output, Sink
from shoal.stream.sources.base import Message


class DeadLetters:
    """Writes refused messages to a sink, as JSON with the reason, the place and the message as it came.

    They are not anonymized: keep them as safe as the source.

    Parameters
    ----------
    sink
        Where they go.
    """

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self._waiting: list[Output] = []

    def add(self, message: Message, reason: str) -> None:
        """Take a refused message."""
        letter = {"reason": reason, "lane": message.lane, "place": message.before}
        try:
            letter["message"] = message.value.decode("utf-8")
        except UnicodeDecodeError:
            letter["base64"] = base64.b64encode(message.value).decode("ascii")
        where = json.dumps([message.lane, message.before])
        self._waiting.append(Output(where, json.dumps(letter, ensure_ascii=False).encode()))

    def write(self) -> None:
        """Hand what was taken to the sink."""
        waiting, self._waiting = self._waiting, []
        self.sink.write(waiting)
