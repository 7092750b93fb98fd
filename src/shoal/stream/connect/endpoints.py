"""Where a stream comes from and goes to, as written on the command line, opened as sources and sinks.

-                                                       standard input or output
readings.ndjson, readings.csv                           a file
kafka://broker:9092,other:9092/topic?group=shoal        any librdkafka property may follow as a parameter
valkey://user:secret@host:6379/stream?db=0&group=shoal  redis:// is the same; valkeys:// and rediss:// use TLS
valkey+unix:///run/valkey.sock?stream=readings          a socket of this machine
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from shoal.errors import PlanError
from shoal.file_status import is_special_file
from shoal.files import FORMATS, is_packed
from shoal.files.format import ending_of
from shoal.stream.connect.line_sink import LinesSink
from shoal.stream.connect.line_source import LinesSource
from shoal.stream.connect.message_formats import CsvMessages, Incoming, JsonMessages
from shoal.stream.connect.protocols import Sink

Transport = Literal["lines", "kafka", "valkey"]
_VALKEY = {"valkey": "valkey", "redis": "valkey", "valkeys": "valkeys", "rediss": "valkeys"}


@dataclass(frozen=True)
class Endpoint:
    """A source or a sink."""

    transport: Transport
    name: str  # the path, the topic or the stream
    server: str = ""  # the brokers, or the address of the server without the stream
    options: Mapping[str, str] = field(default_factory=dict)  # what followed the question mark

    def __str__(self) -> str:
        # Never the server: it may hold a secret.
        return self.name if self.transport == "lines" else f"{self.transport} {self.name!r}"


def parse_endpoint(text: str) -> Endpoint:
    """Read an endpoint.

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


Stopped = Callable[[], bool]


def open_source(
    endpoints: Sequence[Endpoint], *, form: str, limit: int, latest: bool, stopped: Stopped, waits: bool = False
) -> Incoming:
    """Return the source and the format of its messages; options as those of the sources."""
    first = endpoints[0]
    if first.transport == "lines":
        if any(endpoint.transport != "lines" for endpoint in endpoints):
            raise PlanError("several inputs must all be files")
        if latest:
            raise PlanError(
                "--from latest is for topics and streams: a file is read from its beginning, or where a state left it"
            )
        lines = LinesSource([endpoint.name for endpoint in endpoints], csv=form == "csv", limit=limit, waits=waits)
        return Incoming(lines, CsvMessages(lambda: lines.names) if form == "csv" else JsonMessages(limit=limit))
    if len(endpoints) > 1:
        raise PlanError(f"{first} is the only input a run can have: several inputs must all be files")
    options = dict(first.options)
    group = options.pop("group", "shoal")
    if first.transport == "kafka":
        from shoal.stream.connect.kafka import KafkaSource

        chosen = options.pop("partitions", None)
        partitions = None if chosen is None else [_number("partitions", part) for part in chosen.split(",")]
        kafka = KafkaSource(
            first.name, brokers=first.server, group=group, partitions=partitions, latest=latest, config=options
        )
        return Incoming(kafka, JsonMessages(limit=limit))
    from shoal.stream.connect.valkey import ValkeySource

    _refuse_options(options, first)
    valkey = ValkeySource(first.name, server=first.server, group=group, latest=latest, stopped=stopped)
    return Incoming(valkey, JsonMessages(limit=limit))


def open_sink(endpoint: Endpoint, *, stopped: Stopped, private: bool = False) -> Sink:
    """Return the sink."""
    if endpoint.transport == "lines":
        return LinesSink(endpoint.name, private=private)
    options = dict(endpoint.options)
    if endpoint.transport == "kafka":
        from shoal.stream.connect.kafka import KafkaSink

        return KafkaSink(endpoint.name, brokers=endpoint.server, config=options, stopped=stopped)
    from shoal.stream.connect.valkey import ValkeySink

    most = _number("maxlen", options.pop("maxlen")) if "maxlen" in options else None
    _refuse_options(options, endpoint)
    return ValkeySink(endpoint.name, server=endpoint.server, most=most, stopped=stopped)


def message_format_of(endpoint: Endpoint, chosen: str | None, *, otherwise: str = "ndjson") -> str:
    """Return ``ndjson`` or ``csv``: as chosen, else by the name of the file, else as told."""
    if endpoint.transport != "lines":
        if chosen == "csv":
            raise PlanError(f"messages of {endpoint} are JSON: csv is for files and pipes")
        return "ndjson"
    return chosen or _ENDINGS.get(Path(endpoint.name).suffix.lower(), otherwise)


def require_lines(endpoint: Endpoint) -> None:
    """Refuse the name of an output by which readers would take it for something else than lines of JSON or CSV."""
    path = Path(endpoint.name)
    if endpoint.transport != "lines" or path.suffix.lower() in (*_ENDINGS, ".txt") or is_special_file(path):
        return
    if is_packed(path) or any(ending_of(path) in form.endings for form in FORMATS.values()):
        raise PlanError(
            f"{endpoint} is not what a stream writes: name it {', '.join(_ENDINGS)}, or otherwise without the ending "
            f"{path.suffix}"
        )


_ENDINGS = {".ndjson": "ndjson", ".jsonl": "ndjson", ".json": "ndjson", ".csv": "csv"}
"""The formats of lines by the endings of files."""


def _number(parameter: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise PlanError(f"{parameter} must be of whole numbers, not {text!r}")
    return int(text)


def _refuse_options(options: dict[str, str], endpoint: Endpoint) -> None:
    if options:
        raise PlanError(f"{endpoint} does not know the parameter {next(iter(options))!r}")
