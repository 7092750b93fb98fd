"""shoal attack, as people call it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import command
from attacks.people_attacked import people, plan


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people(200, 30).write_csv(tmp_path / "data.csv")
    people(80, 31, "q").write_csv(tmp_path / "others.csv")
    (tmp_path / "plan.toml").write_text(plan(order="shuffle").to_toml(), encoding="utf-8")
    made = command.shoal(
        "anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--row-map", "map.csv", cwd=tmp_path
    )
    assert made.returncode == 0, made.stderr
    return tmp_path


BASE = ("attack", "data.csv", "out.csv", "--plan", "plan.toml")


def test_attacks_are_a_table_with_guessing_beside_success(folder: Path) -> None:
    done = command.shoal(
        *BASE, "--row-map", "map.csv", "--control", "others.csv", "-a", "linkage,membership", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert "linkage" in done.stdout.decode()
    assert "against others" in done.stdout.decode()
    assert "25.0 %" in done.stdout.decode()
    assert "Nobody who was tried is found with a better chance" in done.stdout.decode()


def test_json_is_what_python_returns(folder: Path) -> None:
    options = ("--row-map", "map.csv", "--attack", "linkage", "--known", "age,town", "--seed", "3", "--json")
    done = command.shoal(*BASE, *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout)
    assert content["within_promise"] is True
    assert content["attempts"]["linkage"]["tried"] == 200
    assert content["attempts"]["linkage"]["seed"] == 3


def test_rows_that_were_shuffled_need_their_map(folder: Path) -> None:
    done = command.shoal(*BASE, cwd=folder)
    assert done.returncode == 2
    assert "were shuffled" in done.stderr.decode()


def test_mistakes_are_one_sentence(folder: Path) -> None:
    for options, words in [
        (("--attack", "linkag"), "did you mean 'linkage'"),
        (("--attack", "minimality"), "cannot be tried: the plan asks nothing of confidential values"),
        (("--control", "data.csv"), "the control overlaps the original"),
        (("--known", ","), "--known names nothing"),
    ]:
        done = command.shoal(*BASE, "--row-map", "map.csv", *options, cwd=folder)
        assert done.returncode == 2, options
        assert words in done.stderr.decode()
        assert done.stdout == b""


def test_a_promise_that_does_not_hold_can_be_required(folder: Path) -> None:
    frame = pl.read_csv(folder / "data.csv")
    frame.write_csv(folder / "raw.csv")
    base = ("attack", "data.csv", "raw.csv", "--plan", "plan.toml", "--attack", "identity,linkage")
    told = command.shoal(*base, cwd=folder)
    assert told.returncode == 0, told.stderr
    assert "200 of 200 records are attacked with a better chance than the 25.0 %" in told.stdout.decode()
    refused = command.shoal(*base, "--require", cwd=folder)
    assert refused.returncode == 3
    assert "identity (200), linkage (200)" in refused.stderr.decode()


def test_another_release_is_intersected(folder: Path) -> None:
    second = command.shoal(
        "anonymize",
        "data.csv",
        "--plan",
        "plan.toml",
        "--k",
        "6",
        "-o",
        "old.csv",
        "--row-map",
        "old-map.csv",
        cwd=folder,
    )
    assert second.returncode == 0, second.stderr
    options = ("--row-map", "map.csv", "--attack", "releases", "--after", "old.csv,rows=old-map.csv", "--json")
    done = command.shoal(*BASE, *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["attempts"]["releases"]
    assert found["rate"] > found["baseline"]["rate"]


def test_what_is_guessed_stands_below_the_attack_on_a_narrow_terminal(folder: Path) -> None:
    done = command.shoal(*BASE, "--row-map", "map.csv", "-a", "inference_class,inference_neighbours", cwd=folder)
    lines = [line.split() for line in done.stdout.decode().splitlines()]
    assert lines.count(["inference_class"]) == lines.count(["inference_neighbours"]) == 1
    assert [line[0] for line in lines if len(line) > 4].count("illness") == 2


@pytest.mark.parametrize("words", [("measure",), ("utility", "--no-predict"), ("risk",), ("report", "-o", "page.html")])
def test_rows_in_another_order_are_refused_without_a_manifest(folder: Path, words: tuple[str, ...]) -> None:
    tables = ("data.csv", "out.csv", "--plan", "plan.toml")
    (folder / "out.manifest.json").unlink()
    name, *options = words
    done = command.shoal(name, *tables, *options, cwd=folder)
    assert done.returncode == 2
    assert "not those of the original in its order" in done.stderr.decode()
    assert not (folder / "page.html").exists()
    # Values that another tool changed are nobody's order.
    out, rows = pl.read_csv(folder / "out.csv"), pl.read_csv(folder / "map.csv")
    ordered = out[rows.sort("original_row")["released_row"].to_numpy() - 1]
    ordered.with_columns(charge=pl.col("charge").reverse() + 0.5, illness=pl.lit("x")).write_csv(folder / "out.csv")
    noisy = command.shoal(name, *tables, *options, cwd=folder)
    assert noisy.returncode == 0, noisy.stderr
