"""The page: self-contained, readable by people and machines, the same numbers as the JSON."""

import json
import re
from html.parser import HTMLParser

import pytest

import shoal
from report.tables import people, plan
from shoal.report import charts, collect
from shoal.report.wording import number


@pytest.fixture(scope="module", params=["internal", "external"])
def report(request):
    frame = people()
    data = collect(frame, shoal.anonymize(frame, plan()), plan(), edition=request.param, name="a <b> & c.csv")
    return data, data.to_html()


class Page(HTMLParser):
    """What stands in a page: elements that need the network, exact numbers, captions, unbalanced tags."""

    VOID = ("meta", "link", "br", "img", "input", "hr")

    def __init__(self, text):
        super().__init__()
        self.values, self.stack, self.links, self.figures, self.captions, self.ids = [], [], [], 0, 0, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.links += [found[name] for name in ("src", "href", "xlink:href") if name in found]
        self.figures += tag == "figure"
        self.captions += tag == "figcaption"
        if tag == "data":
            self.values.append(json.loads(found["value"]))
        if "id" in found:
            self.ids.append(found["id"])
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag


def numbers(item):
    """Every number in nested values."""
    if isinstance(item, dict):
        item = list(item.values())
    if isinstance(item, list):
        return {found for inner in item for found in numbers(inner)}
    return {item} if isinstance(item, int | float) and not isinstance(item, bool) else set()


def test_it_needs_nothing_else(report):
    page = Page(report[1])
    assert page.stack == []
    assert all(link.startswith("#") for link in page.links)
    assert "@import" not in report[1]
    assert "url(http" not in report[1]


def test_every_number_on_the_page_is_in_the_json(report):
    data, html = report
    written = numbers(json.loads(data.to_json()))
    shown = Page(html).values
    assert len(shown) > 100
    assert set(shown) <= written


def test_every_number_of_bins_scores_and_guarantees_is_on_the_page(report):
    data, html = report
    written = json.loads(data.to_json())
    shown = set(Page(html).values)
    for distribution in written["distributions"]:
        for bin in distribution["bins"]:
            assert {bin["before"], bin["after"]} <= {*shown, None}
    assert {row["value"] for row in written["scores"]} <= shown
    assert {guarantee["achieved"] for guarantee in written["guarantees"]} <= shown


def test_every_chart_has_a_sentence(report):
    page = Page(report[1])
    assert page.figures == page.captions >= 8


def test_contents_lead_to_sections(report):
    page = Page(report[1])
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_text_is_escaped(report):
    data, html = report
    assert "<b>" not in html
    assert ("a &lt;b&gt; &amp; c.csv" in html) == (data.edition == "internal")


def test_editions_say_who_may_read_them(report):
    data, html = report
    assert f"{data.edition} edition" in html
    assert ("keep it where the original table is kept" in html) == (data.edition == "internal")


def test_charts_change_colours_in_the_dark(report):
    html = report[1]
    used = {f"#{code}" for code in re.findall(r'(?:fill|stroke)="#([0-9a-f]{6})"', html)}
    swapped = {light for light, _ in charts.PALETTE.values()}
    assert used <= swapped
    for colour in used:
        assert f'[fill="{colour}"]' in html
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html


@pytest.mark.parametrize("page", [0, 1])
def test_colours_can_be_told_from_the_page(page):
    paper = ("#ffffff", "#12181d")[page]
    for name in ("ink", "muted", "before", "after", "only", "limit"):
        assert contrast(charts.PALETTE[name][page], paper) >= (4.5 if name in ("ink", "muted") else 2.5)


def contrast(one, other):
    """WCAG's contrast between two colours."""

    def light(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, bright = sorted([light(one), light(other)])
    return (bright + 0.05) / (dark + 0.05)


def test_infinite_bounds_are_null_in_json(report):
    text = report[0].to_json()
    assert "Infinity" not in text
    assert any(row["high"] is None for row in json.loads(text)["scores"])


def test_numbers_read_well():
    assert [number(value) for value in (0, 5.0, 1234.5, 0.00002, 1e20, -3.14159)] == [
        "0",
        "5",
        "1,234",
        "0.00002",
        "1e+20",
        "-3.142",
    ]
