"""A browser for the tests of the app: one that is installed, or the tests say in a line that they did not run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from app.served import PLAN, App, served
from app.tab import Tab
from required_tools import missing
from shoal.examples import discharges

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "msedge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)


def _installed() -> str | None:
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or next((place for place in PLACES if Path(place).exists()), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, Chrome or Edge, without a window."""
    executable = os.environ.get("SHOAL_BROWSER") or _installed()
    if executable is None:
        missing(
            "the tests of the app in a browser did not run: install Chromium, Chrome or Edge "
            "(Debian: apt-get install chromium), or name one in SHOAL_BROWSER"
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # As root, as in containers, Chromium has no sandbox; what is shown here is ours.
        launched = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small table, its plan, and a few others."""
    folder = tmp_path_factory.mktemp("tables")
    frame = discharges(300, patients=150, seed=3)
    frame.write_csv(folder / "stays.csv")
    (folder / "plan.toml").write_text(PLAN)
    frame.write_parquet(folder / "stays.parquet")
    lines = (folder / "stays.csv").read_text().splitlines()
    (folder / "headless.csv").write_text("\n".join(lines[1:]) + "\n")
    (folder / "terminal.csv").write_bytes("grün;ort\n".encode("cp850") + b"1;x\n" * 20)
    hostile = pl.DataFrame(
        {
            "<img src=x onerror=alert(1)>": ["<script>alert(2)</script>", "=1+1", "'\"><b>x</b>"] * 10,
            "age": [str(20 + i) for i in range(30)],
        }
    )
    hostile.write_csv(folder / "hostile.csv")
    return folder


@pytest.fixture(scope="module")
def app(table: Path) -> Iterator[App]:
    """The app with the small table and its plan."""
    with served(table, "stays.csv", "--plan", "plan.toml", "--folder", ".") as running:
        yield running


@pytest.fixture(scope="module")
def tab(browser: Any, app: App) -> Iterator[Tab]:
    """A tab that shows the table of the app, without motion: amid a change of colours nobody reads contrast."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    made = Tab(context, app).enter(app.address)
    made.page.wait_for_selector(".preview")
    yield made
    context.close()
