"""Take the pictures of docs/app.md: the bundled table from the first step to a release, as somebody new would go.

    python docs/img/app.py [FOLDER]

needs an installed Chromium, Chrome or Edge (or its path in SHOAL_BROWSER), and says how long the whole way took.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from palette import shrink
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "msedge")
PATIENCE = 300_000  # milliseconds, on a busy machine


class Pictures:
    """A browser on the app, and pictures of it."""

    def __init__(self, page: Any, folder: Path) -> None:
        self.page, self.folder = page, folder

    def settle(self) -> None:
        """Wait until every change was answered, and nothing is under way."""
        for _ in range(PATIENCE // 100):
            if self.page.locator("html[data-saving], [data-poll]").count() == 0:
                return
            self.page.wait_for_timeout(100)
        raise SystemExit("the page did not come to rest")

    def follow(self, words: str, step: str) -> None:
        """Click a link to a step."""
        self.page.click(words)
        self.page.wait_for_url(f"**/{step}")
        self.settle()

    def take(self, name: str, *, scheme: str = "light", height: int = 900) -> None:
        """Write a picture of what is on the screen."""
        self.page.emulate_media(color_scheme=scheme)
        self.page.set_viewport_size({"width": 1280, "height": height})
        self.page.mouse.move(1, 1)
        path = self.folder / f"{name}.png"
        self.page.screenshot(path=path)
        shrink(path)
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size({"width": 1280, "height": 900})


def walk(pictures: Pictures, address: str) -> float:
    """Go from the bundled table to a release with k = 5 and t = 0.2; return the seconds that it took."""
    page, started = pictures.page, time.monotonic()
    page.goto(address)
    page.wait_for_selector(".preview")
    pictures.follow("text=Continue: Roles", "roles")
    pictures.take("app-roles", height=1000)
    pictures.follow("text=Continue: Protect", "protect")
    page.fill("#field-t", "0.2")
    page.press("#field-t", "Tab")
    pictures.settle()
    page.locator("#costs").evaluate("part => part.scrollIntoView()")
    pictures.take("app-costs")
    page.click("#way-without")
    pictures.settle()
    page.evaluate("window.scrollTo(0, 0)")
    pictures.take("app-protect", scheme="dark", height=1000)
    pictures.follow("text=Continue: Run", "run")
    page.click("#start")
    pictures.settle()
    pictures.take("app-run", height=1100)
    pictures.follow("text=Continue: Release", "release")
    pictures.take("app-release", height=1000)
    return time.monotonic() - started


def compare(pictures: Pictures) -> None:
    """Compare plans, each quickly."""
    page = pictures.page
    page.click("nav >> text=Protect")
    page.wait_for_url("**/protect")
    page.select_option("#refine", "none")
    pictures.settle()
    pictures.follow("nav >> text=Compare", "compare")
    page.fill("input[name=k]", "3, 5, 10, 20")
    page.fill("input[name=t]", "none, 0.2, 0.3")
    page.click("main button:has-text('Compare')")
    pictures.settle()
    pictures.take("app-compare", height=1100)


def main() -> None:
    """Start the app, and take the pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    browser = os.environ.get("SHOAL_BROWSER") or next((path for name in NAMES if (path := shutil.which(name))), None)
    command = [sys.executable, "-m", "shoal", "app", "--no-open", "--demo"]
    app = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert app.stdout is not None
        address = next(found[0] for line in app.stdout if (found := re.search(r"http://\S+token=\S+", line)))
        with sync_playwright() as playwright:
            launched = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            page = launched.new_context(reduced_motion="reduce", locale="en-US").new_page()
            page.set_default_timeout(PATIENCE)
            pictures = Pictures(page, folder)
            sys.stdout.write(f"from the table to a release: {walk(pictures, address):.0f} s\n")
            compare(pictures)
            launched.close()
    finally:
        app.terminate()
        app.wait()


if __name__ == "__main__":
    main()
