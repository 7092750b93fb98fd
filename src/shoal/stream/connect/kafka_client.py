"""Kafka's client: how it is loaded and made, and what of its complaints is said, and how often."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from shoal.errors import PlanError

logger = logging.getLogger("shoal.stream")

_unheard = logging.getLogger("shoal.stream.librdkafka")
_unheard.addHandler(logging.NullHandler())
_unheard.propagate = False

_PATIENT = {"reconnect.backoff.ms": 1000, "reconnect.backoff.max.ms": 30_000}
"""How long librdkafka waits before it tries a broker again: without it, twenty times a second."""


def load_client() -> Any:
    """Return the Kafka client, or say how to install it."""
    try:
        import confluent_kafka
    except ImportError:
        raise PlanError("Kafka needs the confluent-kafka package: pip install 'shoal[kafka]'") from None
    return confluent_kafka


def make_client(kind: str, config: Mapping[str, Any], *, complaints: Complaints) -> Any:
    """Return a ``Consumer`` or ``Producer``; parameters that librdkafka does not know are refused.

    What librdkafka would print by itself goes to the logger ``shoal.stream.librdkafka``, which shows it to nobody
    unless somebody asks; what it reports is said through ``complaints``.
    """
    kafka = load_client()
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


class Complaints:
    """Says the same thing once, and again only after a pause that doubles each time, with how often it came meanwhile.

    Parameters
    ----------
    say
        Says a sentence.
    first, most
        Seconds before it is said again, at first and at most.
    clock
        What tells the time.

    Examples
    --------
    >>> logged, moments = [], iter([0.0, 0.1, 0.2, 3.0])
    >>> complaints = Complaints(logged.append, clock=lambda: next(moments))
    >>> for _ in range(4):
    ...     complaints.say("no broker answers")
    >>> logged
    ['kafka: no broker answers; it is tried again', 'kafka: no broker answers, 3 times more; it is tried again']
    """

    def __init__(
        self,
        say: Callable[[str], object] = logger.warning,
        *,
        first: float = 2.0,
        most: float = 300.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._say = say
        self._first = first
        self._most = most
        self._clock = clock
        self._kinds: dict[str, tuple[float, float, int]] = {}  # when it may be said again, the pause, how often it came

    def say(self, what: str) -> None:
        """Say it, or count it."""
        now = self._clock()
        again, pause, times = self._kinds.get(what, (now, self._first / 2, 0))
        quiet = now - again > 2 * self._most
        if now < again:
            self._kinds[what] = (again, pause, times + 1)
            return
        pause = self._first if quiet else min(2 * pause, self._most)
        more = f", {times + 1} times more" if times else ""
        self._say(f"kafka: {what}{more}; it is tried again")
        self._kinds[what] = (now + pause, pause, 0)
