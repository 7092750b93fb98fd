"""Tabs share one session: what a tab asks of a release that is not the last one any more is refused."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.served import App, Client, served
from app.tab import Tab

REFUSED = "another release is here than this page showed, or none any more"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tabs")
    (made / "a.csv").write_text("age\n" + "".join(f"{20 + i}\n" for i in range(30)))
    (made / "b.csv").write_text("height\n" + "".join(f"{150 + i}\n" for i in range(30)))
    return made


@pytest.fixture(scope="module")
def app(folder: Path) -> Iterator[App]:
    with served(folder, "--folder", ".") as running:
        yield running


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    made = Client(app)
    assert made.enter(app.token) == 200
    return made


def opened(client: Client, name: str) -> None:
    client.post("/data/choose", name=name)
    client.wait_for("/data/look", 'class="preview"')
    client.post("/roles/column", column="0", role="quasi_identifier", kind="numeric")


def released(client: Client) -> tuple[list[str], str]:
    """Make a release, and return the addresses that its pages lead to, and by what they name it."""
    client.post("/run/start", attacks="none")
    client.wait_for("/run/status", 'id="start"')
    pages = client.get("/run")[1] + client.get("/release")[1]
    links = re.findall(r'(?:href|src)="(/(?:run|release)/[^"]+)"', pages)
    assert len(links) > 8
    assert all(client.ask(method, link)[0] == 200 for link in links for method in ("GET", "HEAD"))
    number = re.search(r'name="release" value="([^"]+)"', pages)
    return links, number[1] if number else ""


def all_refused(client: Client, links: list[str], words: str = REFUSED) -> bool:
    answers = [client.ask("GET", link) for link in links]
    return all(status == 409 and words in html.unescape(body.decode()) for status, _, body in answers)


def test_links_of_a_table_lead_to_nothing_of_the_next(client: Client) -> None:
    opened(client, "a.csv")
    links, _ = released(client)
    opened(client, "b.csv")
    assert all_refused(client, links)  # there is none yet
    released(client)
    assert all_refused(client, links)
    assert not any(b"height" in client.ask("GET", link)[2] for link in links)
    client.post("/language", language="de")
    assert all_refused(client, links, "eine andere Freigabe ist hier als diese Seite zeigte")
    client.post("/language", language="en")


def test_links_of_a_release_lead_to_nothing_of_the_next(client: Client) -> None:
    opened(client, "a.csv")
    links, _ = released(client)
    client.post("/protect/options", k="7", method="mdav")
    released(client)
    assert all_refused(client, links)


def test_a_release_that_a_tab_does_not_show_is_neither_signed_nor_written(client: Client, folder: Path) -> None:
    opened(client, "a.csv")
    _, first = released(client)
    _, last = released(client)
    assert first != last
    client.post("/release/row-map", release=first, row_map="on")
    assert REFUSED in client.get("/help")[1]
    assert "row-map.csv" not in client.get("/release")[1]
    client.post("/release/write", release=first)
    assert REFUSED in client.get("/help")[1]
    assert not (folder / "a-anonymous.csv").exists()
    assert client.ask("PUT", f"/release/sign?release={first}&name=key.pem", b"key")[0] == 422
    assert REFUSED in client.get("/help")[1]
    client.post("/release/row-map", release=last, row_map="on")
    assert "row-map.csv" in client.get("/release")[1]
    client.post("/release/write", release=last)
    assert (folder / "a-anonymous.csv").exists()


def test_a_tab_says_why_it_hands_nothing_out(browser: Any, app: App, client: Client) -> None:
    context = browser.new_context(reduced_motion="reduce")
    first = Tab(context, app).enter(app.another_address())
    first.page.click("button[aria-label='Open: a.csv']")
    first.page.wait_for_selector(".preview")
    first.go("roles").select_option("#role-0", "quasi_identifier")
    first.go("run")
    first.release()
    second = Tab(context, app)
    files = second.go("release")
    first.page.click("#start")
    first.settled()
    first.page.wait_for_selector("iframe.report")
    started: list[str] = []
    files.on("download", lambda download: started.append(download.suggested_filename))
    files.locator("a[download='a-anonymous.csv']").click()
    files.wait_for_selector(f"text={REFUSED}")
    assert files.locator("#header").count() == 1
    assert started == []
    report = second.go("run")
    first.page.click("#start")
    first.settled()
    report.click("a:has-text('External edition')")
    report.frame(name="report").wait_for_selector(f"text={REFUSED}")
    context.close()
    assert first.wrong == []
    assert [said for said in second.wrong if "status of 409" not in said] == []
