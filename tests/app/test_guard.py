"""Each promise of security as an attack on a running app."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest

from app.served import App, Client, served
from shoal.app.folders import WorkFolder


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    made = Client(app)
    assert made.enter(app.token) == 200
    assert made.cookie
    return made


def test_the_server_listens_on_loopback_alone(app: App) -> None:
    psutil = pytest.importorskip("psutil")
    tree = [psutil.Process(app.process.pid), *psutil.Process(app.process.pid).children(recursive=True)]
    doors = {(each.laddr.ip, each.laddr.port) for one in tree for each in one.net_connections("inet") if not each.raddr}
    assert doors == {("127.0.0.1", app.port)}
    families = (socket.AF_INET, socket.AF_INET6)
    found = [each for own in psutil.net_if_addrs().values() for each in own if each.family in families]
    others = {(each.family, each.address) for each in found if each.address != "127.0.0.1"}
    for family, address in {*others, (socket.AF_INET, "127.0.0.2")}:
        with socket.socket(family) as door:
            door.settimeout(5)
            with pytest.raises(OSError, match=r"refused|timed out|unreachable|not available|cannot assign|nvalid"):
                door.connect((address, app.port))


def test_without_the_secret_nothing_is_shown(app: App, client: Client) -> None:
    stranger = Client(app)
    for path in ("/", "/data", "/roles/unique", "/run/report/1-1/internal", "/release/file/1-1/0", "/static/app.js"):
        status, text = stranger.get(path)
        assert status == 403
        assert "stays" not in text
    assert stranger.ask("POST", "/stop", b"")[0] == 403
    assert app.process.poll() is None


def test_the_secret_opens_once(app: App, client: Client) -> None:
    second = Client(app)
    assert second.enter(app.token) == 403
    assert second.enter("x" * 43) == 403
    assert second.cookie == ""


def test_the_cookie_is_strict_and_out_of_reach_for_scripts(client: Client) -> None:
    flags = {part.strip().lower() for part in client.flags.split(";")}
    assert {"httponly", "samesite=strict", "path=/"} <= flags


@pytest.mark.parametrize("other", ['a={"b": 1}', "a[b]=1", "a b=é", "{name}=tossed", "=", "a"])
def test_cookies_of_other_servers_on_this_machine_lock_nobody_out(client: Client, other: str) -> None:
    own = client.cookie
    cookies = f"{other.replace('{name}', own.partition('=')[0])}; {own}; c=d"
    status, _, _ = client.ask("GET", "/help", Cookie=cookies.encode().decode("latin-1"))
    assert status == 200
    assert client.ask("GET", "/help", Cookie=cookies.replace(own, f"x{own}"))[0] == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "evil.example:{port}", "127.0.0.1.evil.example:{port}", ""]
)
def test_another_host_is_refused_as_in_dns_rebinding(app: App, client: Client, host: str) -> None:
    status, _, body = client.ask("GET", "/data", Host=host.format(port=app.port))
    assert status in (400, 421)
    assert b"stays" not in body


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", ""]
)
def test_another_origin_changes_nothing(app: App, client: Client, origin: str) -> None:
    client.wait_for("/data/look", "preview")
    status, _, _ = client.ask("POST", "/protect/options", b"k=99&method=mdav", Origin=origin.format(port=app.port))
    assert status == 403
    assert 'value="99"' not in client.get("/protect")[1]


def test_a_websocket_is_refused(app: App, client: Client) -> None:
    status, _, _ = client.ask(
        "GET",
        "/data",
        Upgrade="websocket",
        Connection="Upgrade",
        Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==",
        Sec_WebSocket_Version="13",
        Origin="http://evil.example",
    )
    assert status == 403


@pytest.mark.parametrize("method", ["DELETE", "TRACE", "OPTIONS", "PATCH", "CONNECT"])
def test_other_methods_are_refused(client: Client, method: str) -> None:
    assert client.ask(method, "/data")[0] in (400, 405)


def test_pages_may_load_and_send_nothing_elsewhere(client: Client) -> None:
    _, headers, _ = client.ask("GET", "/data")
    policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == policy["form-action"] == "'self'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "name",
    [
        *("../secret.csv", "/etc/passwd", "link.csv", "folder/../../secret.csv", "..", "", "a\0b", "round.csv"),
        *("a" * 300, "out/secret.csv", "%2e%2e/secret.csv", "..\\secret.csv", "\ud800.csv"),
    ],
)
def test_files_outside_the_folder_are_refused(tmp_path: Path, table: Path, name: str) -> None:
    from shoal.app.folders import OfferedFolder
    from shoal.errors import DataError

    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.csv").write_text("a\n1\n")
    (inside / "link.csv").symlink_to(tmp_path / "secret.csv")
    (inside / "out").symlink_to(tmp_path)
    (inside / "round.csv").symlink_to(inside / "round.csv")
    (inside / "good.csv").write_text("a\n1\n")
    offered = OfferedFolder(inside)
    assert list(offered.files()) == ["good.csv"]
    assert offered.path_of("good.csv") == inside.resolve() / "good.csv"
    with pytest.raises(DataError, match=r"outside|no such file"):
        offered.path_of(name)


def test_a_path_outside_is_refused_by_the_app_too(client: Client) -> None:
    client.post("/data/choose", name="../../../../etc/passwd")
    assert "outside the folder" in client.get("/help")[1]


@pytest.mark.parametrize(
    "lines",
    [
        'sex = {{ role = "quasi_identifier", kind = "nominal", hierarchy = {file} }}',
        "[closeness]\nt = 0.3\n[closeness.hierarchy]\ndiagnosis = {file}",
    ],
)
def test_a_plan_that_is_typed_reads_no_file(app: App, client: Client, tmp_path: Path, lines: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("female,hush\nmale,hush\n")
    named = lines.format(file=json.dumps(str(secret)))
    client.wait_for("/data/look", "preview")
    text = client.ask("POST", "/protect/check", urlencode({"toml": f"k = 3\n[attributes]\n{named}"}).encode())[2]
    assert b"names a file, which a page does not read" in text
    for path, name, value in (("toml", "toml", f"k = 3\n[attributes]\n{named}"), ("remedy", "remedy", named)):
        step = "roles" if path == "remedy" else "protect"
        client.post(f"/{step}/{path}", **{name: value if "[" in value else f"[attributes]\n{value}"})
        assert "names a file, which a page does not read" in client.get("/help")[1]
    assert "hush" not in client.get("/protect")[1]


def test_names_of_uploads_are_cut_but_keep_their_ending() -> None:
    from shoal.app.folders import safe_name

    for name in (
        "表" * 300 + ".csv.gz",
        "x" * 300 + ".parquet",
        "a." + "b" * 300 + ".csv",
        "x" * 180 + "." + "\U00010348" * 19,
        "." * 300,
        "\0",
        "表",
    ):
        safe = safe_name(name)
        assert 0 < len(safe.encode()) < 256
        assert safe == "data" or safe == "_" or safe.endswith(name[-3:])


def test_uploads_are_private_bounded_and_named_safely(tmp_path: Path) -> None:
    with served(tmp_path, most_upload=1_000_000) as running:
        client = Client(running)
        client.enter(running.token)
        assert client.ask("PUT", "/data/upload?name=..%2F..%2Fsmall.csv", b"age\n" + b"30\n" * 50)[0] == 200
        (kept,) = [path for path in running.working_files() if path.name == "small.csv"]
        assert kept.parent.name == "data"
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        for path in kept.parents:
            if path == running.folder:
                break
            assert stat.S_IMODE(path.stat().st_mode) == 0o700
        status = client.ask("PUT", "/data/upload?name=large.csv", b"x" * 1_000_001)[0]
        assert status == 422
        assert "larger than the 1 MB that can be uploaded" in client.get("/data")[1]
        assert not [path for path in running.working_files() if path.name == "large.csv"]
        assert client.ask("PUT", "/data/upload?name=small.csv", b"x" * 1_000_001)[0] == 422
        assert kept.read_bytes().startswith(b"age")  # a file that is refused takes none away
        assert client.ask("PUT", "/data/upload?name=next.csv", b"age\n" + b"31\n" * 50)[0] == 200
        assert [path.name for path in kept.parent.iterdir()] == ["next.csv"]  # what nobody can reach is gone


@pytest.mark.parametrize(
    "how", ["SIGTERM", "page", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("SIGHUP", "SIGINT"))]
)
def test_nothing_is_left_when_it_ends(tmp_path: Path, how: str) -> None:
    with served(tmp_path, "--demo") as running:
        client = Client(running)
        client.enter(running.token)
        assert running.working_files()
        client.wait_for("/data/look", "preview")
        workers = _children(running.process.pid)
        assert workers
        if how == "page":
            assert client.ask("POST", "/stop", b"")[0] == 200
            code = running.process.wait(30)
        else:
            code = running.end(getattr(signal, how))
        assert code == {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": 130, "page": 0}[how]
        assert running.working_files() == []
        assert _ended(workers)


def test_what_a_killed_app_left_the_next_one_removes(tmp_path: Path) -> None:
    with served(tmp_path, "--demo") as running:
        client = Client(running)
        client.enter(running.token)
        client.wait_for("/data/look", "preview")
        workers = _children(running.process.pid)
        assert workers
        running.end(signal.SIGKILL)
        left = running.working_files()
        assert [path.name for path in left if path.is_file()] == ["discharges.csv"]
        assert _ended(workers)
    with served(tmp_path) as running:
        assert not any(path.exists() for path in left)
        assert len(running.working_files()) == 1


def test_what_was_left_is_removed_also_where_another_process_has_the_number_of_the_one_that_was_killed(
    tmp_path: Path,
) -> None:
    left = tmp_path / f"shoal-app-{os.getpid()}-abcdefgh"
    (left / "session-abcdefgh").mkdir(parents=True)
    first = WorkFolder(tmp_path)
    assert not left.exists()
    second = WorkFolder(tmp_path)
    assert first.path.exists()  # that of one which lives is not
    for folder in (first, second):
        folder.close()
    assert list(tmp_path.iterdir()) == []


def test_two_browsers_see_nothing_of_each_other(tmp_path: Path) -> None:
    with served(tmp_path, "--demo") as running:
        first, second = Client(running), Client(running)
        assert first.enter(running.token) == 200
        assert second.enter(running.another_address().partition("token=")[2], "de-AT,en;q=0.5") == 200
        assert '<html lang="en">' in first.get("/help")[1]
        assert '<html lang="de">' in second.get("/help")[1]
        assert first.cookie != second.cookie
        for client in (first, second):
            client.wait_for("/data/look", "preview")
        first.post("/protect/options", k="17", method="mdav")
        assert 'value="17"' in first.get("/protect")[1]
        assert 'value="17"' not in second.get("/protect")[1]
        second.post("/data/another")
        assert "preview" in first.get("/data")[1]


def _children(process: int) -> list[int]:
    psutil = pytest.importorskip("psutil")
    return [child.pid for child in psutil.Process(process).children(recursive=True)]


def _ended(workers: list[int]) -> bool:
    for _ in range(100):
        if not any(_lives(worker) for worker in workers):
            return True
        time.sleep(0.1)
    return False


def _lives(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        try:
            os.kill(process, 0)
        except OSError:
            return False
        return not Path("/proc").exists()
