"""What is uploaded is taken or refused: one that is refused leaves all as it was, and nothing of itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.served import App, Client, served

TABLE = b"sex,age\n" + b"1,30\n2,40\n" * 10
BOOK = b"column,code,label\nsex,1,female\nsex,2,male\n"
OTHER_BOOK = b"column,code,label\nsex,1,HACKED\nsex,2,male\n"
TREE = b"female,people\nmale,people\n"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with served(tmp_path_factory.mktemp("uploads")) as running:
        yield running


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    """A browser that has sent a table with its codebook and a tree, and made a release."""
    made = Client(app)
    assert made.enter(app.token) == 200
    for address, content in (("/data/upload?name=a.csv", TABLE), ("/data/codebook?name=cb.csv", BOOK)):
        assert made.ask("PUT", address, content)[0] == 200
        made.wait_for("/data/look", 'class="preview"')
    for place in "01":
        made.post("/roles/column", column=place, role="quasi_identifier", kind="")
    assert made.ask("PUT", "/roles/tree?name=tree.csv&column=0", TREE)[0] == 200
    made.post("/run/start", attacks="none")
    made.wait_for("/run/status", 'id="made"')
    return made


def kept(app: App) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in app.working_files() if path.is_file()}


def shown(client: Client) -> tuple[str, ...]:
    """Return what a browser sees of what it has; what was said is said once."""
    client.get("/help")
    return tuple(client.get(page)[1] for page in ("/data", "/run", "/release"))


def test_a_file_that_a_page_sends_which_shows_another_table_replaces_none(app: App, client: Client) -> None:
    before, seen = kept(app), shown(client)
    for address, content in (
        ("/data/codebook?name=cb.csv", OTHER_BOOK),
        ("/data/codebook?name=other.csv", OTHER_BOOK),
        ("/roles/tree?name=tree.csv&column=0", b"female,HACKED\nmale,HACKED\n"),
        ("/release/sign?name=key.pem", b"HACKED"),
    ):
        assert client.ask("PUT", address, content, Shoal_Table="0")[0] == 422
        assert "another table is open" in client.get("/help")[1]
        assert kept(app) == before
    assert shown(client) == seen
    client.post("/run/start", attacks="none")
    client.wait_for("/run/status", 'id="made"')
    assert not [name for name, content in kept(app).items() if b"HACKED" in content]


@pytest.mark.parametrize(
    ("address", "content", "said"),
    [
        ("/data/codebook?name=cb.csv", b"code,label\n1,HACKED\n", "must have the columns column, code, label"),
        ("/data/codebook?name=other.csv", b"code,label\n1,HACKED\n", "must have the columns column, code, label"),
        ("/data/codebook?name=cb.csv", b"column,code,label\nward,1,HACKED\n", "which a.csv does not have"),
        ("/data/codebook?name=cb.csv", b"column,code,label\nsex,1,HACKED\nsex,1,b\n", "a code has one label"),
        ("/roles/tree?name=tree.csv&column=0", b"female,HACKED\nmale\n", "tree.csv"),
        ("/roles/tree?name=tree.csv&column=7", TREE, "there is no such column"),
        ("/release/sign?name=key.pem", b"HACKED", r">\s*key\.pem must hold an Ed25519 private key"),
        ("/data/upload?name=a.xyz", b"HACKED", "has the unknown extension"),
        ("/data/upload?name=a.csv", b"", "a.csv is empty"),
    ],
)
def test_a_file_that_is_refused_takes_nothing_away(
    app: App, client: Client, address: str, content: bytes, said: str
) -> None:
    before, seen = kept(app), shown(client)
    assert client.ask("PUT", address, content)[0] == 422
    page = client.get("/help")[1]
    assert re.search(said, page)
    assert "upload-" not in page
    assert kept(app) == before
    assert shown(client) == seen
    assert not [path for path in app.working_files() if path.name.startswith("upload-")]


def test_another_file_of_the_same_name_takes_the_place_of_the_first(tmp_path: Path) -> None:
    with served(tmp_path) as running:
        client = Client(running)
        client.enter(running.token)
        for address, content in (
            ("/data/upload?name=a.csv", TABLE),
            ("/data/upload?name=a.csv", TABLE + b"2,41\n"),
            ("/data/codebook?name=cb.csv", BOOK),
            ("/data/codebook?name=cb.csv", OTHER_BOOK),
        ):
            assert client.ask("PUT", address, content)[0] == 200
            text = client.wait_for("/data/look", 'class="preview"')
            assert content in kept(running).values()
        assert "HACKED" in text
        assert "<dd>21</dd>" in text
        assert len(kept(running)) == 2
