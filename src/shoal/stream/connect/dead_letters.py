"""Messages that are no records of the plan, with the reason: kept apart, so that nothing is lost silently."""

from __future__ import annotations

import base64
import json

from shoal.stream.connect.sinks.base import Output, Sink
from shoal.stream.connect.sources.base import Message

_MOST = 1 << 17
"""Bytes of a message that a letter holds. Escaped they can be six times as many, and brokers take a million."""


class DeadLetters:
    """Writes refused messages to a sink, as JSON with the reason, the place and the message as it came.

    A message that is not UTF-8 stands in ``base64``; of a long one only the beginning is kept, and ``cut`` says so.

    They are not anonymized: keep them as safe as the source.

    Parameters
    ----------
    sink
        Where they go.
    """

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self._waiting: list[Output] = []

    @property
    def waiting(self) -> bool:
        """Whether there is anything to write."""
        return bool(self._waiting)

    def add(self, message: Message, reason: str) -> None:
        """Take a refused message."""
        letter = {"reason": reason, "lane": message.lane, "place": message.before}
        value = message.value[:_MOST]
        try:
            letter["message"] = value.decode("utf-8")
        except UnicodeDecodeError:
            letter["base64"] = base64.b64encode(value).decode("ascii")
        if message.cut or len(message.value) > _MOST:
            letter["cut"] = True
        where = json.dumps([message.lane, message.before])
        # The name of a file need not be UTF-8: what is not becomes an escape, which is JSON too.
        self._waiting.append(Output(where, json.dumps(letter, ensure_ascii=False).encode(errors="backslashreplace")))

    def write(self) -> None:
        """Hand what was taken to the sink."""
        waiting, self._waiting = self._waiting, []
        self.sink.write(waiting)
