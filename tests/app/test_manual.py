"""The documentation that is served along: every page, its links and pictures, nothing that the policy refuses."""

from __future__ import annotations

import re

import pytest

from shoal.app import manual
from shoal.app.pages.layout import STEPS

NAMES = sorted(manual.names())


def test_every_step_has_a_page() -> None:
    assert set(manual.PAGE_OF) == set(STEPS)
    assert set(manual.PAGE_OF.values()) <= set(NAMES)
    assert next(iter(manual.names())) == "index"


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_to_what_is_there_and_nothing_has_a_style(name: str) -> None:
    text = manual.body(name)
    assert not re.search(r"<(script|style|iframe|object)|\sstyle=|\son\w+=", text)
    for target, part in re.findall(r'href="/docs/([^"#]+)#?([^"]*)"', text):
        assert target in NAMES
        assert not part or f'id="{part}"' in manual.body(target)
    for part in re.findall(r'href="#([^"]+)"', text):
        assert f'id="{part}"' in text
    for picture in re.findall(r'src="/docs/img/([^"]+)"', text):
        assert manual.picture(picture) is not None


def test_tags_and_addresses_that_run_something_are_text() -> None:
    text = manual.rendered("<img src=x onerror=alert(1)>\n\n[x](javascript:alert(1)) [y](../secret.md)")
    assert "<img" not in text
    assert "href" not in text
    assert manual.picture("../index.md") is None


def test_a_note_is_a_quotation_with_its_title() -> None:
    text = manual.rendered('!!! warning "Careful"\n    One line.\n\n    Another.\n\nAfter.\n')
    assert text.index("<blockquote>") < text.index("Careful") < text.index("Another.") < text.index("</blockquote>")
    assert text.index("</blockquote>") < text.index("After.")
