"""The app as a process of its own, as its user starts it, and a client that can lie."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from command import interruptible

ROLES = {
    "patient_id": '{ role = "identifier" }',
    "name": '{ role = "identifier" }',
    "age": '{ role = "quasi_identifier", kind = "numeric" }',
    "sex": '{ role = "quasi_identifier", kind = "nominal" }',
    "postcode": '{ role = "quasi_identifier", kind = "nominal" }',
    "admitted": '{ role = "quasi_identifier", kind = "date" }',
    "stay": '{ role = "quasi_identifier", kind = "numeric" }',
    "ward": '{ role = "quasi_identifier", kind = "nominal" }',
    "severity": '{ role = "confidential", kind = "ordinal", order = ["minor", "moderate", "major", "extreme"] }',
    "diagnosis": '{ role = "confidential", kind = "nominal" }',
    "charge": '{ role = "confidential", kind = "numeric" }',
}
PLAN = 'version = 1\nk = 5\nsubject = "patient_id"\n\n[attributes]\n' + "".join(
    f"{name} = {about}\n" for name, about in ROLES.items()
)


class App:
    """A running app: its address, and the folder where its temporary files go."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process, self.folder = process, folder
        assert process.stdout is not None
        self.address = self._next_address()

    def _next_address(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line)
            if found is not None:
                return found[0]
        raise AssertionError("the app ended before it said its address")

    def another_address(self) -> str:
        """Return the address that opens another browser, said when the last one was used."""
        return self._next_address()

    @property
    def port(self) -> int:
        return int(self.address.split(":")[2].partition("/")[0])

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    def working_files(self) -> list[Path]:
        return [path for folder in self.folder.glob("shoal-app-*") for path in (folder, *folder.rglob("*"))]

    def end(self, signal_: int = signal.SIGTERM) -> int:
        self.process.send_signal(signal_)
        return self.process.wait(30)


@contextmanager
def served(
    folder: Path, *arguments: object, most_upload: int | None = None, browser: Path | None = None
) -> Iterator[App]:
    """Start ``shoal app``; its temporary files go below the folder, and it opens the browser that is named."""
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    words = [*(() if browser else ("--no-open",)), *(str(argument) for argument in arguments)]
    command = [sys.executable, "-m", "shoal", "app", *words]
    if most_upload is not None:
        code = (
            "import functools, sys, shoal.app as app\n"
            f"app.Start = functools.partial(app.Start, most_upload={most_upload})\n"
            "from shoal.cli import main\n"
            "if __name__ == '__main__': main()\n"
        )
        start = folder / "start.py"
        start.write_text(code)
        command = [sys.executable, str(start), "app", *words]
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"}
    if browser is not None:
        environment["BROWSER"] = str(browser)
    with interruptible():
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
    try:
        yield App(process, temporary)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


class Client:
    """Speaks HTTP to the app as a browser would, or as none would."""

    def __init__(self, app: App) -> None:
        self.port = app.port
        self.cookie, self.flags = "", ""
        self.host = f"127.0.0.1:{app.port}"

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request; headers are given as ``Content_Type``."""
        sent = {"Host": self.host, **({"Cookie": self.cookie} if self.cookie else {})}
        if method in ("POST", "PUT"):
            sent["Origin"] = f"http://{self.host}"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            try:
                if body is not None:
                    connection.send(body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused before all was sent: the answer is there
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def enter(self, token: str, language: str = "en") -> int:
        """Exchange the secret of the address for a cookie."""
        status, headers, _ = self.ask("GET", f"/?token={token}", Accept_Language=language)
        self.cookie, _, self.flags = headers.get("set-cookie", "").partition(";")
        return status

    def get(self, path: str) -> tuple[int, str]:
        status, _, body = self.ask("GET", path)
        return status, body.decode()

    def post(self, path: str, **values: str) -> tuple[int, str]:
        body = urlencode(values).encode()
        status, headers, _ = self.ask("POST", path, body, Content_Type="application/x-www-form-urlencoded")
        return status, headers.get("location", "")

    def wait_for(self, path: str, words: str) -> str:
        """Ask for a page until it holds words."""
        for _ in range(1200):
            status, text = self.get(path)
            assert status == 200
            if words in text:
                return text
            time.sleep(0.2)
        raise AssertionError(text)
