"""Try again after a failure of the network, each time a little later, until it works or the run is stopped."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
logger = logging.getLogger("shoal.stream")


class Stopped(Exception):  # not an error: somebody asked
    """The run was asked to stop while it waited."""


class Retry:
    """Calls that are tried again.

    Parameters
    ----------
    errors
        The exceptions that mean "not now".
    reason
        Says what such an exception means. Its own message may quote a server, or a record.
    stopped
        Whether the run was asked to stop.
    first, most
        Seconds to wait after the first failure, and at most; the wait doubles in between.
    """

    def __init__(
        self,
        errors: tuple[type[BaseException], ...],
        stopped: Callable[[], bool],
        *,
        reason: Callable[[BaseException], str] = lambda error: type(error).__name__,
        first: float = 0.1,
        most: float = 10.0,
    ) -> None:
        self._errors = errors
        self._stopped = stopped
        self._reason = reason
        self._first = first
        self._most = most

    def __call__(self, what: str, call: Callable[[], T]) -> T:
        """Return what the call returns, however often it must be made; raise `Stopped` where the run stops before."""
        wait = self._first
        while True:
            try:
                return call()
            except self._errors as error:
                logger.warning("%s waits: %s; trying again in %.1f s", what, self._reason(error), wait)
            self._pause(wait)
            wait = min(2 * wait, self._most)

    def _pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self._stopped():
                raise Stopped
            time.sleep(min(left, 0.1))
