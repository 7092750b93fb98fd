"""Links between pages lead somewhere, and code on pages uses public names alone."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import shoal
from docs.pages import PAGES, ROOT, blocks
from grids import every
from test_public_api import NAMES, ROOMS, public_names

PUBLIC = {(module, name) for module, name in public_names()} | {("shoal", "__version__")}
WRITTEN = [path for path in PAGES if path.name not in ("CONTRIBUTING.md", "CHANGELOG.md")]
"""Pages for users; CONTRIBUTING shows the inside of the package, and the changelog names what once was."""


MADE = {ROOT / "docs" / "api" / f"{name}.md" for name in ("index", *ROOMS)}
"""The pages of the API reference, which are there once the site is made."""


def prose(text: str) -> str:
    """Return a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """The anchors that headings get, as the site makes them."""
    found = set()
    for title in re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE
    ):
        words = re.sub(r"[^\w\s-]", "", title.lower(), flags=re.ASCII).strip()
        found.add(re.sub(r"[-\s]+", "-", words))
    return found


@every(page=PAGES)
def test_links_lead_to_files_and_headings_that_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path in MADE or path.exists(), target
        if page.parent.name == "docs":
            assert path.is_relative_to(ROOT / "docs"), f"{target} is outside the site"
        if anchor and path not in MADE:
            assert anchor in anchors(path.read_text(encoding="utf-8")), target


@every(page=WRITTEN)
def test_code_imports_public_names_alone(page: Path) -> None:
    for code in blocks(page.read_text(encoding="utf-8"), "python"):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Import):
                ours = [name.name for name in node.names if name.name.split(".")[0] == "shoal"]
                assert set(ours) <= {"shoal", *(f"shoal.{room}" for room in ROOMS)}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "shoal":
                for name in node.names:
                    assert (node.module, name.name) in PUBLIC
            elif isinstance(node, ast.Attribute) and _path(node).startswith("shoal."):
                assert _is_public(_path(node)), _path(node)


def _path(node: ast.expr) -> str:
    """The dotted name of an attribute; empty where it hangs on something else than a name."""
    if isinstance(node, ast.Name):
        return node.id
    inner = _path(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{inner}.{node.attr}" if inner and isinstance(node, ast.Attribute) else ""


def _is_public(path: str) -> bool:
    _, first, *rest = path.split(".")
    return first in NAMES or (first in ROOMS and (not rest or (f"shoal.{first}", rest[0]) in PUBLIC))


@every(page=WRITTEN)
def test_names_in_the_text_are_public(page: Path) -> None:
    """Where a page says `shoal.room.name`, there is such a public name."""
    for path in re.findall(r"`(shoal(?:\.(?!__)\w+)+)", page.read_text(encoding="utf-8")):
        if path not in INSIDE:
            assert _is_public(path), path


INSIDE = {
    "shoal.report.charts": "said not to be public",
    "shoal._core": "said to be private",
    "shoal.stream.engine": "where its docstring is to be read",
}
"""Modules that pages name though they are not public, and why."""


def test_what_is_named_as_inside_is_there_and_not_public() -> None:
    for path in INSIDE:
        assert importlib.import_module(path)
        assert not _is_public(path)
    assert _is_public("shoal.partitioners.mdav")
    assert not _is_public("shoal.partitioners._mdav")
    assert shoal.partitioners.mdav.__module__ == "shoal.partitioners._mdav"
