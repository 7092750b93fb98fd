"""Check a built site: links lead to pages and places that are there, and nothing is loaded from another host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src", "use": "href"}
"""What a browser fetches when it shows a page, by the element that asks for it."""


@dataclass
class Page(HTMLParser):
    """What a page links to and loads, and the places on it that can be linked to."""

    path: Path
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of what an element says."""
        said = dict(attrs)
        self.places |= {said[name] or "" for name in ("id", "name") if name in said}
        if tag == "a" and said.get("href"):
            self.links.append(said["href"] or "")
        if tag in LOADED and said.get(LOADED[tag]):
            self.loaded.append(said[LOADED[tag]] or "")


def problems(site: Path) -> Iterator[str]:
    """Yield a sentence for each link that leads nowhere, and each thing that is loaded from another host."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site.resolve()).as_posix()
        if name == "404.html":  # its links count from wherever it is shown
            continue
        for address in page.loaded:
            parts = urlsplit(address)
            if parts.netloc:
                yield f"{name} loads {address} from another host"
            elif parts.scheme != "data" and not _target(path, parts.path).exists():
                yield f"{name} loads {address}, which is not there"
        for address in page.links:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = _target(path, parts.path)
            if not target.exists():
                yield f"{name} links to {address}, which is not there"
            elif target in pages and parts.fragment and unquote(parts.fragment) not in pages[target].places:
                yield f"{name} links to {address}, and there is no such place on that page"
    for sheet in sorted(site.rglob("*.css")):
        text = sheet.read_text(encoding="utf-8")
        if "@import" in text or "url(http" in text or "url(//" in text:
            yield f"{sheet.relative_to(site).as_posix()} loads from another host"


def _target(page: Path, address: str) -> Path:
    """Return the file that an address on a page means."""
    target = (page.parent / unquote(address)).resolve() if address else page
    return target / "index.html" if target.is_dir() else target
