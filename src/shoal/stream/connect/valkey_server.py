"""A Valkey or Redis server: calls that are tried again while it is away, and errors of one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from shoal.errors import DataError, OutputError, PlanError
from shoal.stream.connect.retry import Retry

T = TypeVar("T")
DATA = "data"
"""The field of an entry that holds the record."""


def load_client() -> Any:
    """Return the Valkey client, or say how to install it."""
    try:
        import valkey
    except ImportError:
        raise PlanError("Valkey and Redis need the valkey package: pip install 'shoal[valkey]'") from None
    return valkey


class ValkeyServer:
    """A server with a stream.

    Parameters
    ----------
    address, stream
        Where it is, and what is read or written there.
    stopped
        Whether the run was asked to stop.
    error
        What is raised when the server refuses a call.
    """

    def __init__(
        self, address: str, stream: str, *, stopped: Callable[[], bool], error: type[DataError] | type[OutputError]
    ) -> None:
        valkey = load_client()
        self.errors = valkey.exceptions
        # The connection is made when it is first used, and made again when it breaks.
        self.client = valkey.Valkey.from_url(
            address, socket_connect_timeout=5, socket_timeout=30, health_check_interval=15
        )
        self.away: tuple[type[BaseException], ...] = (
            self.errors.ConnectionError,
            self.errors.TimeoutError,
            self.errors.BusyLoadingError,
            self.errors.ReadOnlyError,  # until a replica is promoted
            self.errors.OutOfMemoryError,  # until readers have trimmed
        )
        self._stream = stream
        self._error = error
        self._retry = Retry(self.away, stopped, reason=self._reason)

    def call(self, what: str, call: Callable[[], T]) -> T:
        """Return what the call returns, tried again while the server is away."""
        return self._retry(f"valkey: {what}", lambda: self._answer(what, call))

    def _reason(self, error: BaseException) -> str:
        words = {
            self.errors.BusyLoadingError: "the server is still loading its data",
            self.errors.ReadOnlyError: "the server is a replica, which only reads",
            self.errors.OutOfMemoryError: "the server has no memory left",
            self.errors.TimeoutError: "the server does not answer in time",
        }
        return next((said for kind, said in words.items() if isinstance(error, kind)), "no server answers")

    def _answer(self, what: str, call: Callable[[], T]) -> T:
        try:
            return call()
        except (self.errors.AuthenticationError, self.errors.AuthorizationError):
            raise self._error(f"the server of the stream {self._stream!r} refuses the user or the password") from None
        except self.away:
            raise
        except self.errors.ResponseError as error:
            raise self._error(f"the stream {self._stream!r} refuses {what}: {type(error).__name__}") from None

    def close(self) -> None:
        """Disconnect."""
        self.client.close()
