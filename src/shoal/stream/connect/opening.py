"""Sources and sinks from what is written on the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from shoal.errors import PlanError
from shoal.file_status import is_special_file
from shoal.files import FORMATS, is_packed
from shoal.files.format import ending_of
from shoal.stream.connect.endpoints import Endpoint
from shoal.stream.connect.message_formats import CsvMessages, JsonMessages, MessageFormat
from shoal.stream.connect.sinks.base import Sink
from shoal.stream.connect.sinks.lines import LinesSink
from shoal.stream.connect.sources.base import Source
from shoal.stream.connect.sources.lines import LinesSource

Stopped = Callable[[], bool]


def open_source(
    endpoints: Sequence[Endpoint], *, form: str, limit: int, latest: bool, stopped: Stopped, waits: bool = False
) -> tuple[Source, MessageFormat]:
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
        return lines, CsvMessages(lambda: lines.names) if form == "csv" else JsonMessages(limit=limit)
    if len(endpoints) > 1:
        raise PlanError(f"{first} is the only input a run can have: several inputs must all be files")
    options = dict(first.options)
    group = options.pop("group", "shoal")
    if first.transport == "kafka":
        from shoal.stream.connect.sources.kafka import KafkaSource

        chosen = options.pop("partitions", None)
        partitions = None if chosen is None else [_number("partitions", part) for part in chosen.split(",")]
        kafka = KafkaSource(
            first.name, brokers=first.server, group=group, partitions=partitions, latest=latest, config=options
        )
        return kafka, JsonMessages(limit=limit)
    from shoal.stream.connect.sources.valkey import ValkeySource

    _refuse_options(options, first)
    valkey = ValkeySource(first.name, server=first.server, group=group, latest=latest, stopped=stopped)
    return valkey, JsonMessages(limit=limit)


def open_sink(endpoint: Endpoint, *, stopped: Stopped, private: bool = False) -> Sink:
    """Return the sink."""
    if endpoint.transport == "lines":
        return LinesSink(endpoint.name, private=private)
    options = dict(endpoint.options)
    if endpoint.transport == "kafka":
        from shoal.stream.connect.sinks.kafka import KafkaSink

        return KafkaSink(endpoint.name, brokers=endpoint.server, config=options, stopped=stopped)
    from shoal.stream.connect.sinks.valkey import ValkeySink

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
    if is_packed(path) or any(ending_of(path) in known.endings for known in FORMATS.values()):
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
