"""The documentation that is served along: Markdown of the package, as pages of the app, with nothing from elsewhere.

The wheel carries the pages and pictures of ``docs/`` in ``shoal/app/documentation``; in a checkout they are read there.
What Markdown would let through as HTML is shown as text, and nothing has a style of its own: the policy of pages holds.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from shoal.report.markup import Markup

PICTURES = {".svg": "image/svg+xml", ".png": "image/png"}

PAGE_OF = {
    "data": "files",
    "roles": "giveaways",
    "protect": "t-closeness",
    "compare": "compare",
    "run": "report",
    "release": "security",
}
"""The page of the documentation that tells more of a step."""

_NOTE = re.compile(r'^(?:!!!|\?\?\?) \w+ "([^"]*)"\n((?:\n|    .*\n?)*)', re.MULTILINE)
_ELSEWHERE = re.compile(r"[a-z]+:", re.IGNORECASE)


@cache
def folder() -> Path | None:
    """Return where the documentation is; None where it did not come along."""
    packed = Path(str(files("shoal.app"))) / "documentation"
    places = (packed, Path(__file__).resolve().parents[3] / "docs")
    return next((place for place in places if (place / "index.md").is_file()), None)


@cache
def names() -> dict[str, str]:
    """Return the pages by name, each with its title, the first of them where to begin."""
    place = folder()
    if place is None:
        return {}
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(place.glob("*.md"))}
    titles = {name: text.partition("\n")[0].lstrip("# ").strip() for name, text in texts.items()}
    return {"index": titles.pop("index"), **titles}


def picture(name: str) -> Path | None:
    """Return a picture of the documentation; None where there is none of this name."""
    place = folder()
    if place is None:
        return None
    return next((path for path in (place / "img").iterdir() if path.name == name and path.suffix in PICTURES), None)


@cache
def body(name: str) -> Markup:
    """Return a page as HTML."""
    place = folder()
    assert place is not None
    assert name in names()
    return rendered((place / f"{name}.md").read_text(encoding="utf-8"))


def rendered(text: str) -> Markup:
    """Return Markdown as HTML: tags in it are text, links lead to pages of the app, tables have no style.

    Examples
    --------
    >>> print(rendered("# A *b*\\n<script>x</script> [plan](plan.md#k) [api](api/index.md)").replace("\\n", ""))
    <h1 id="a-b">A <em>b</em></h1><p>&lt;script&gt;x&lt;/script&gt; <a href="/docs/plan#k">plan</a> api</p>
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(_NOTE.sub(_quoted, text))
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", slug("".join(child.content for child in tokens[place + 1].children or [])))
        if token.type in ("th_open", "td_open") and token.attrGet("style"):
            token.attrs = {"class": "number"} if "right" in str(token.attrs["style"]) else {}
        if token.type == "inline":
            token.children = _linked(token.children or [])
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def slug(title: str) -> str:
    """Return the name of a heading as links have it.

    Examples
    --------
    >>> slug("Why not a framework in the browser?"), slug("`closeness.t`")
    ('why-not-a-framework-in-the-browser', 'closenesst')
    """
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())


def _quoted(note: re.Match[str]) -> str:
    lines = [line.removeprefix("    ") for line in note[2].rstrip("\n").split("\n")]
    return "\n".join([f"> **{note[1]}**", *(f"> {line}".rstrip() for line in lines), "", ""])


def _linked(children: list[Token]) -> list[Token]:
    """Point links to what is served here; what is not is text, and what is elsewhere opens apart."""
    shown: list[Token] = []
    open_: list[bool] = []
    for child in children:
        if child.type == "link_open":
            attributes = _attributes(str(child.attrGet("href")))
            open_.append(bool(attributes))
            child.attrs = attributes
            if not attributes:
                continue
        elif child.type == "link_close" and not open_.pop():
            continue
        elif child.type == "image":
            child.attrSet("src", f"/docs/{child.attrGet('src')}")
        shown.append(child)
    return shown


def _attributes(address: str) -> dict[str, Any]:
    page, _, part = address.partition("#")
    if _ELSEWHERE.match(address):
        return {"href": address, "target": "_blank", "rel": "noopener noreferrer"}
    if not page:
        return {"href": address}
    name = page.removesuffix(".md")
    return {"href": f"/docs/{name}{f'#{part}' if part else ''}"} if name in names() else {}
