"""Where a stream comes from and goes to, as written on the command line.

-                                                       standard input or output
readings.ndjson, readings.csv                           a file
kafka://broker:9092,other:9092/topic?group=shoal        any librdkafka property may follow as a parameter
valkey://user:secret@host:6379/stream?db=0&group=shoal  redis:// is the same; valkeys:// and rediss:// use TLS
valkey+unix:///run/valkey.sock?stream=readings          a socket of this machine
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from shoal.errors import PlanError

Transport = Literal["lines", "kafka", "valkey"]
_VALKEY = {"valkey": "valkey", "redis": "valkey", "valkeys": "valkeys", "rediss": "valkeys"}


@dataclass(frozen=True)
class Endpoint:
    """A source or a sink.

    Parameters
    ----------
    transport
        ``lines``, ``kafka`` or ``valkey``.
    name
        The path, the topic or the stream.
    server
        The brokers, or the address of the server without the stream.
    options
        What followed the question mark.
    """

    transport: Transport
    name: str
    server: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            self.name if self.transport == "lines" else f"{self.transport} {self.name!r}"
        )  # never the server: it may hold a secret


def parse_endpoint(text: str) -> Endpoint:
    """Read an endpoint.

    Examples
    --------
    >>> parse_endpoint("kafka://a:9092,b:9092/visits?group=g")
    Endpoint(transport='kafka', name='visits', server='a:9092,b:9092', options={'group': 'g'})
    >>> parse_endpoint("redis://localhost/visits?db=2").server
    'valkey://localhost/2'
    >>> parse_endpoint("visits.csv").transport
    'lines'
    """
    scheme, separator, _ = text.partition("://")
    if not text:
        raise PlanError("the name of an input or output is empty: give the name of a file, or - for standard ones")
    if not separator:
        return Endpoint("lines", text)
    parts = _split(text)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    name = unquote(parts.path.lstrip("/"))
    if scheme == "kafka":
        if not parts.netloc or not name or "/" in name:
            raise PlanError("a Kafka endpoint reads kafka://BROKER:PORT/TOPIC")
        if "@" in parts.netloc:  # librdkafka would take it for a host, and log it
            raise PlanError(
                "a Kafka address has no user and password before its brokers: give the parameters sasl.username and "
                "sasl.password"
            )
        return Endpoint("kafka", name, parts.netloc, options)
    if scheme in ("valkey+unix", "redis+unix"):
        stream = options.pop("stream", "")
        if not parts.path or not stream:
            raise PlanError("a Valkey endpoint on a socket reads valkey+unix:///PATH/TO/SOCKET?stream=STREAM")
        return Endpoint("valkey", stream, f"unix://{parts.path}?db={_db(options)}", options)
    if scheme in _VALKEY:
        if not parts.netloc or not name:
            raise PlanError("a Valkey endpoint reads valkey://HOST:PORT/STREAM")
        return Endpoint("valkey", name, f"{_VALKEY[scheme]}://{parts.netloc}/{_db(options)}", options)
    raise PlanError(f"an endpoint is a file, kafka://..., valkey://... or redis://..., not {scheme}://...")


def _split(text: str) -> SplitResult:
    """Split an address; what is wrong with it is said without a word of it, for it may hold a password."""
    problem = PlanError(
        "the address of an endpoint cannot be read: a port is a number, and names, users and passwords write special "
        "characters such as / # @ as %2F %23 %40"
    )
    try:
        parts = urlsplit(text)
        _ = parts.scheme == "kafka" or parts.port  # brokers may be several, each with its port
    except ValueError:
        raise problem from None
    if parts.fragment or "@" in parts.path:  # the rest of a password
        raise problem
    return parts


def _db(options: dict[str, str]) -> int:
    number = options.pop("db", "0")
    if not number.isdecimal():
        raise PlanError(f"db must be a whole number, not {number!r}")
    return int(number)
