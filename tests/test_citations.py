"""Works are cited by author and year, and the bibliography has each of them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BIBLIOGRAPHY = ROOT / "docs" / "bibliography.md"
SUFFIXES = {".py", ".pyi", ".md", ".cpp", ".hpp", ".inl", ".toml", ".json", ".css", ".yml"}
FOLDERS = ("src", "docs", "tests", "benchmarks", "examples")

_NAME = r"[A-Z][\w'’]*[a-zé](?:-[A-Z][a-zéáíóú]+)*"
CITATION = re.compile(rf"\b({_NAME})((?:, {_NAME})*(?: and {_NAME}| and others| et al\.)?),? \(?((?:19|20)\d\d)\b")
ENTRY = re.compile(r"^\*\*(.+?) (\d{4})\.\*\*", re.MULTILINE)
MONTHS = {"Jan", "January", "February", "March", "April", "May", "June", "July", "August", "September"}
MONTHS |= {"October", "November", "December"}


def texts() -> dict[str, str]:
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    files += ROOT.glob("*.md")
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files if path != Path(__file__)}


def entries() -> set[tuple[str, str]]:
    """First author and year of every work in the bibliography."""
    return {
        (re.split(r" and | et al\.", names)[0], year) for names, year in ENTRY.findall(BIBLIOGRAPHY.read_text("utf-8"))
    }


def cited(text: str) -> set[tuple[str, str]]:
    """First author and year of every citation in a text, line ends aside."""
    flat = re.sub(r"\s+(?:(?://|#|\*)+\s+)?", " ", text)
    return {(first, year) for first, _, year in CITATION.findall(flat) if first not in MONTHS}


def test_no_paper_is_cited_by_a_code() -> None:
    code = re.compile(r"\bP[0-4]\b")
    found = [
        f"{name}:{number}"
        for name, text in texts().items()
        for number, line in enumerate(text.splitlines(), start=1)
        if code.search(line)
    ]
    assert found == []


def test_every_citation_in_the_code_is_in_the_bibliography() -> None:
    known = entries()
    unknown = {
        f"{name}: {first} {year}"
        for name, text in texts().items()
        if name.startswith("src")
        for first, year in cited(text)
        if (first, year) not in known
    }
    assert unknown == set()
    assert len(set().union(*(cited(text) for name, text in texts().items() if name.startswith("src")))) >= 10


def test_every_work_of_the_bibliography_is_used() -> None:
    others = [text for name, text in texts().items() if name != "docs/bibliography.md"]
    authors = {author for author, _ in entries()}
    assert {author for author in authors if not any(author in text for text in others)} == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("as in Nin 2014, section 3.", {("Nin", "2014")}),
        ("(Soria-Comas et al. 2015, Algorithm 1)", {("Soria-Comas", "2015")}),
        ("Solanas and\n    Martínez-Ballesté (2006), made exact", {("Solanas", "2006")}),
        ("// (Dekker 1971; see\n// Li et al. 2010)", {("Dekker", "1971"), ("Li", "2010")}),
        ("read by every Stata since 2015, from 01 Jan 1970", set()),
    ],
)
def test_citations_are_found(text: str, found: set[tuple[str, str]]) -> None:
    assert cited(text) == found
