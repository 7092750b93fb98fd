"""The files about the project say what the package says."""

import re
import tomllib
from pathlib import Path

import pytest

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
    assert re.search(r'^authors:\n  - name: "The shoal developers"$', CITATION, re.MULTILINE)


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


@pytest.mark.parametrize("page", sorted(path.name for path in (ROOT / "docs").glob("*.md")))
def test_every_page_is_in_the_navigation(page: str) -> None:
    assert re.search(rf": {re.escape(page)}$", NAV, re.MULTILINE)


def test_the_version_policy_names_the_versions_that_files_have() -> None:
    policy = (ROOT / "docs" / "versioning.md").read_text(encoding="utf-8")
    assert f"| plan | `version`, now {Plan.model_fields['version'].default} |" in policy


def test_security_names_no_person_to_write_to() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "private vulnerability reporting" in text
    assert "@" not in text
