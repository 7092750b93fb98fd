"""Tables that nobody plans for: each is released or refused in a sentence, and no page breaks."""

from __future__ import annotations

import html
import re
import shlex
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from app.served import App, Client, served
from command import shoal

STEPS = ("data", "roles", "protect", "compare", "run", "release")
ODD = ("a\"b'c", "line\nbreak", "<b>x</b>&amp;", " ", "{k}", "x" * 300, "é\u202e")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("awkward")
    (made / "empty.csv").write_text("")
    (made / "header.csv").write_text("a,b\n")
    (made / "one.csv").write_text("age\n" + "".join(f"{20 + i}\n" for i in range(30)))
    (made / "terminal.csv").write_bytes("grün;ort\n".encode("cp850") + b"1;x\n" * 20)
    (made / "codes.csv").write_text("sex,age\n" + "1,30\n2,40\n" * 10)
    pl.DataFrame({name: [i % 7 for i in range(40)] for name in ODD}).write_csv(made / "odd.csv")
    return made


@pytest.fixture(scope="module")
def app(folder: Path) -> Iterator[App]:
    with served(folder, "--folder", ".") as running:
        yield running


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    made = Client(app)
    made.enter(app.token)
    return made


def settled(client: Client, part: str) -> str:
    for _ in range(600):
        status, text = client.get(part)
        assert status == 200
        if "data-poll" not in text:
            return text
        time.sleep(0.1)
    raise AssertionError("it did not end")


def opened(client: Client, name: str) -> str:
    client.post("/data/choose", name=name)
    return settled(client, "/data/look")


def decided(client: Client, role: str) -> None:
    """Give every column a role."""
    for place in re.findall(r'id="role-(\d+)"', client.get("/roles")[1]):
        client.post("/roles/column", column=place, role=role, kind="")


def no_page_breaks(client: Client) -> bool:
    return all(client.get(f"/{step}")[0] in (200, 303) for step in STEPS)


@pytest.mark.parametrize(("name", "said"), [("empty.csv", "is empty"), ("header.csv", "a header but no records")])
def test_a_table_of_nothing_is_refused_in_a_sentence(client: Client, name: str, said: str) -> None:
    assert said in opened(client, name)
    assert no_page_breaks(client)


@pytest.mark.parametrize("name", ["one.csv", "odd.csv"])
def test_one_column_and_odd_names_are_released(client: Client, name: str) -> None:
    assert "preview" in opened(client, name)
    decided(client, "quasi_identifier")
    client.post("/run/start", attacks="none")
    assert 'id="made"' in settled(client, "/run/status")
    assert no_page_breaks(client)
    shown = client.get("/run")[1]
    assert "<b>x</b>" not in shown
    if name == "odd.csv":
        assert html.escape("<b>x</b>&amp;") in shown


def test_a_table_without_quasi_identifiers_says_so_before_it_runs(client: Client) -> None:
    opened(client, "one.csv")
    decided(client, "other")
    assert "at least one quasi_identifier" in client.get("/roles")[1]
    client.post("/run/start", attacks="none")
    assert "at least one quasi_identifier" in client.get("/data")[1]
    assert no_page_breaks(client)


def test_marks_that_were_found_wrongly_are_set_by_hand_also_where_nothing_could_be_read(client: Client) -> None:
    assert "preview" not in opened(client, "terminal.csv")
    page = client.get("/data")[1]
    assert 'id="written" open' in page
    assert '<option value="cp850">' in page
    client.post("/data/read", encoding="cp850", delimiter=";")
    assert "grün" in settled(client, "/data/look")


def test_a_codebook_that_does_not_fit_is_refused(client: Client) -> None:
    assert "preview" in opened(client, "codes.csv")
    book = b"column,code,label\nward,1,surgery\n"
    assert client.ask("PUT", "/data/codebook?name=book.csv", book)[0] == 422
    assert "which codes.csv does not have" in client.get("/data")[1]
    assert "preview" in settled(client, "/data/look")


def test_a_codebook_with_which_nothing_could_be_read_can_be_left_out_again(client: Client) -> None:
    assert "preview" not in opened(client, "terminal.csv")
    book = b"column,code,label\nward,1,surgery\n"
    assert client.ask("PUT", "/data/codebook?name=book.csv", book)[0] == 200
    client.post("/data/read", encoding="cp850", delimiter=";")
    assert "preview" in settled(client, "/data/look")


def test_a_tree_with_the_name_of_a_codebook_does_not_take_it_away(client: Client, app: App) -> None:
    assert "preview" in opened(client, "codes.csv")
    book = b"column,code,label\nsex,1,male\nsex,2,female\n"
    assert client.ask("PUT", "/data/codebook?name=book.csv", book)[0] == 200
    assert "preview" in settled(client, "/data/look")
    decided(client, "quasi_identifier")
    tree = b"male,people\nfemale,people\n"
    assert client.ask("PUT", "/roles/tree?name=book.csv&column=0", tree)[0] == 200
    client.post("/run/start", attacks="none")
    assert 'id="made"' in settled(client, "/run/status")
    opened(client, "one.csv")
    assert "book.csv" not in [path.name for path in app.working_files()]  # with its table


def test_a_file_for_a_table_that_is_not_open_any_more_is_refused(client: Client) -> None:
    opened(client, "codes.csv")
    page = client.get("/roles")[1]
    (seen,) = re.findall(r'data-table="(\d+)"', page)
    opened(client, "one.csv")
    for address in ("/roles/tree?column=0&name=tree.csv", "/data/codebook?name=book.csv"):
        assert client.ask("PUT", address, b"20,a\n21,a\n", Shoal_Table=seen)[0] == 422
        assert "another table is open" in client.get("/roles")[1]
    assert "preview" in settled(client, "/data/look")
    assert "There is a tree of" not in client.get("/roles")[1]


def test_a_codebook_without_a_table_is_not_kept(client: Client, app: App) -> None:
    client.post("/data/another")
    assert client.ask("PUT", "/data/codebook?name=alone.csv", b"column,code,label\n")[0] == 422
    assert "choose a table first" in client.get("/data")[1]
    assert "alone.csv" not in [path.name for path in app.working_files()]


@pytest.mark.parametrize(
    ("address", "values", "said"),
    [
        ("/roles/column", {"column": "9" * 5000, "role": "other"}, "there is no such column"),
        ("/roles/hierarchy", {"column": "0", "prefix": "9" * 5000}, "a prefix is a number of characters"),
    ],
)
def test_a_number_longer_than_any_is_refused_in_a_sentence(
    client: Client, address: str, values: dict[str, str], said: str
) -> None:
    opened(client, "codes.csv")
    assert client.post(address, **values)[0] == 303
    assert said in client.get("/help")[1]


def test_a_file_that_is_named_like_an_option_is_repeated_by_the_command_of_the_page(
    client: Client, folder: Path, tmp_path: Path
) -> None:
    name = "-o $(touch x).csv"
    (folder / name).write_bytes((folder / "one.csv").read_bytes())
    assert "preview" in opened(client, name)
    decided(client, "quasi_identifier")
    client.post("/run/start", attacks="none")
    assert 'id="made"' in settled(client, "/run/status")
    page = client.get("/release")[1]
    files = {called: place for place, called in re.findall(r'href="(/release/file/[^"]+)" download="([^"]+)"', page)}
    plan = next(called for called in files if called.endswith(".plan.toml"))
    (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / plan).write_bytes(client.ask("GET", files[plan])[2])
    for place in (len(files), -1, "x", "9" * 5000):
        assert client.ask("GET", f"{files[plan].rpartition('/')[0]}/{place}")[0] == 404
    command = re.search(r'<pre [^>]*id="command">([^<]*)</pre>', page)
    assert command is not None
    done = shoal(*shlex.split(html.unescape(command[1]))[1:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "x").exists()


def test_another_table_while_one_is_read_has_a_plan_of_its_own(client: Client) -> None:
    client.post("/data/choose", name="odd.csv")
    assert "preview" in opened(client, "one.csv")
    page = client.get("/roles")[1]
    assert re.findall(r'id="role-(\d+)"', page) == ["0"]
    assert "age" in page


def test_a_tab_that_waits_for_a_run_is_told_where_the_table_was_put_aside(client: Client) -> None:
    opened(client, "one.csv")
    client.post("/data/another")
    for part in ("/compare/board", "/protect/ahead", "/roles/unique", "/roles/warnings"):
        assert client.get(part)[0] == 200, part
    status, said = client.get("/run/status")
    assert (status, "choose a table first" in said) == (200, True)


def test_files_of_releases_that_nobody_can_reach_are_gone(client: Client, app: App) -> None:
    opened(client, "one.csv")
    decided(client, "quasi_identifier")
    for _ in range(2):
        client.post("/run/start", attacks="none")
        settled(client, "/run/status")
    assert [path.name for path in app.working_files()].count("manifest.json") == 1
    opened(client, "codes.csv")
    assert "manifest.json" not in [path.name for path in app.working_files()]
