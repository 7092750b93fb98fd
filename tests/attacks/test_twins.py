"""Fast attacks are what their definitions say, on awkward inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from reference import attack as slow
from shoal import Plan
from shoal.attacks import attack
from shoal.attacks.assignment import assign
from shoal.attacks.difference import insider_chances
from shoal.attacks.material import Material
from shoal.attacks.nearest import chances_of_linkage, known_points, released_points
from shoal.attacks.ranks import mean_ranks
from shoal.attacks.singling_out import Axis, satisfying
from shoal.frames import Table

TABLES = ["ties", "one column", "constant", "two records", "duplicates", "many columns"]


def tables(case: str, seed: int) -> tuple[pl.DataFrame, pl.DataFrame, Plan]:
    draw = np.random.default_rng(seed)
    n, d = {"two records": (2, 2), "many columns": (12, 60), "one column": (15, 1)}.get(case, (20, 3))
    before = draw.integers(0, 3 if case in ("ties", "duplicates") else 100, (n, d)).astype(float)
    after = np.round(before / 4) if case != "ties" else draw.integers(0, 3, (n, d)).astype(float)
    if case == "constant":
        before[:, 0], after[:, 0] = 5.0, 5.0
    attributes: dict[str, Any] = {f"x{j}": {"role": "quasi_identifier", "kind": "numeric"} for j in range(d)}
    columns = [{f"x{j}": side[:, j] for j in range(d)} for side in (before, after)]
    return pl.DataFrame(columns[0]), pl.DataFrame(columns[1]), Plan(k=2, attributes=attributes)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("case", TABLES)
def test_linkage_is_the_search_of_everybody(case: str, seed: int) -> None:
    before, after, plan = tables(case, seed)
    material = Material.of(Table.of(before), Table.of(after), plan)
    known, released = known_points(material.columns), released_points(material.columns)
    alike = [before.rows().index(row) for row in before.rows()]

    def distance(person: int, record: int) -> float:
        total = 0.0
        for a, b in zip(known.coords[person], released.coords[record], strict=True):
            total += float(a - b) ** 2
        return total

    expected = slow.linkage(len(before), distance, range(len(before)), alike)
    assert chances_of_linkage(material, known, released) == pytest.approx(expected)


def test_persons_with_several_records_are_one_candidate() -> None:
    before = pl.DataFrame({"x": [1.0, 1.0, 4.0, 9.0, 9.0, 6.0], "who": list("aabccd")})
    after = pl.DataFrame({"x": [2.0, 2.0, 2.0, 8.0, 8.0, 8.0]})
    attributes = {"x": {"role": "quasi_identifier", "kind": "numeric"}, "who": {"role": "identifier"}}
    plan = Plan(k=2, subject="who", attributes=attributes)
    material = Material.of(Table.of(before), Table.of(after), plan)
    known, released = known_points(material.columns), released_points(material.columns)
    alike = [before["x"].to_list().index(x) for x in before["x"]]
    numbers = [ord(who) for who in before["who"]]
    expected = slow.linkage(6, lambda i, j: (known.coords[i, 0] - released.coords[j, 0]) ** 2, numbers, alike)
    chances = chances_of_linkage(material, known, released)
    assert chances.tolist() == expected == [0.5] * 6
    assert len(material.per_person(chances)) == 4


@pytest.mark.parametrize("seed", range(3))
def test_ranks_are_mean_places(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 5, 17).astype(float)
    assert mean_ranks(values).tolist() == slow.mean_ranks(values.tolist())


@pytest.mark.parametrize("seed", range(12))
def test_an_assignment_costs_the_least(seed: int) -> None:
    draw = np.random.default_rng(seed)
    capacities = [1, 2, 3]
    n = int(draw.integers(2, 7))
    costs = draw.integers(0, 6, (n, 3)).astype(float)
    for outside in (None, np.full(n, 1000.0)):
        got = assign(np.tile(np.arange(3), (n, 1)), costs, np.array(capacities), outside)
        assert (np.bincount(got, minlength=3) <= capacities).all()
        assert (got >= 0).all()
        assert costs[np.arange(n), got].sum() == slow.cheapest_assignment(costs, capacities)


def test_who_would_cost_more_than_patience_stays_without() -> None:
    both, costs = np.zeros((3, 1), dtype=np.int64), np.array([[1.0], [2.0], [3.0]])
    assert assign(both, costs, np.array([1]), np.full(3, 10.0)).tolist() == [0, -1, -1]
    assert assign(both, costs, np.array([2]), np.array([10.0, 0.5, 10.0])).tolist() == [0, -1, 0]


def test_a_missing_candidate_is_never_taken() -> None:
    near = np.array([[0, -1], [0, 1]])
    costs = np.array([[5.0, 0.0], [1.0, 2.0]])
    assert assign(near, costs, np.array([1, 1]), np.full(2, 100.0)).tolist() == [0, 1]


@pytest.mark.parametrize("seed", range(5))
def test_predicates_hold_for_the_same_records(seed: int) -> None:
    draw = np.random.default_rng(seed)
    table = draw.integers(0, 6, (40, 4)).astype(float)
    axes = [
        Axis(column, order := np.argsort(column, kind="stable"), column[order], np.unique(column)) for column in table.T
    ]
    for _ in range(20):
        columns = draw.choice(4, int(draw.integers(1, 5)), replace=False).tolist()
        bounds = [
            axes[j].clause(float(draw.integers(0, 6)), wider=int(draw.integers(3)), narrower=1.0) for j in columns
        ]
        found = satisfying([axes[j] for j in columns], bounds)
        assert sorted(found.tolist()) == slow.satisfying(table, columns, bounds)


@pytest.mark.parametrize("values", [[1, 1], [1, 2], [1, 1, 2], [1, 2, 3], [1, 1, 2, 2, 3], [4, 4, 4]])
def test_insiders_guess_from_what_is_left(values: list[int]) -> None:
    assert insider_chances(np.array(values))[0] == pytest.approx(slow.insider(values))


def test_the_same_seed_finds_the_same() -> None:
    before, after, plan = tables("many columns", 1)
    keys = ["linkage_noise", "linkage_some", "singling_out_several"]
    first, again = (attack(before, after, plan, attacks=keys, seed=5) for _ in range(2))
    assert first.to_dict() == again.to_dict()
    other = attack(before, after, plan, attacks=keys, seed=6)
    assert first["linkage_some"].detail != other["linkage_some"].detail
