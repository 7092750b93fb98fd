"""Releases as the auditor reads them: a plan, and tables in a few words; what it finds, line after line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from shoal import auditor

NUMBER = 'role = "quasi_identifier", kind = "numeric"'
WORD = 'role = "quasi_identifier", kind = "nominal"'
LEVEL = 'role = "quasi_identifier", kind = "ordinal"'
DAY = 'role = "quasi_identifier", kind = "date"'
PLACE = 'role = "quasi_identifier", kind = "place", longitude = "lon"'
ILL = 'role = "confidential", kind = "nominal"'
PAY = 'role = "confidential", kind = "numeric"'
RANK = 'role = "confidential", kind = "ordinal"'
SEEN = 'role = "confidential", kind = "date"'
SINCE = f'{SEEN}, relative_to = "born"'
AMOUNT = 'role = "other", kind = "numeric"'
NAME = 'role = "identifier"'
OTHER = 'role = "other"'

CHANGED = ": cells were changed, or the row map is not given"
UNTOLD = "; no row map and no column tells whether rows stand as in the original"
UNCOUNTED = "; persons (who) cannot be counted without the original"
NO_VALUE = (
    """ has no value in column 'it', which is to be protected: the plan can say diversity.missing = "category\""""
)
BELOW, ABOVE = " beyond the low end of clip", " beyond the high end of clip"

MARKS = {None: "?", True: "✓", False: "✗"}
UNSAID = ("✓ columns: ", "✓ k_anonymity: ")
"""What holds in most cases, which do not say it."""


def plan(top: str = "", **columns: str) -> str:
    """A plan for who and age, and for these columns; one that is empty is left out."""
    declared = {"who": NAME, "age": NUMBER, **columns}
    lines = "".join(f"{name} = {{ {options} }}\n" for name, options in declared.items() if options)
    return f"{'' if top.startswith('k =') else 'k = 1'}\n{top}\n[attributes]\n{lines}"


def table(text: str) -> str:
    """A CSV file: records are parted by semicolons and cells by spaces; ~ is an empty cell."""
    return "".join(",".join(line.split(" ")).replace("~", "") + "\n" for line in text.split("; "))


def found(folder: Path, asked: str, release: str | bytes, *others: str | bytes | None, **options: Any) -> list[str]:
    """What the auditor says of a release, and of its original and row map if there are any."""
    (folder / "plan.toml").write_text(asked, encoding="utf-8")
    files = dict(zip(("release", "original", "row_map"), (release, *others), strict=False))
    for name, content in files.items():
        if content is not None:
            (folder / f"{name}.csv").write_bytes(content if isinstance(content, bytes) else table(content).encode())
            options[name] = str(folder / f"{name}.csv")
    try:
        findings = auditor.audit(plan=str(folder / "plan.toml"), **options)
    except auditor.Unreadable as error:
        return [f"refused: {error}"]
    return [f"{MARKS[holds]} {name}: {words}" for name, holds, words in findings]


def check(folder: Path, expected: Sequence[str], *files: Any, **options: Any) -> None:
    """The auditor says this, and nothing else but what is left unsaid."""
    said = found(folder, *files, **options)
    assert [line for line in said if not line.startswith(UNSAID) or line in expected] == list(expected)


def cases(table: dict[str, tuple[Any, ...]]) -> pytest.MarkDecorator:
    """Clauses, each with a plan, a release, the lines that are expected, and an original and a row map if any."""
    rows = [pytest.param(*given, *[None] * (5 - len(given)), id=clause) for clause, given in table.items()]
    return pytest.mark.parametrize(("asked", "release", "expected", "original", "row_map"), rows)
