"""Charts as pages show them: words stay words, whatever they look like."""

from __future__ import annotations

import re
from html import unescape

import pytest

from shoal.app.figures import for_page
from shoal.report.charts.drawing import draw

WORDS = ('x style="', ' role="b" y', "a aria-label=b", "</svg><script>alert(1)</script>", '<a href="x">', "> <a ")


@pytest.mark.parametrize("words", WORDS)
def test_categories_that_look_like_attributes_stay_as_they_are(words: str) -> None:
    rows = [{"category": words, "n": 1}, {"category": "other", "n": 2}]
    chart = {
        "data": {"values": rows},
        "mark": {"type": "bar", "href": "https://example.org", "tooltip": True},
        "encoding": {"y": {"field": "category", "type": "nominal"}, "x": {"field": "n", "type": "quantitative"}},
    }
    drawn = draw(chart)
    assert drawn is not None
    shown = for_page(drawn)
    assert shown is not None
    texts = [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", shown)]
    assert words.strip() in [text.strip() for text in texts]
    tags = re.findall(r'<[^<>"]*(?:"[^"]*"[^<>"]*)*>', shown)
    assert any(" data-tip=" in tag for tag in tags)
    refused = re.compile(r'</?(a|script)\b|[^>]* (style|aria-label|aria-roledescription)="')
    assert not [tag for tag in tags if refused.match(tag)]
