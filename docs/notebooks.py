"""Pages of the site from notebooks: text, code, and what the code showed when the notebook was last run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import vl_convert

LONGEST = 40
"""Lines of text that a cell may show; the rest is left to who runs it."""


def title(path: Path) -> str:
    """Return the title of a notebook: its first heading."""
    found = re.search(r"^# (.+)$", _text(_cells(path)[0]), re.MULTILINE)
    return found[1] if found else path.stem


def page(path: Path) -> str:
    """Return a notebook as a page in Markdown."""
    parts = []
    for cell in _cells(path):
        text = _text(cell).strip()
        if not text:
            continue
        if cell["cell_type"] == "markdown":
            parts.append(re.sub(r"\]\(([\w./-]+)\.ipynb(#[\w-]+)?\)", r"](\1.md\2)", text))
        elif cell["cell_type"] == "code":
            parts.append(f"```{'sh' if text.startswith(('!', '%%bash')) else 'python'}\n{text}\n```")
            parts += filter(None, map(_shown, cell["outputs"]))
    first, _, rest = "\n\n".join(parts).partition("\n")
    return f"{first}\n\n[This page as a notebook]({path.name}){{ .notebook }}\n{rest}\n"


def _cells(path: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return cells


def _text(cell: dict[str, Any]) -> str:
    return _joined(cell["source"])


def _shown(output: dict[str, Any]) -> str:
    """Return what a cell showed: a chart as SVG, HTML that runs nothing, Markdown, or text."""
    if output["output_type"] == "stream":
        return _plain(_joined(output["text"])) if output["name"] == "stdout" else ""
    if output["output_type"] == "error":
        return _plain(f"{output['ename']}: {output['evalue']}")
    data = output["data"]
    for kind, value in data.items():
        if kind.startswith("application/vnd.vegalite."):
            return _html(_chart(value))
    if "image/svg+xml" in data:
        return _html(_joined(data["image/svg+xml"]))
    if "image/png" in data:
        return _html(f'<img alt="" src="data:image/png;base64,{_joined(data["image/png"]).strip()}">')
    shown = _joined(data.get("text/html", ""))
    if shown and "<script" not in shown:
        return _html(shown)
    if "text/markdown" in data:
        return _joined(data["text/markdown"]).strip()
    return _plain(_joined(data.get("text/plain", "")))


def _chart(spec: dict[str, Any]) -> str:
    return str(vl_convert.vegalite_to_svg(spec))


def _html(text: str) -> str:
    """Return HTML in a block of its own; an empty line would end it."""
    dense = re.sub(r"\n\s*\n", "\n", text.strip())
    return f'<div class="output">\n{dense}\n</div>'


def _plain(text: str) -> str:
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).rstrip().split("\n")
    if len(lines) > LONGEST:
        lines = [*lines[:LONGEST], "…"]
    return "``` { .text .output }\n" + "\n".join(lines) + "\n```" if any(lines) else ""


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)
