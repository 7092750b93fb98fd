"""The bundled table with k = 5 and t = 0.2: the plan that the app wrote gives the same bytes on the command line."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.served import App, Client, served
from command import shoal


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with served(tmp_path_factory.mktemp("demo"), "--demo") as running:
        made = Client(running)
        assert made.enter(running.token) == 200
        made.wait_for("/data/look", 'class="preview"')
        yield made


def test_the_plan_of_the_app_gives_the_same_bytes_on_the_command_line(client: Client, tmp_path: Path) -> None:
    client.post("/protect/options", k="5", t="0.2", method="mdav", refine="none")
    client.post("/run/start", attacks="none")
    text = client.wait_for("/run/status", 'id="made"')
    assert text.count("guarantee holds") == 2
    page = client.get("/release")[1]
    names = re.findall(r'href="(/release/file/[^"]+)" download="([^"]+)"', page)
    files = {name: client.ask("GET", place)[2] for place, name in names}
    plan, release = files["discharges-anonymous.plan.toml"], files["discharges-anonymous.csv"]
    (tmp_path / "discharges.csv").write_bytes(client.ask("GET", "/data/original")[2])
    (tmp_path / "discharges-anonymous.plan.toml").write_bytes(plan)
    found = re.search(r'<pre [^>]*id="command">([^<]*)</pre>', page)
    assert found is not None
    first, *words = shlex.split(html.unescape(found[1]))
    assert first == "shoal"
    done = shoal(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "discharges-anonymous.csv").read_bytes() == release


def test_somebodys_own_table_is_not_handed_out(app: App) -> None:
    own = Client(app)
    assert own.enter(app.token) == 200
    assert own.get("/data/original")[0] == 404
