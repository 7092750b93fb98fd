"""Pictures for a site whose reader chooses light or dark: an SVG drawn for both is parted into one for each.

On other pages, such as those of a repository, an SVG decides by itself, by its rules for `prefers-color-scheme: dark`.
A picture does not hear of the choice on a page that is not the system's, so the site shows one of two files.
"""

from __future__ import annotations

import re
from pathlib import Path

DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{\n(.*?)\n\}\n", re.DOTALL)
WIDE = 700
"""From how many units on a picture is not shrunk to the width of a phone: it scrolls there."""

SIZE = re.compile(r'viewBox="\S+ \S+ ([\d.]+) ')
SHOWN = re.compile(r"!\[([^\]]*)\]\(((?:[\w.-]+/)*[\w-]+)\.svg\)")


def part(pages: Path) -> None:
    """Write a light and a dark picture for each that is drawn for both, and have every page show them by its scheme."""
    parted: dict[Path, str] = {}
    for path in sorted(pages.rglob("*.svg")):
        text = path.read_text(encoding="utf-8")
        if DARK.search(text):
            path.with_name(f"{path.stem}.light.svg").write_text(DARK.sub("", text), encoding="utf-8")
            path.with_name(f"{path.stem}.dark.svg").write_text(DARK.sub(r"\1\n", text), encoding="utf-8")
            size = SIZE.search(text)
            parted[path.resolve()] = "{ .wide }" if size and float(size[1]) >= WIDE else ""
    for path in sorted(pages.rglob("*.md")):
        text = path.read_text(encoding="utf-8")

        def both(match: re.Match[str], folder: Path = path.parent) -> str:
            words, name = match[1], match[2]
            kind = parted.get((folder / f"{name}.svg").resolve())
            if kind is None:
                return match[0]
            return f"![{words}]({name}.light.svg#only-light){kind}![{words}]({name}.dark.svg#only-dark){kind}"

        path.write_text(SHOWN.sub(both, text), encoding="utf-8")
