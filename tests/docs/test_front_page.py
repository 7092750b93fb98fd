"""The claims of the front page: five, with figures that stand on the page that each one links to."""

from __future__ import annotations

import re

import pytest

from docs.pages import blocks, section, text_of

FRONT = text_of("docs/index.md")
CLAIMS = re.findall(r"^- (\*\*.+?\))$", FRONT.partition("</div>")[0], re.MULTILINE | re.DOTALL)
MEASURED = {"performance.md", "refine.md", "reproduction.md", "security.md"}


def test_there_are_five() -> None:
    assert len(CLAIMS) == 5


@pytest.mark.parametrize("claim", CLAIMS)
def test_every_figure_stands_where_the_claim_links_to(claim: str) -> None:
    words, page = re.fullmatch(r"(.*)\[[^\]]+\]\(([\w-]+\.md)#[\w-]+\)", claim, re.DOTALL).groups()
    assert page in MEASURED
    text = text_of(f"docs/{page}")
    figures = re.findall(r"\d+(?:[.,]\d+)*(?: of \d+|×)?", words)
    assert figures
    for figure in figures:
        assert re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d,]|\.\d)", text), f"{figure} is not on {page}"


def test_a_first_release_takes_six_lines() -> None:
    lines = [line for block in blocks(section(FRONT, "A first release"), "sh") for line in block.strip().splitlines()]
    assert len(lines) == 6


def test_three_pictures_show_what_it_does() -> None:
    pictures = re.findall(r"^!\[[^\]]+\]\((img/[\w-]+\.svg)\)$", section(FRONT, "What it does"), re.MULTILINE)
    assert len(pictures) == len(set(pictures)) == 3
