"""Attacks stand beside measures in comparisons: on the map, in bounds and as what is picked by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import command
import shoal
from attacks.people_attacked import people, plan
from shoal.attacks import attack
from shoal.comparison import compare, pareto_front, parse_bounds, pick
from shoal.comparison.criteria import unseen_columns
from shoal.errors import PlanError


def test_an_attack_is_one_more_number_of_a_run(tmp_path: Path) -> None:
    frame = people(200, 40)
    grid = {"k": [3, 8]}
    runs = compare(frame, plan(), grid, keys=["il_percent", "attack_linkage"], folder=tmp_path / "kept")
    for run, k in zip(runs, (3, 8), strict=True):
        release = shoal.anonymize(frame, plan(k=k))
        found = attack(frame, release.data, plan(k=k), rows=release.rows, attacks=["linkage"])["linkage"]
        assert run.scores["attack_linkage"] == pytest.approx(100 * found.rate)
    assert runs[1].scores["attack_linkage"] < runs[0].scores["attack_linkage"]
    assert pareto_front(runs, ["attack_linkage", "il_percent"]) == (True, True)
    limit = runs[1].scores["attack_linkage"] + 0.1
    assert dict(pick(runs, parse_bounds(f"attack_linkage <= {limit}")).choices) == {"k": 8}
    again = compare(frame, plan(), grid, keys=["il_percent"], attacks=["attack_linkage"], folder=tmp_path / "kept")
    assert not any(run.computed for run in again)
    more = compare(frame, plan(), grid, keys=["il_percent"], attacks=["attack_linkage_rank"], folder=tmp_path / "kept")
    assert all(run.computed for run in more)


def test_an_attack_that_there_is_not_is_refused() -> None:
    with pytest.raises(PlanError, match="did you mean 'linkage'"):
        parse_bounds("attack_linkag <= 3")
    assert unseen_columns(plan(), "attack_linkage") == ()


def test_the_map_and_the_pick_of_the_command_line(tmp_path: Path) -> None:
    people(120, 41).write_csv(tmp_path / "data.csv")
    (tmp_path / "plan.toml").write_text(plan().to_toml(), encoding="utf-8")
    options = ("--try-k", "3,6", "--risk", "attack_linkage", "--pick", "attack_linkage <= 100", "-o", "map")
    done = command.shoal("compare", "data.csv", "--plan", "plan.toml", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    content = json.loads((tmp_path / "map" / "comparison.json").read_text(encoding="utf-8"))
    assert "attack_linkage" in json.dumps(content["axes"])
    assert (tmp_path / "map" / "picked.toml").exists()
