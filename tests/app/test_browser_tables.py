"""In a real browser: other tables than the one that the app began with, each opened by the test that needs it."""

from __future__ import annotations

from app.tab import Tab


def test_names_and_cells_are_text_whatever_they_hold(tab: Tab) -> None:
    page = tab.go("data")
    page.click("button:has-text('Another table')")
    page.click("button[aria-label='Open: hostile.csv']")
    tab.settled()
    assert "<script>alert(2)</script>" in page.inner_text(".preview")
    assert page.locator("main img, .preview b, .preview script").count() == 0
    tab.go("roles")
    page.wait_for_selector(".column")
    assert "<img src=x onerror=alert(1)>" in page.inner_text("main")
    tab.settled()
    assert tab.wrong == []


def test_a_file_without_a_header_is_noticed(tab: Tab) -> None:
    page = tab.go("data")
    page.click("button:has-text('Another table')")
    page.click("button[aria-label='Open: headless.csv']")
    tab.settled()
    assert "it looks like data" in page.inner_text("main")


def test_a_file_that_cannot_be_read_is_read_with_marks_set_by_hand(tab: Tab) -> None:
    page = tab.go("data")
    page.click("button:has-text('Another table')")
    page.click("button[aria-label='Open: terminal.csv']")
    page.wait_for_selector("#look .message")
    assert page.locator(".drop").count() == 1  # another one can be chosen at once
    page.select_option("#written select[name=encoding]", "cp850")
    page.click("#written button:has-text('Read again')")
    page.wait_for_selector(".preview")
    assert "grün" in page.inner_text(".preview")
    assert tab.wrong == []


def test_a_tab_that_shows_another_table_changes_nothing_of_the_one_that_is_open(tab: Tab) -> None:
    page = tab.go("data")
    page.click("button:has-text('Another table')")
    page.click("button[aria-label='Open: stays.parquet']")
    tab.settled()
    tab.go("roles")
    tab.settled()
    second = Tab(tab.context, tab.app)
    second.go("data").click("button:has-text('Another table')")
    second.page.click("button[aria-label='Open: hostile.csv']")
    second.settled()
    before = second.go("roles").input_value("#role-1")
    page.select_option("#role-1", "other" if before != "other" else "identifier")
    tab.saved()
    assert "another table is open" in page.inner_text("#said")
    assert page.input_value("#role-1") == before
    second.page.close()
    assert tab.wrong == []
