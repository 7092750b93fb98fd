"""In a real browser: what is said before and after a run, places and cycles, the documentation, another language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from app.served import PLAN, App, served
from app.tab import Tab
from shoal.examples import discharges
from shoal.report import collect

MORE = """lat = { role = "quasi_identifier", kind = "numeric" }
lon = { role = "quasi_identifier", kind = "numeric" }
hour = { role = "quasi_identifier", kind = "numeric" }
"""
STEPS = ("data", "roles", "protect", "compare", "run", "release")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("tables")
    random = np.random.default_rng(5)
    frame = discharges(300, patients=150, seed=3).with_columns(
        pl.Series("lat", random.normal(41.4, 0.1, 300).round(2)),
        pl.Series("lon", random.normal(2.1, 0.1, 300).round(2)),
        pl.Series("hour", random.integers(0, 24, 300)),
    )
    frame.write_csv(folder / "calls.csv")
    (folder / "plan.toml").write_text(PLAN + MORE)
    with served(folder, "calls.csv", "--plan", "plan.toml") as running:
        yield running


def place_of(tab: Tab, name: str) -> int:
    return tab.page.locator("li.column h2").all_inner_texts().index(name)


def test_dates_have_a_histogram_and_places_and_cycles_say_what_they_need(tab: Tab) -> None:
    page = tab.go("roles")
    admitted, lat, lon, hour = (place_of(tab, name) for name in ("admitted", "lat", "lon", "hour"))
    rows = page.locator("li.column")
    assert rows.nth(admitted).locator("svg[role=img] rect").count() == 16
    page.select_option(f"#kind-{lat}", "place")
    tab.settled()
    assert page.input_value(f"#longitude-{lat}") == str(lon)  # by its name
    assert "The longitudes of lat" in rows.nth(lon).inner_text()
    page.select_option(f"#kind-{hour}", "cyclic")
    tab.settled()
    assert page.input_value(f"#period-{hour}") == "24"
    page.fill(f"#period-{hour}", "12")
    page.press(f"#period-{hour}", "Tab")
    tab.go("protect")
    page.click("summary:has-text('Expert')")
    text = page.input_value("#toml")
    assert 'lat = { role = "quasi_identifier", kind = "place", longitude = "lon" }' in text
    assert 'kind = "cyclic", period = 12' in text
    tab.go("roles")
    page.select_option(f"#kind-{lat}", "numeric")
    tab.settled()
    assert page.input_value(f"#kind-{lon}") == "numeric"  # as it was proposed
    assert page.locator("#said .message").count() == 0


def test_protect_says_what_t_costs_before_it_runs_and_takes_a_way_out(tab: Tab) -> None:
    page = tab.go("protect")
    page.fill("#field-t", "0.2")
    page.press("#field-t", "Tab")
    tab.settled()
    assert "diagnosis asks for groups of" in page.inner_text("#costs-why")
    assert page.locator("#costs tbody tr").count() == 3
    lost = [
        float(text.split("about ")[1].split(" %")[0])
        for text in page.locator(".ways .note:has-text('%')").all_inner_texts()
    ]
    assert len(lost) >= 4
    assert lost[-1] == min(lost) < lost[0]  # k alone loses least, the plan as it is asked more
    page.click("#way-looser")
    tab.settled()
    assert page.input_value("#t-of-1") == "0.4"
    page.click("#way-without")
    tab.settled()
    assert not page.is_checked("#protected-1")
    page.check("#protected-1")
    page.select_option("#lead", "diagnosis")
    tab.go("protect")
    assert page.is_checked("#protected-1")
    assert page.input_value("#lead") == "diagnosis"
    page.click("summary:has-text('Expert')")
    text = page.input_value("#toml")
    assert 'attributes = ["diagnosis", "severity", "charge"]' in text
    assert "t = 0.2" in text


def test_every_kind_of_diversity_is_asked_for_in_plain_words(tab: Tab) -> None:
    page = tab.go("protect")
    page.click("#more-diversity summary")
    page.fill("#field-c", "3")
    page.press("#field-c", "Tab")  # c alone asks for nothing, and stays
    page.fill("#field-entropy", "1.5")
    page.press("#field-entropy", "Tab")
    tab.saved()
    page.fill("#field-l", "2")
    page.press("#field-l", "Tab")
    tab.go("protect")
    assert page.locator("#more-diversity[open]").count() == 1
    page.click("summary:has-text('Expert')")
    text = page.input_value("#toml")
    assert "entropy = 1.5" in text
    assert "recursive = { c = 3.0, l = 2 }" in text
    for name in ("entropy", "l"):
        page.fill(f"#field-{name}", "")
        page.press(f"#field-{name}", "Tab")
        tab.saved()
    assert "diversity" not in page.input_value("#toml")


def test_the_run_shows_page_one_and_every_attack_that_was_asked_for(tab: Tab) -> None:
    page = tab.go("protect")
    page.select_option("#refine", "quick")
    page = tab.go("run")
    page.select_option("#attacks", "all")
    tab.release()
    assert "none of" in page.inner_text("#answer")
    tried = page.locator("#tried tbody tr").all_inner_texts()
    assert len(tried) > 8
    linkage = next(row for row in tried if row.startswith("linkage by distance"))
    assert "[" in linkage  # the interval of the difference
    assert "20.0 %" in linkage  # 1 of k
    page.set_viewport_size({"width": 390, "height": 844})
    try:
        names = page.locator("#tried thead th").all_text_contents()[1:5]
        cells = page.locator("#tried tbody tr").first.locator("td.number").all_inner_texts()
        assert [cell.split("\n")[0] for cell in cells] == names  # each number stands under its own name
    finally:
        page.set_viewport_size({"width": 1280, "height": 900})
    assert page.locator("#decide li").count() > 0
    assert "holds" in page.inner_text(".guarantee.holds >> nth=0")
    columns = page.locator("#columns figure")
    assert columns.locator("h3").all_inner_texts()[0].startswith("age")
    assert columns.count() == columns.locator("svg[role=img]").count() == columns.locator("details").count() == 12
    columns.nth(0).locator("summary").click()
    assert "mean" in columns.nth(0).locator("table").first.inner_text()
    groups = page.locator("#riskiest tbody tr").all_inner_texts()
    assert 0 < len(groups) <= 10
    assert all("EMD" in group for group in groups)
    tab.go("release")
    assert "--attacks all" in page.inner_text("#command")
    assert "quick" in page.inner_text("main table >> nth=1")  # which refinement the release had
    tab.go("protect").select_option("#refine", "none")
    tab.go("release")
    assert 'refine = "none"' in page.inner_text("main")


def test_every_step_leads_into_the_documentation_that_is_served_along(tab: Tab) -> None:
    page = tab.go("data")
    for step in STEPS:
        tab.go(step)
        page.click(".lead a[href^='/docs/']")
        page.wait_for_url("**/docs/*")
        assert page.locator("article.manual h1").count() == 1
    tab.go("docs/app")
    pictures = page.locator("article.manual img").all()
    assert pictures
    for picture in pictures:
        picture.scroll_into_view_if_needed()
        tab.until(lambda picture=picture: picture.evaluate("img => img.complete && img.naturalWidth > 0"))
    page.click("article.manual a[href='/docs/giveaways']")
    page.wait_for_url("**/docs/giveaways")
    page.set_viewport_size({"width": 390, "height": 844})
    try:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    finally:
        page.set_viewport_size({"width": 1280, "height": 900})


def test_the_documentation_keeps_wcag_aa(tab: Tab) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = tab.go("docs/t-closeness")
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    options = {"runOnly": {"type": "tag", "values": tags}, "resultTypes": ["violations"]}
    found = Axe().run(page, options=options)
    assert [(each["id"], each["nodes"][0]["html"][:120]) for each in found.response["violations"]] == []


def test_a_german_page_speaks_german_and_marks_what_does_not(tab: Tab) -> None:
    page = tab.go("protect")
    page.fill("#field-t", "0.2")
    page.press("#field-t", "Tab")
    page = tab.go("run")
    page.select_option("#attacks", "quick")
    tab.release()
    page.click("button:has-text('Deutsch')")
    tab.settled()
    assert page.get_attribute("html", "lang") == "de"
    assert "Was versprochen ist, gilt" in page.inner_text("#answer")
    assert "Verknüpfung nach Abstand" in page.inner_text("#tried")
    assert page.locator("#columns [lang=en], #riskiest [lang=en], [aria-label=Table]").count() == 0
    sentences = page.locator("main p, main li, main small").count()
    assert page.locator("main [lang=en]").count() < sentences / 5
    for step, words in (("roles", "verschiedene"), ("protect", "Was t bei dieser Tabelle kostet")):
        tab.go(step)
        tab.settled()
        assert words in page.inner_text("main")
    page.click("button:has-text('English')")
    tab.settled()
    assert page.locator("main [lang=en]").count() <= 1  # the title of a page of the documentation


def test_nothing_was_asked_elsewhere_and_nothing_was_refused_by_the_policy(tab: Tab, app: App) -> None:
    assert tab.hosts == {f"127.0.0.1:{app.port}"}
    assert tab.wrong == []


def test_long_names_do_not_push_a_report_beyond_a_phone(browser: Any, tmp_path: Path) -> None:
    long = "industry_of_the_main_employment_in_the_reference_week"
    draw = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            long: draw.choice(["farming", "wholesale_and_retail_trade_and_repair_of_motor_vehicles"], 200),
            "age": draw.integers(18, 90, 200),
            f"{long}_pay": draw.normal(3000, 400, 200).round(),
        }
    )
    plan = shoal.Plan(
        k=5,
        attributes={
            long: {"role": "quasi_identifier", "kind": "nominal"},
            "age": {"role": "quasi_identifier", "kind": "numeric"},
            f"{long}_pay": {"role": "confidential", "kind": "numeric"},
        },
    )
    release = shoal.anonymize(frame, plan)
    file = tmp_path / "report.html"
    file.write_text(collect(frame, release, plan).to_html(), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    # What scrolls by itself has room for words: no column of ten lines beside an empty one.
    assert page.evaluate("document.querySelector('#riskiest tbody td:nth-child(2)').offsetWidth") >= 200
    page.close()
