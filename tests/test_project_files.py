"""The files about the project say what the package says."""

import re
import tomllib
from pathlib import Path

from grids import every
from shoal import Plan

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
NAV = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
KINDS = {"Added", "Changed", "Changed results", "Deprecated", "Removed", "Fixed", "Security"}


def scalars(text: str) -> dict[str, str]:
    """The top-level scalars of a YAML file of the simple shape that CITATION.cff has."""
    return {key: value.strip('"') for key, value in re.findall(r"^([a-z-]+): (\S.*)$", text, re.MULTILINE)}


def test_the_citation_file_has_the_required_keys_and_those_of_the_package() -> None:
    found = scalars(CITATION)
    assert found["cff-version"] == "1.2.0"
    assert found["type"] == "software"
    assert found["message"]
    assert found["title"].startswith(PROJECT["name"])
    assert found["version"] == PROJECT["version"]
    assert found["license"] == PROJECT["license"]
    assert found["repository-code"] == PROJECT["urls"]["Homepage"]
    authors = re.search(r"^authors:\n((?:  - .*\n)+)", CITATION, re.MULTILINE)
    assert authors is not None
    assert re.findall(r'name: "(.*)"', authors[1]) == [author["name"] for author in PROJECT["authors"]]


def test_the_citation_file_is_yaml_of_the_simple_shape() -> None:
    key = r"[a-z-]+:(?: (?:\"[^\"]*\"|>-|[^\s\"\[{&*!|>'%@`:#][^:#]*))?"
    for line in CITATION.splitlines():
        assert re.fullmatch(rf"{key}|  - name: \"[^\"]*\"|  - [a-z -]+|  [A-Za-z][^:#]*", line), line


def test_the_changelog_has_sections_by_kind_and_the_newest_first() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert versions[0] == "Unreleased" or versions[0].startswith(PROJECT["version"])
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= KINDS
    for part in re.split(r"^## .+$", text, flags=re.MULTILINE)[1:]:
        kinds = re.findall(r"^### (.+)$", part, re.MULTILINE)
        assert kinds
        assert len(set(kinds)) == len(kinds)


def test_the_changelog_is_one_page() -> None:
    assert len((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()) <= 60


def test_links_of_the_readme_lead_somewhere_from_anywhere() -> None:
    """The page of a package index shows the README, and knows no folder of it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not link.startswith("#")]
    assert [link for link in links if not link.startswith("https://")] == []
    homepage = PROJECT["urls"]["Homepage"]
    places = (f"{homepage}/blob/main/", f"{homepage.replace('github.com', 'raw.githubusercontent.com')}/main/")
    ours = [link.removeprefix(place) for link in links for place in places if link.startswith(place)]
    assert len(ours) > 30
    assert [path for path in ours if not (ROOT / path.partition("#")[0]).exists()] == []


@every(page=sorted(path.name for path in (ROOT / "docs").glob("*.md")))
def test_every_page_is_in_the_navigation(page: str) -> None:
    assert re.search(rf": {re.escape(page)}$", NAV, re.MULTILINE)


def test_the_version_policy_names_the_versions_that_files_have() -> None:
    policy = (ROOT / "docs" / "versioning.md").read_text(encoding="utf-8")
    assert f"| plan | `version`, now {Plan.model_fields['version'].default} |" in policy


def test_security_names_no_person_to_write_to() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "private vulnerability reporting" in text
    assert "@" not in text
