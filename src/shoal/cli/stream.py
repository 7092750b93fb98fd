"""shoal stream: anonymize a stream between pipes, files, Kafka topics and Valkey or Redis streams."""

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from shoal.cli.options import Quiet, flag, option
from shoal.cli.overrides import plan_options
from shoal.cli.signals import ENDING, INTERRUPTED
from shoal.errors import PlanError, printable, require_unicode
from shoal.file_status import file_status, is_one_file, is_special_file
from shoal.files_in_use import STANDARD_INPUT, STANDARD_OUTPUT, inputs_so_far
from shoal.plan import Plan
from shoal.plan.plan_keys import UNREFINED
from shoal.stream.connect.endpoints import (
    Endpoint,
    message_format_of,
    open_sink,
    open_source,
    parse_endpoint,
    require_lines,
)
from shoal.stream.connect.message_formats import (
    LARGEST,
    CsvMessages,
    DeadLetters,
    JsonMessages,
    MessageFormat,
    Outgoing,
)
from shoal.stream.connect.runner import AtEnd, Runner, RunOptions
from shoal.stream.connect.state_folder import read_state_key, state_files, state_folder
from shoal.stream.connect.trace import TraceWriter
from shoal.stream.engine.stream_encoder import leaving_columns
from shoal.stream.engine.stream_keys import FOR_TABLES, unused_keys


@dataclass(frozen=True)
class StreamOptions:
    """Where records come from and go to, and what is kept meanwhile."""

    input_: list[str] = option(
        "Files, - for standard input, kafka://…, valkey://… or redis://….",
        "--input",
        "-i",
        default=["-"],
        metavar="WHERE",
    )
    output: str = option("The same kinds of places as for the input.", "--output", "-o", default="-", metavar="WHERE")
    input_format: str | None = option("ndjson or csv; by the name of the file if left out, else ndjson.", "--format")
    output_format: str | None = option("The same for the output; as the input if its name does not say.")
    dead_letter: str | None = option(
        "Where messages go that do not fit the plan; without it the first one ends the run.", metavar="WHERE"
    )
    trace: str | None = option(
        "Tell here which records left together and when, for `shoal measure --trace`.", metavar="FILE"
    )
    state: str | None = option("Keep the state here, and go on from it after a stop or a crash.", metavar="FOLDER")
    state_key_file: str | None = option(
        "A file with a key that seals the state, so that nobody else can change it unnoticed.", metavar="FILE"
    )
    checkpoint: float = option(
        "Seconds between two snapshots of the state; 0 saves after every batch.", default=10.0, min=0
    )
    on_stop: str | None = option(
        "On SIGTERM: flush (release the buffer) or save (keep it in the state; the default with one)."
    )
    on_end: str = option("At the end of the input: flush, or save to go on with the next input.", default="flush")
    until_idle: float | None = option("A topic or stream without news for so long has ended.", metavar="SECONDS", min=0)
    from_: str = option("Where to begin in a topic or stream: earliest or latest.", "--from", default="earliest")
    id_field: str | None = option("Write each record's id to this field (topics and streams always carry it).")
    escape_formulas: bool = flag("Write ' before fields of CSV that a spreadsheet would run.")
    max_line: int = option(
        "The most bytes of a line or message; longer ones do not fit the plan.", default=LARGEST, min=1
    )
    max_buffer_bytes: int | None = option(
        "The most bytes of messages whose records wait; beyond, the oldest leave before their time.",
        default=RunOptions.max_buffer_bytes,
        min=1,
    )
    log_every: float = option("Seconds between two lines of metrics; 0 writes none.", default=10.0, min=0)
    metrics_port: int | None = option(
        "Serve metrics for Prometheus at http://127.0.0.1:PORT/metrics.", min=0, max=65535
    )
    quiet: Quiet = False


@plan_options(without=(*unused_keys(), *FOR_TABLES))
def stream_command(plan: Plan, options: StreamOptions) -> None:
    """Anonymize a stream: every record leaves in a group of k within --max-delay records, or is dropped and counted.

    Topics and streams need --state: a restart, also after a crash, then repeats exactly what was not saved yet,
    under the same ids.
    """
    _choose("--format", options.input_format, "ndjson", "csv")
    _choose("--output-format", options.output_format, "ndjson", "csv")
    _choose("--on-stop", options.on_stop, "flush", "save")
    _choose("--on-end", options.on_end, "flush", "save")
    _choose("--from", options.from_, "earliest", "latest")
    for switch, name in (("--state", options.state), ("--id-field", options.id_field), ("--trace", options.trace)):
        if name == "":
            raise PlanError(f"{switch} needs a name, and nothing is none: leave it out to go without")
    require_unicode("--id-field", options.id_field or "")
    sources = [parse_endpoint(text) for text in options.input_]
    target = parse_endpoint(options.output)
    letters = None if options.dead_letter is None else parse_endpoint(options.dead_letter)
    _check_state(sources, options.state, options.on_stop, options.on_end)
    if options.state_key_file is not None and options.state is None:
        raise PlanError("--state-key-file seals a state, and no --state was asked for")
    files = [*map(str, inputs_so_far()), *([] if options.state_key_file is None else [options.state_key_file])]
    read = [*sources, *(Endpoint("lines", name) for name in files)]
    trace_place = None if options.trace is None else Endpoint("lines", options.trace)
    state_places = [Endpoint("lines", name) for name in ([] if options.state is None else state_files(options.state))]
    _refuse_shared_places(read, [target, letters, trace_place, *state_places])
    for sink in (target, letters, trace_place):
        if sink is not None:
            require_lines(sink)
    reads_as = message_format_of(sources[0], options.input_format)
    writes_as = message_format_of(target, options.output_format, otherwise=reads_as)
    if options.escape_formulas and writes_as != "csv":
        raise PlanError("--escape-formulas is for CSV: no spreadsheet takes JSON for formulas")
    columns = [*([] if options.id_field is None else [options.id_field]), *leaving_columns(plan)]
    _start_log(quiet=options.quiet)
    if plan.refine != UNREFINED:
        logging.getLogger("shoal.stream").info(
            "refine is for tables and does nothing here: a stream improves its groups by swaps of its own, "
            "stream.sweeps"
        )
    how: dict[str, Any] = {
        "checkpoint_seconds": options.checkpoint,
        "log_seconds": None if options.quiet or options.log_every == 0 else options.log_every,
        "idle_seconds": options.until_idle,
        "on_end": options.on_end,
        "on_stop": options.on_stop or ("flush" if options.state is None else "save"),
        "id_field": options.id_field,
        "max_buffer_bytes": options.max_buffer_bytes,
        "key": None if options.state_key_file is None else read_state_key(options.state_key_file),
    }
    asked = _Stop()
    with state_folder(options.state) as folder:
        incoming = open_source(
            sources,
            form=reads_as,
            limit=options.max_line,
            latest=options.from_ == "latest",
            stopped=asked,
            waits=options.on_end == "save",
        )
        csv = CsvMessages(lambda: columns, escape_formulas=options.escape_formulas)
        writer: MessageFormat = csv if writes_as == "csv" else JsonMessages()
        runner = Runner(
            plan,
            incoming,
            Outgoing(open_sink(target, stopped=asked), writer),
            dead_letters=None if letters is None else DeadLetters(open_sink(letters, stopped=asked, private=True)),
            trace=None if trace_place is None else TraceWriter(open_sink(trace_place, stopped=asked, private=True)),
            options=RunOptions(state=folder, **how),
        )
        if options.metrics_port is not None:
            port = runner.metrics.serve(options.metrics_port)
            logging.getLogger("shoal.stream").info("metrics at http://127.0.0.1:%d/metrics", port)
        with asked.on_signals(runner.stop):
            try:
                runner.run()
            except KeyboardInterrupt:
                logging.getLogger("shoal.stream").warning("interrupted: what was not saved is not in the state")
                raise typer.Exit(INTERRUPTED) from None
            finally:
                runner.metrics.close()


class _Stop:
    """Whether a signal asked to stop; without a lock, on which a signal amid another one would wait for itself."""

    def __init__(self) -> None:
        self._asked = False

    def __call__(self) -> bool:
        return self._asked

    @contextmanager
    def on_signals(self, also: Callable[[], None]) -> Iterator[None]:
        def ask(signum: int, frame: Any) -> None:
            if self._asked and signum == signal.SIGINT:
                raise KeyboardInterrupt  # asked twice: leave at once
            self._asked = True
            also()

        # Jobs in the background and under nohup ignore Ctrl-C, and go on doing so.
        wanted = [n for n in (*ENDING, signal.SIGINT) if signal.getsignal(n) is not signal.SIG_IGN]
        before = {number: signal.signal(number, ask) for number in wanted}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _choose(option: str, value: str | None, *allowed: AtEnd | str) -> None:
    if value is not None and value not in allowed:
        raise PlanError(f"{option} must be {' or '.join(allowed)}, not {value!r}")


def _check_state(sources: list[Endpoint], state: str | None, on_stop: str | None, on_end: str) -> None:
    if state is not None:
        return
    if sources[0].transport != "lines":
        raise PlanError(
            "a topic or stream needs --state FOLDER: without it a restart would group the same records anew, and "
            "release them twice"
        )
    for name, value in (("--on-stop", on_stop), ("--on-end", on_end)):
        if value == "save":
            raise PlanError(f"{name} save needs --state FOLDER to save to")


def _refuse_shared_places(sources: list[Endpoint], sinks: list[Endpoint | None]) -> None:
    """Refuse what is read and written, or written twice: a file would be destroyed, a topic never end."""
    places = [Endpoint("lines", str(STANDARD_INPUT)) if source.name == "-" else source for source in sources]
    used = {_identity(source) for source in places}
    for sink in sinks:
        if sink is not None and sink.name == "-" and STANDARD_OUTPUT.is_file() and _place(STANDARD_OUTPUT) in used:
            # By >>: what is written would be read again, without an end.
            raise PlanError("standard output is an input of this run: inputs and outputs must be different")
        if sink is None or (sink.transport == "lines" and is_special_file(sink.name)):
            continue  # a device or a pipe may take both
        if sink.transport == "lines" and sink.name != "-" and is_one_file(sink.name, STANDARD_OUTPUT):
            raise PlanError(f"{sink} is the file that standard output goes to: write - instead")
        if _identity(sink) in used:
            raise PlanError(f"{sink} is named twice: inputs and outputs must be different")
        used.add(_identity(sink))


def _identity(endpoint: Endpoint) -> tuple[object, ...]:
    if endpoint.transport != "lines" or endpoint.name == "-":
        return endpoint.server, endpoint.name
    return _place(endpoint.name)


def _place(name: str | Path) -> tuple[object, ...]:
    status = file_status(name)  # a second name of one file leads to the same
    return (os.path.realpath(name),) if status is None else (status.st_dev, status.st_ino)


def _start_log(*, quiet: bool) -> None:
    logger = logging.getLogger("shoal.stream")
    logger.setLevel(logging.WARNING if quiet else logging.INFO)
    logger.propagate = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine("%(asctime)s shoal stream: %(message)s", "%Y-%m-%dT%H:%M:%S"))
    logger.handlers = [handler]


class _OneLine(logging.Formatter):
    """A line is a line, whatever names stand in it."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))
