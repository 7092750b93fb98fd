"""A tab of the browser with the app in it, and how tests wait for what it shall come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from app.served import App

LONG = 300_000  # milliseconds: machines are slow when they are busy


class Tab:
    """A page of the app, and what was wrong on it."""

    def __init__(self, context: Any, app: App) -> None:
        self.context, self.app = context, app
        self.page = context.new_page()
        self.page.set_default_timeout(LONG)
        self.hosts: set[str] = set()
        self.wrong: list[str] = []
        self.page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.wrong.append("dialog"), dialog.dismiss()))

    def _heard(self, said: Any) -> None:
        # Answers that say what is wrong with a plan or a file are no errors of the page.
        if said.type in ("error", "warning") and "status of 422" not in said.text:
            self.wrong.append(said.text)

    def enter(self, address: str) -> Tab:
        self.page.goto(address)
        self.page.wait_for_selector("#header")
        return self

    def go(self, step: str) -> Any:
        """Open a step by its address, as from a bookmark, once what was changed is saved."""
        self.saved()
        self.page.goto(f"http://127.0.0.1:{self.app.port}/{step}")
        return self.page

    def follow(self, words: str, step: str) -> Any:
        """Click a link, and wait for its page: it comes after the answers to what was changed before."""
        self.page.click(words)
        self.page.wait_for_url(f"**/{step}")
        return self.page

    def saved(self) -> None:
        """Wait until every change was answered, and its answer is shown."""
        self.until(lambda: self.page.locator("html[data-saving]").count() == 0)

    def settled(self) -> None:
        """Wait until every change was answered, and nothing on the page asks for itself again."""
        self.until(lambda: self.page.locator("html[data-saving], [data-poll]").count() == 0)

    def release(self) -> None:
        """Make a release, and wait for its evidence."""
        self.page.click("#start")
        self.settled()
        assert self.page.locator("#made").count() == 1

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for what the page shall come to. Not in the page: its policy lets nobody run words there."""
        for _ in range(LONG // 100):
            if condition():
                return
            self.page.wait_for_timeout(100)
        raise AssertionError("it did not come to that")
