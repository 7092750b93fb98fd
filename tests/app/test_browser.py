"""The app in a real browser: from a table to a verified release, and what people do on the way."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.served import served
from app.tab import Tab
from command import shoal


@pytest.fixture(scope="module")
def tab(tab: Tab) -> Tab:
    """With what the steps after a run show, whichever test comes first."""
    tab.go("run")
    tab.release()
    return tab


def test_a_table_becomes_a_verified_release_with_the_bytes_of_the_command_line(
    tab: Tab, table: Path, tmp_path: Path
) -> None:
    page = tab.go("data")
    page.wait_for_selector(".preview")
    assert "300" in page.inner_text(".facts")
    tab.follow("text=Continue: Roles", "roles")
    tab.settled()
    assert re.search(r"\d+ of 300 records", page.inner_text("#unique-sentence"))
    tab.follow("text=Continue: Protect", "protect")
    page.fill("#field-t", "0.3")
    tab.follow("text=Continue: Run", "run")
    tab.follow("nav >> text=Protect", "protect")
    tab.settled()
    assert page.locator("#way").count() == 1
    assert "keep severity within t = 0.3" in page.inner_text("#ahead")
    assert "an estimate from" in page.inner_text("#ahead")
    tab.follow("text=Continue: Run", "run")
    tab.release()
    assert page.locator(".guarantee.holds").count() == 2
    assert page.locator(".guarantee.broken").count() == 0
    assert "✓ k-anonymity" in page.inner_text("#findings")
    assert "✗" not in page.inner_text("#findings")
    tab.follow("text=Continue: Release", "release")
    assert "row-map" not in page.inner_text("main table.made >> nth=0")
    page.check("#with-row-map")
    tab.saved()
    files = {}
    for link in page.locator("a[download]").all():
        with page.expect_download() as download:
            link.click()
        name = str(link.get_attribute("download"))
        download.value.save_as(tmp_path / name)
        files[name] = tmp_path / name
    beside = ("manifest.json", "plan.toml", "report-internal.html", "report-external.html", "row-map.csv")
    assert {"stays-anonymous.csv", *(f"stays-anonymous.{name}" for name in beside)} <= set(files)
    (tmp_path / "stays.csv").write_bytes((table / "stays.csv").read_bytes())
    released = files["stays-anonymous.csv"].read_bytes()
    first, *words = shlex.split(page.inner_text("#command"))
    assert first == "shoal"
    files["stays-anonymous.csv"].unlink()
    done = shoal(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert files["stays-anonymous.csv"].read_bytes() == released
    files["stays-anonymous.csv"].unlink()
    lines = page.inner_text("#python")
    assert len(lines.splitlines()) == 5
    subprocess.run([sys.executable, "-c", lines], cwd=tmp_path, check=True, timeout=120)
    assert files["stays-anonymous.csv"].read_bytes() == released


def test_both_editions_of_the_report_are_in_the_page(tab: Tab) -> None:
    page = tab.go("run")
    page.wait_for_selector("iframe.report")
    frame = page.frame(name="report")
    frame.wait_for_selector(".edition >> text=internal edition")
    assert frame.locator(".edition").all_text_contents() == ["internal edition"]
    page.click("a:has-text('External edition')")
    frame.wait_for_selector(".edition >> text=external edition")
    assert frame.locator(".edition").all_text_contents() == ["external edition"]


def test_what_is_written_beside_the_data_overwrites_nothing(tab: Tab, table: Path) -> None:
    page = tab.go("release")
    page.uncheck("#with-row-map")
    tab.saved()
    page.click("button:has-text('Write beside the data')")
    page.wait_for_selector("text=Written: stays-anonymous.csv")
    assert (table / "stays-anonymous.csv").exists()
    assert not (table / "stays-anonymous.row-map.csv").exists()
    page.click("button:has-text('Write beside the data')")
    page.wait_for_selector("text=is there already, and nothing was overwritten")


def test_the_manifest_is_signed_and_the_key_is_forgotten(tab: Tab, tmp_path: Path) -> None:
    serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = tmp_path / "key.pem"
    key.write_bytes(
        Ed25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    page = tab.go("release")
    page.set_input_files("input[data-upload^='/release/sign']", key)
    page.wait_for_selector("#signed")
    assert not [path for path in tab.app.working_files() if path.name.endswith(".pem")]


def test_every_click_is_in_the_history_and_can_be_undone(tab: Tab) -> None:
    page = tab.go("protect")
    before = page.input_value("#field-k")
    page.fill("#field-k", "7")
    page.press("#field-k", "Tab")
    tab.go("release")
    assert "k = 7" in page.inner_text("main")
    page.fill("#note-0", "the first try")
    page.press("#note-0", "Tab")
    tab.go("release")
    assert page.input_value("#note-0") == "the first try"
    page.click("#header button:has-text('Undo')")
    tab.saved()
    assert page.locator("#header button:has-text('Redo'):enabled").count() == 1
    tab.go("protect")
    assert page.input_value("#field-k") == before


def test_a_wrong_plan_is_told_as_it_is_typed_and_not_taken(tab: Tab) -> None:
    page = tab.go("protect")
    page.click("summary:has-text('Expert')")
    good = page.input_value("#toml")
    wrong = good.replace("k = 5", "k = 1")
    page.fill("#toml", wrong)
    page.wait_for_selector("#toml-said.wrong")
    assert "k must be at least 2" in page.inner_text("#toml-said")
    page.click("#expert button")
    page.wait_for_selector("#said .message")
    assert page.input_value("#toml") == wrong  # nobody types a plan twice
    tab.follow("nav >> text=Data", "data")
    tab.follow("nav >> text=Protect", "protect")
    assert page.input_value("#field-k") == "5"


def test_a_reload_in_the_middle_and_a_second_tab_lose_nothing(tab: Tab) -> None:
    page = tab.go("roles")
    page.select_option("#role-7", "other")
    tab.saved()
    page.reload()
    assert page.input_value("#role-7") == "other"
    second = Tab(tab.context, tab.app)
    second.go("roles").select_option("#role-7", "quasi_identifier")
    second.settled()
    second.page.close()
    page.reload()
    assert page.input_value("#role-7") == "quasi_identifier"


CHANGES = """step => {
  for (const place of [0, 7, 6]) {
    const role = document.getElementById(`role-${place}`);
    role.value = "other";
    role.dispatchEvent(new Event("change", { bubbles: true }));
  }
  location.href = step;
}"""
"""Three changes at once, and away by an address, before the first of them was answered."""


def test_whoever_leaves_before_a_change_was_answered_does_not_lose_it(tab: Tab) -> None:
    page = tab.go("roles")
    tab.settled()
    places = (0, 6, 7)
    before = [page.input_value(f"#role-{place}") for place in places]
    page.evaluate(CHANGES, "/help")
    page.wait_for_url("**/help")

    def as_left() -> bool:
        tab.go("roles")
        return [page.input_value(f"#role-{place}") for place in places] == ["other"] * 3

    tab.until(as_left)
    for place, role in zip(places, before, strict=True):
        page.select_option(f"#role-{place}", role)
    tab.go("roles")
    assert [page.input_value(f"#role-{place}") for place in places] == before


def test_what_is_being_typed_outlives_the_answer_to_the_change_before(tab: Tab) -> None:
    page = tab.go("protect")
    before = page.input_value("#field-k")
    page.fill("#field-k", "6")
    page.press("#field-k", "Tab")  # sends k while t is typed
    page.focus("#field-t")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("0.4")
    tab.saved()
    assert page.input_value("#field-t") == "0.4"
    page.keyboard.press("Tab")
    tab.go("protect")
    assert (page.input_value("#field-k"), page.input_value("#field-t")) == ("6", "0.4")
    tab.settled()
    for _ in range(2):
        page.click("#header button:has-text('Undo')")
        tab.saved()
    assert page.input_value("#field-k") == before


def test_a_warning_comes_with_a_button_that_ends_it(tab: Tab) -> None:
    page = tab.go("roles")
    page.select_option("#role-0", "other")
    page.select_option("#option-subject", "record")
    tab.settled()
    many = page.locator(".warning").count()
    page.locator(".warning button").first.click()
    tab.settled()
    assert page.locator(".warning").count() < many
    page.select_option("#role-0", "identifier")
    page.select_option("#option-subject", "0")
    tab.settled()
    assert page.locator("#said .message").count() == 0


def test_a_tree_by_prefix_and_an_order_by_keyboard(tab: Tab) -> None:
    page = tab.go("roles")
    page.click("#more-4 summary")
    page.fill("#more-4 input[name=prefix]", "3, 4")
    page.locator("#more-4 button:has-text('Save')").first.press("Enter")
    tab.settled()
    assert "There is a tree of" in page.inner_text("#more-4")
    page.click("#more-8 summary")
    page.focus("#more-8 li:nth-child(2) button[data-move=up]")
    page.keyboard.press("Enter")
    page.select_option("#option-weights", "")  # the answer to another change keeps an order that is not saved yet
    tab.settled()
    assert page.locator("#more-8 li span").all_inner_texts() == ["moderate", "minor", "major", "extreme"]
    page.locator("#more-8 button:has-text('Save')").press("Enter")
    tab.go("protect")
    page.click("summary:has-text('Expert')")
    text = page.input_value("#toml")
    assert 'order = ["moderate", "minor", "major", "extreme"]' in text
    assert "prefix = [3, 4]" in text
    tab.go("roles")
    page.click("#more-4 summary")
    page.click("button:has-text('Remove the tree')")
    tab.settled()
    assert "There is a tree of" not in page.inner_text("#more-4")


def test_an_order_by_dragging(tab: Tab) -> None:
    page = tab.go("roles")
    tab.settled()
    page.click("#more-8 summary")
    lines = page.locator("#order-8 li")
    before = lines.locator("span").all_inner_texts()
    lines.nth(0).drag_to(lines.nth(2), target_position={"x": 60, "y": 25})  # below its middle: behind it
    moved = [before[1], before[2], before[0], before[3]]
    assert lines.locator("span").all_inner_texts() == moved
    page.click("#more-8 button:has-text('Save')")
    tab.go("roles")
    page.click("#more-8 summary")
    assert page.locator("#order-8 li span").all_inner_texts() == moved
    page.click("#header button:has-text('Undo')")
    tab.saved()
    assert page.locator("#order-8 li span").all_inner_texts() == before


def test_plans_are_compared_and_the_best_under_a_bound_is_taken(tab: Tab) -> None:
    page = tab.go("compare")
    page.fill("input[name=k]", "3, 20")
    page.click("main button:has-text('Compare')")
    tab.settled()
    assert page.locator("#plans tbody tr").count() == 2
    assert page.locator(".map svg path[data-tip]").count() >= 2
    tips = page.locator(".map svg title").all_text_contents()
    assert any("k = 20" in tip and "smallest group" in tip and "linked, %" in tip for tip in tips)
    page.fill("input[name=bounds]", "il_percent <= 99")
    page.click("button:has-text('Pick the best')")
    tab.settled()
    assert "picked" in page.inner_text("#plans")
    page.click("button:has-text('Show every column')")
    tab.settled()
    assert page.locator("#columns-beside .pair").count() == 6
    page.click("#take-1")
    page.wait_for_selector("text=Taken: k = 20")
    tab.follow("nav >> text=Protect", "protect")
    assert page.input_value("#field-k") == "20"
    page.click("#header button:has-text('Undo')")
    tab.saved()
    assert page.input_value("#field-k") == "5"


def test_the_pages_speak_german(tab: Tab) -> None:
    page = tab.go("roles")
    page.click("button:has-text('Deutsch')")
    page.wait_for_selector("text=Was ist jede Spalte?")
    assert page.get_attribute("html", "lang") == "de"
    page.click("button:has-text('English')")
    page.wait_for_selector("text=What is each column?")


@pytest.mark.parametrize("step", ["data", "roles", "protect", "compare", "run", "release", "help"])
def test_every_step_keeps_wcag_aa_by_day_and_night_and_fits_a_phone(tab: Tab, step: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = tab.go(step)
    tab.settled()
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    options = {"runOnly": {"type": "tag", "values": tags}, "resultTypes": ["violations"]}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page, context={"exclude": [["iframe"]]}, options=options)
        assert [(each["id"], each["nodes"][0]["html"][:120]) for each in found.response["violations"]] == []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 390, "height": 844})
    try:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    finally:
        page.set_viewport_size({"width": 1280, "height": 900})


def test_the_way_from_data_to_run_is_possible_by_keyboard_alone(tab: Tab) -> None:
    page = tab.go("data")
    for words in ("Continue: Roles", "Continue: Protect", "Continue: Run"):
        tab.settled()
        for _ in range(150):
            page.keyboard.press("Tab")
            focused = page.evaluate("document.activeElement.textContent.trim()")
            if focused == words:
                break
        assert focused == words
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{words.rpartition(' ')[2].lower()}")


def test_no_other_host_was_asked_and_nothing_was_refused_by_the_policy(tab: Tab) -> None:
    assert tab.hosts == {f"127.0.0.1:{tab.app.port}"}
    assert tab.wrong == []


def test_the_demo_starts_cancels_outlives_its_tab_and_is_ended_by_the_page(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path, "--demo") as running:
        context = browser.new_context()
        tab = Tab(context, running).enter(running.address)
        tab.page.wait_for_selector(".preview")
        assert "discharges.csv" in tab.page.inner_text("main")
        tab.go("protect").select_option("#refine", "best")  # it takes long enough to be cancelled, however busy we are
        tab.go("run").click("#start")
        tab.page.click(".work button:has-text('Cancel')")
        tab.page.wait_for_selector("text=Cancelled: nothing was written")
        assert not [path for path in running.working_files() if path.name.startswith("release-")]
        tab.page.click("#start")
        tab.page.wait_for_selector(".work")
        tab.page.close()
        tab = Tab(context, running)
        tab.go("run").wait_for_selector(".work, #made")
        tab.page.click("button:has-text('End the app')")
        tab.page.wait_for_selector("text=The app has ended")
        assert running.process.wait(60) == 0
        context.close()
