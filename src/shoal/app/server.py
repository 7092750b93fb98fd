"""The server: on loopback alone, one address with a secret, until Ctrl-C or the page ends it."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from shoal.app.browser_session import Session
from shoal.app.folders import OfferedFolder, WorkFolder
from shoal.app.guard import Guard, Sessions
from shoal.app.routes import make_app
from shoal.app.tasks.bench import Source
from shoal.errors import DataError, PlanError, printable
from shoal.files.private import open_for_owner
from shoal.plan.toml import load_toml

HOST = "127.0.0.1"

SHOW_TRACEBACK = "SHOAL_TRACEBACK"
"""Set in the environment, it shows where an unforeseen error comes from, as for the commands."""


@dataclass(frozen=True)
class Start:
    """How the app starts."""

    data: str | None = None  # a table to begin with
    plan: str | None = None  # a plan to begin with, a TOML file
    folder: str | None = None  # where tables are that may be chosen
    port: int = 0  # where to listen; a free one if 0
    demo: bool = False  # begin with the bundled table
    open_browser: bool = True
    most_upload: int = 500_000_000  # bytes of the largest file


def serve(start: Start, say: Callable[[str], None]) -> None:
    """Serve until it is ended; whatever was uploaded or made and not saved is gone then.

    ``say`` is told the address, and each further one that opens another browser. A file or folder that is not there and
    a port that is taken are refused.
    """
    offered = OfferedFolder(start.folder)
    data = None if start.data is None else _existing(start.data)
    plan = None if start.plan is None else load_toml(_existing(start.plan))
    with contextlib.closing(_listen(start.port)) as door, contextlib.closing(WorkFolder()) as work:

        def make() -> Session:
            session = Session(work.for_session(), offered, most_upload=start.most_upload, plan=plan)
            if data is not None:
                session.load(Source(str(data)), data_folder=data.parent)
            elif start.demo:
                session.load_demo()
            return session

        _serve(start, say, door, work, make)


def _serve(
    start: Start, say: Callable[[str], None], door: socket.socket, work: WorkFolder, make: Callable[[], Session]
) -> None:
    port = door.getsockname()[1]
    way_in = work.path / "open.html"

    def address(token: str) -> str:
        return f"http://{HOST}:{port}/?token={token}"

    def used(next_token: str) -> None:
        with contextlib.suppress(OSError):
            way_in.unlink()
        say(f"Used. For another browser: {address(next_token)}")

    with contextlib.closing(Sessions(make, used)) as sessions:
        server = uvicorn.Server(
            uvicorn.Config(
                Guard(make_app(lambda: setattr(server, "should_exit", True)), sessions, port=port),
                log_config=None,  # which would need a standard output
                log_level="error" if os.environ.get(SHOW_TRACEBACK) else "critical",  # libraries quote values in errors
                access_log=False,
                server_header=False,
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=1,
            )
        )
        say(f"shoal app is here, for one browser: {address(sessions.token)}")
        say("It ends with Ctrl-C, or by the button on the page; what was not saved is gone then.")
        if start.open_browser:
            _write_way_in(way_in, address(sessions.token))
            say("If no page appears, open the address yourself: some browsers cannot read the file that leads there.")
            threading.Thread(target=webbrowser.open, args=(way_in.as_uri(),), daemon=True).start()
        server.run(sockets=[door])


def _write_way_in(path: Path, address: str) -> None:
    """Write a page that leads to the address, for its owner alone.

    A browser is opened with its name: every user of a machine can read the command lines of all, and who reads the
    secret there could use it before the browser does.
    """
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>shoal</title>'
        f'<meta http-equiv="refresh" content="0;url={address}"><p><a href="{address}">shoal</a></p></html>\n'
    )
    with os.fdopen(open_for_owner(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "w", encoding="utf-8") as file:
        file.write(page)


def _existing(name: str) -> Path:
    with contextlib.suppress(OSError):  # a name longer than any file has
        path = Path(name)
        if path.is_file():
            return path.resolve()
    raise DataError(f"{printable(name)} cannot be read: there is no such file")


def _listen(port: int) -> socket.socket:
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if hasattr(socket, "SO_REUSEADDR") and socket.SO_REUSEADDR and not hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((HOST, port))
        door.listen(64)  # whoever has the address is heard, from the moment it is said
    except (OSError, OverflowError) as error:
        door.close()
        taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        reason = "is taken" if taken else "cannot be listened on"
        raise PlanError(f"port {port} {reason}: choose another --port, or leave it out") from None
    return door
