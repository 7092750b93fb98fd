"""shoal risk, as people call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import command
from attacks.people_attacked import people, plan


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    everybody = people(500, 30)
    everybody[:200].write_csv(tmp_path / "data.csv")
    everybody.select("age", "stay", "town").write_csv(tmp_path / "register.csv")
    everybody[:150].write_csv(tmp_path / "small.csv")
    everybody.drop("stay").write_csv(tmp_path / "narrow.csv")
    (tmp_path / "plan.toml").write_text(plan().to_toml(), encoding="utf-8")
    made = command.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    return tmp_path


BASE = ("risk", "data.csv", "out.csv", "--plan", "plan.toml")


def test_risks_stand_beside_thresholds_in_words_and_shapes(folder: Path) -> None:
    done = command.shoal(*BASE, "--fraction", "0.05", cwd=folder)
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line for line in done.stdout.decode().splitlines() if line.split()}
    assert "0.25" in lines["prosecutor"]
    assert lines["prosecutor"].count("✗ beyond") == 2
    assert lines["journalist"].count("✓ within") == 2
    assert "population of 4,000, by the sampling fraction" in done.stdout.decode()
    assert done.stdout.decode().count("taken by the rule") == 1


def test_a_register_gives_k_map_and_presence(folder: Path) -> None:
    done = command.shoal(*BASE, "--population", "register.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "k-map: every class has at least" in done.stdout.decode()
    assert "δ-presence" in done.stdout.decode()
    told = command.shoal(*BASE, "--population", "register.csv", "--json", cwd=folder)
    content = json.loads(told.stdout)
    assert content["population"] == {"source": "population", "people": 500}
    assert content["risks"]["journalist"]["risk"] == 1 / content["k_map"]


def test_a_threshold_can_be_required(folder: Path) -> None:
    kept = command.shoal(*BASE, "--threshold", "0.25", "--require", cwd=folder)
    assert kept.returncode == 0, kept.stderr
    broken = command.shoal(*BASE, "--fraction", "0.05", "--threshold", "public", "--require", cwd=folder)
    assert broken.returncode == 3
    assert "greater than what is allowed: prosecutor 0.25 > 0.09091" in broken.stderr.decode()


def test_mistakes_are_one_sentence(folder: Path) -> None:
    for options, words in [
        (("--fraction", "1.5"), "fraction must be at least 1e-10 and at most 1"),
        (("--fraction", "0"), "fraction must be at least 1e-10 and at most 1"),
        (("--fraction", "1e-320"), "fraction must be at least 1e-10 and at most 1"),
        (("--fraction", "0.5", "--population", "register.csv"), "leave one of them out"),
        (("--population", "small.csv"), "the population has 150 people and the release 200"),
        (("--population", "narrow.csv"), "the population table does not have 'stay'"),
        (("--threshold", "publik"), "or 'public' or 'restricted'"),
        (("--require",), "--require has nothing to judge by"),
    ]:
        done = command.shoal(*BASE, *options, cwd=folder)
        assert done.returncode == 2, options
        assert words in done.stderr.decode()
        assert done.stdout == b""
