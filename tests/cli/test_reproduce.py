"""shoal reproduce as its users run it."""

import pytest

from shoal.reproduce import EXHIBITS


@pytest.fixture(autouse=True)
def no_reference_data(monkeypatch):
    monkeypatch.delenv("SHOAL_REFERENCE_DATA", raising=False)


def test_figures_are_printed_ours_beside_the_published(folder):
    done = folder.shoal("reproduce", "p4-figure-1")
    assert done.returncode == 0, done.stderr.decode()
    page = done.stdout.decode()
    assert page.startswith("# Reproduction")
    assert "the published weight from which t is reached is 99, ours is 99" in page
    assert "p4-figure-1:" in done.stderr.decode()


def test_the_page_can_be_written_and_what_lacks_data_is_said(folder, monkeypatch):
    # The others are made in the tests of the exhibits.
    few = {name: EXHIBITS[name] for name in ("p0-loss", "p3-gaussian-5")}
    monkeypatch.setattr("shoal.cli.reproduce.EXHIBITS", few)
    (folder.path / "empty").mkdir()
    done = folder.shoal("reproduce", "--data", "empty", "-o", "page.md", "--quiet")
    assert done.returncode == 0, done.stderr.decode()
    page = (folder.path / "page.md").read_text()
    assert f"## {few['p3-gaussian-5'].title}" in page
    assert "## Domingo-Ferrer and Torra 2005" not in page
    assert "left out p0-loss: it needs census.csv and tarragona.csv" in done.stderr.decode()


def test_figures_are_listed(folder):
    done = folder.shoal("reproduce", "--list")
    assert "p0-loss" in done.stdout.decode()
    assert "(needs census.csv)" in done.stdout.decode()


def test_mistakes_are_one_sentence(folder):
    unknown = folder.shoal("reproduce", "p4-figure-11")
    assert unknown.returncode == 2
    assert "did you mean 'p4-figure-1'" in unknown.stderr.decode()
    lacking = folder.shoal("reproduce", "p0-loss")
    assert lacking.returncode == 2
    assert "it needs census.csv and tarragona.csv; name their folder by --data" in lacking.stderr.decode()
    nowhere = folder.shoal("reproduce", "p0-loss", "--data", "x" * 300)
    assert nowhere.returncode == 2
    assert "is not a folder" in nowhere.stderr.decode()
    unnamed = folder.shoal("reproduce", "p4-figure-1", "--data", "")
    assert (unnamed.returncode, unnamed.stdout) == (2, b"")
    assert "the name of the folder is empty: give --data one" in unnamed.stderr.decode()
