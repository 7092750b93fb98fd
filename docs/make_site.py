"""Build the documentation site: the pages of docs/, the API reference from docstrings, the tutorial from its notebooks.

    python docs/make_site.py [FOLDER]      # build if left out; `make docs` runs it

What zensical reads is gathered in FOLDER/pages, the site is FOLDER/site: it opens from the file system, too, and
asks no other host for anything. A warning, a link that leads nowhere or a page outside the navigation is a failure.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import api
import links
import notebooks
import pictures
import yaml

DOCS = Path(__file__).parent
COPIED = (".css", ".ipynb", ".js", ".png", ".svg")
"""What goes into the site as it is."""

FRONT = "---\nhide: [navigation, toc]\n---\n\n"
"""What is said before the text of the front page: it has the whole width."""


class SiteError(Exception):
    """The site cannot be shown as it is; the message has a line for each reason."""


def build(folder: Path) -> Path:
    """Build the site.

    Parameters
    ----------
    folder
        Where to: a folder that is made if it is not there.

    Returns
    -------
    pathlib.Path
        The folder of the site.
    """
    gather(folder / "pages")
    settings = yaml.safe_load((DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"))
    settings |= {"docs_dir": "pages", "site_dir": "site", "nav": expanded(settings["nav"])}
    shutil.rmtree(folder / "site", ignore_errors=True)
    (folder / "mkdocs.yml").write_text(json.dumps(settings, indent=2), encoding="utf-8")  # JSON is YAML
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", str(folder / "mkdocs.yml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if done.returncode or "Warning" in said:
        raise SiteError(said)
    if wrong := [*links.problems(folder / "site"), *left_out(folder / "pages", settings["nav"])]:
        raise SiteError("\n".join(wrong))
    return folder / "site"


def gather(pages: Path) -> None:
    """Put everything that zensical reads into one folder, as new."""
    shutil.rmtree(pages, ignore_errors=True)
    for path in sorted(DOCS.rglob("*")):
        target = pages / path.relative_to(DOCS)
        if "api" in path.relative_to(DOCS).parts or path.name.startswith("."):
            continue
        if path.suffix == ".md":
            _write(target, (FRONT if path == DOCS / "index.md" else "") + adapted(path.read_text(encoding="utf-8")))
        elif path.suffix in COPIED:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        if path.suffix == ".ipynb":
            _write(target.with_suffix(".md"), notebooks.page(path))
    pictures.part(pages)
    api.write(pages / "api")


def adapted(text: str) -> str:
    """Return a page as the site needs it: links to notebooks lead to the pages that are made of them."""
    return re.sub(r"\]\(([\w./-]+)\.ipynb(#[\w-]+)?\)", r"](\1.md\2)", text)


def expanded(navigation: list[Any]) -> list[Any]:
    """Return the navigation with the notebooks of a folder in place of an entry that ends in a slash."""
    entries = []
    for entry in navigation:
        ((title, value),) = entry.items()
        if isinstance(value, list):
            entries.append({title: expanded(value)})
        elif not value.endswith("/"):
            entries.append(entry)
        elif parts := sorted((DOCS / value).glob("*.ipynb")):
            entries.append({title: [{notebooks.title(part): f"{value}{part.stem}.md"} for part in parts]})
    return entries


def left_out(pages: Path, navigation: list[Any]) -> list[str]:
    """Return a sentence for each page that the navigation does not have."""
    listed = set(_targets(navigation))
    there = sorted(path.relative_to(pages).as_posix() for path in pages.rglob("*.md"))
    return [f"{name} is not in the navigation of mkdocs.yml" for name in there if name not in listed]


def _targets(navigation: list[Any]) -> list[str]:
    found = []
    for entry in navigation:
        for value in entry.values():
            found += _targets(value) if isinstance(value, list) else [value]
    return found


def _write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        made = build(Path(sys.argv[1] if len(sys.argv) > 1 else DOCS.parent / "build"))
    except SiteError as error:
        sys.exit(str(error))
    sys.stdout.write(f"{made / 'index.html'}\n")
