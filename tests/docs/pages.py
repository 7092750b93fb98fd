"""The pages of the project as the tests read them: sections, tables and blocks of code."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

ROOT = Path(__file__).parents[2]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("*.md"))]
"""What people wrote; the API reference is made when the site is."""


def text_of(name: str) -> str:
    """Return a page by its path in the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def section(text: str, title: str) -> str:
    """Return what stands under a heading, up to the next of its level or above."""
    code = [match.span() for match in re.finditer(r"^```.*?^```", text, re.MULTILINE | re.DOTALL)]
    headings = [
        match
        for match in re.finditer(r"^(#+) (.+)$", text, re.MULTILINE)
        if not any(start < match.start() < end for start, end in code)  # there it is a comment
    ]
    at = next((i for i, match in enumerate(headings) if match[2] == title), None)
    assert at is not None, f"the page has no heading {title!r}"
    ends = [match.start() for match in headings[at + 1 :] if len(match[1]) <= len(headings[at][1])]
    return text[headings[at].end() : ends[0] if ends else None]


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def rows(text: str) -> list[list[str]]:
    """Return the cells of the first table of a text, without its head."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("|---") or line.startswith("| ---"))
    table = []
    for line in lines[first + 1 :]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return table


def reference() -> ModuleType:
    """Load the script that makes the API reference, as running it would."""
    return load_script("api")


def load_script(name: str) -> ModuleType:
    """Load a script of the docs, as running it would."""
    with patch.object(sys, "path", [str(ROOT / "docs"), *sys.path]):
        return importlib.import_module(name)
