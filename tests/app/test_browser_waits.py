"""In a real browser: what people do faster than the server answers, and what a page that is replaced keeps."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from app.tab import Tab

CHANGED = """([id, value]) => {
  const control = document.getElementById(id);
  control.value = value;
  control.dispatchEvent(new Event("change", { bubbles: true }));
}"""
"""Another change, without the pointer or the focus."""


def test_a_link_after_a_change_that_is_refused_stays_and_says_why(tab: Tab) -> None:
    page = tab.go("roles")
    page.select_option("#kind-2", "cyclic")
    tab.settled()
    page.fill("#period-2", "12")
    page.press("#period-2", "Tab")
    tab.saved()
    page.fill("#period-2", "")
    page.click("nav >> text=Protect")  # sends what was typed, and waits for the answer
    page.wait_for_selector("#said[data-refused] .message")
    assert page.url.endswith("/roles")
    assert "a cycle needs its period" in page.inner_text("#said")
    page.select_option("#kind-2", "numeric")
    tab.follow("nav >> text=Protect", "protect")
    assert page.locator("#said .message").count() == 0


def test_why_a_change_was_refused_is_said_with_the_answer_to_the_next(tab: Tab) -> None:
    page = tab.go("roles")
    page.select_option("#kind-2", "cyclic")
    tab.settled()
    page.evaluate(CHANGED, ["period-2", ""])
    page.evaluate(CHANGED, ["option-weights", ""])
    tab.saved()
    assert "a cycle needs its period" in page.inner_text("#said")
    page.select_option("#kind-2", "numeric")
    tab.saved()
    assert page.locator("#said .message").count() == 0


def test_what_is_marked_in_a_field_stays_marked_when_an_answer_comes(tab: Tab) -> None:
    page = tab.go("protect")
    page.fill("#field-t", "0.3")
    page.press("#field-t", "Tab")
    tab.saved()
    page.focus("#field-t")
    page.keyboard.press("ControlOrMeta+A")
    page.evaluate(CHANGED, ["missing", "keep"])
    tab.settled()
    page.keyboard.type("0.4")
    assert page.input_value("#field-t") == "0.4"
    assert page.input_value("#missing") == "keep"
    page.keyboard.press("Tab")
    tab.saved()
    page.evaluate(CHANGED, ["field-t", ""])
    tab.go("protect")
    assert page.input_value("#field-t") == ""


def test_a_list_that_was_opened_by_the_pointer_does_not_hold_the_page_back(tab: Tab) -> None:
    page = tab.go("protect")
    page.dispatch_event("#missing", "pointerdown")  # the list swallows the end of it
    page.select_option("#missing", "impute")
    tab.settled()
    assert page.input_value("#missing") == "impute"
    page.select_option("#missing", "error")
    tab.saved()


def test_what_is_typed_and_not_left_yet_outlives_a_reload(tab: Tab) -> None:
    page = tab.go("protect")
    page.fill("#field-k", "8")

    def as_typed() -> bool:
        page.reload()
        return page.input_value("#field-k") == "8"

    tab.until(as_typed)
    assert page.input_value("#field-k") == "8"
    page.fill("#field-k", "5")
    page.press("#field-k", "Tab")
    tab.saved()


def test_a_link_waits_for_a_file_that_is_sent(tab: Tab, table: Path, tmp_path: Path) -> None:
    with (table / "stays.csv").open(newline="") as file:
        codes = sorted({row["postcode"] for row in csv.DictReader(file)})
    tree = tmp_path / "tree.csv"
    tree.write_text("".join(f"{code},{code[:3]}\n" for code in codes))
    page = tab.go("roles")
    tab.settled()
    page.click("#more-4 summary")
    held: list[Any] = []
    page.route("**/roles/tree*", lambda route: held.append(route))
    page.set_input_files("#more-4 input[type=file]", tree)
    tab.until(lambda: bool(held))
    page.click("nav >> text=Protect", no_wait_after=True)
    held[0].continue_()
    page.wait_for_url("**/protect")
    page.unroute("**/roles/tree*")
    tab.go("roles")
    page.click("#more-4 summary")
    assert "There is a tree of" in page.inner_text("#more-4")
    page.click("button:has-text('Remove the tree')")
    tab.saved()
    assert tab.wrong == []
