"""An intruder adds and subtracts released means of a growing table, whoever comes, goes, changes or has more rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import DataError, GuaranteeError

KEY = bytes(range(32))
ATTRIBUTES = {
    "person": {"role": "identifier"},
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "score": {"role": "confidential", "kind": "numeric"},
}


def plan(k=4, **changes):
    return shoal.Plan(**{"k": k, "subject": "person", "attributes": ATTRIBUTES, **changes})


def everybody(n):
    ages = np.random.default_rng(11).integers(18, 90, n)
    return pl.DataFrame({"person": [f"person {i}" for i in range(n)], "age": ages, "score": range(1000, 1000 + n)})


def smallest_support(equations, tries=4):
    """Return the fewest persons that a sum which follows from these is about, as far as elimination finds it.

    Each equation is a released mean as a sum of unknowns, (person, value of the person) with its factor. All that can
    be made of them by adding and subtracting is their row space. Nothing of shoal is used.
    """
    unknowns = sorted({unknown for equation in equations for unknown in equation})
    place = {unknown: i for i, unknown in enumerate(unknowns)}
    matrix = np.zeros((len(equations), len(unknowns)))
    for row, equation in enumerate(equations):
        for unknown, factor in equation.items():
            matrix[row, place[unknown]] = factor
    persons, rng, fewest = np.array([unknown[0] for unknown in unknowns]), np.random.default_rng(0), len(unknowns)
    for _ in range(tries):
        order = np.argsort(rng.permutation(persons.max() + 1)[persons], kind="stable")
        reduced, rank = matrix[:, order], 0
        for column in range(len(unknowns)):
            pivot = rank + int(np.abs(reduced[rank:, column]).argmax()) if rank < len(reduced) else None
            if pivot is None or abs(reduced[pivot, column]) < 1e-9:
                continue
            reduced[[rank, pivot]] = reduced[[pivot, rank]]
            reduced[rank] /= reduced[rank, column]
            others = np.arange(len(reduced)) != rank
            reduced[others] -= np.outer(reduced[others, column], reduced[rank])
            rank += 1
        about = [len(np.unique(persons[order][np.abs(row) > 1e-7])) for row in reduced[:rank]]
        fewest = min(fewest, *about)
    return fewest


def growing(seed, *, rows, remember):
    """Return what four releases of a table say, as equations: people come, go, change and change back.

    Each person has so many rows, at most, and another number of them in every release.
    """
    rng = np.random.default_rng(seed)
    people = {i: [int(rng.integers(18, 90))] for i in range(30)}
    now, equations, model, released = dict.fromkeys(people, 0), [], None, 0
    asked = plan(k=3)
    for _ in range(4):
        there = [i for i in now for _ in range(int(rng.integers(1, rows + 1)))]
        ages = [float(people[i][now[i]]) for i in there]
        table = pl.DataFrame({"person": [f"person {i}" for i in there], "age": ages, "score": range(len(there))})
        kept = {"remember": KEY, "previous": model, "hold_back": model is not None} if remember else {}
        try:
            release = shoal.anonymize(table, asked, **kept)
        except (DataError, GuaranteeError):
            release = None  # nothing can be released this time
        if release is not None:
            released += 1
            model = release.model if remember else None
            for part in release.data.partition_by("age"):
                whose = [there[row] for row in part["score"]]
                once = sorted(set(whose))
                by_person = abs(np.mean([people[i][now[i]] for i in once]) - part["age"][0]) < 1e-9
                equation: dict[tuple[int, int], int] = {}
                for i in once if by_person else whose:
                    equation[i, people[i][now[i]]] = equation.get((i, people[i][now[i]]), 0) + 1
                equations.append(equation)
        for i in list(now):
            if rng.random() < 0.06:
                del now[i]
            elif rng.random() < 0.3:
                if rng.random() < 0.5:
                    people[i].append(int(rng.integers(18, 90)))
                now[i] = int(rng.integers(len(people[i])))
        for i in range(len(people), len(people) + int(rng.integers(0, 6))):
            people[i], now[i] = [int(rng.integers(18, 90))], 0
    return equations, released


@pytest.mark.parametrize("rows", [1, 3])
def test_no_sum_of_released_means_is_about_fewer_than_k(rows):
    several = 0
    for seed in range(12):
        equations, released = growing(seed, rows=rows, remember=True)
        several += released > 1
        assert smallest_support(equations) >= 3, seed
    assert several > 6
    alone = [smallest_support(growing(seed, rows=rows, remember=False)[0]) for seed in range(4)]
    assert min(alone) == 1  # the same intruder finds somebody where nothing was remembered


def test_a_record_more_of_somebody_changes_no_mean():
    people = everybody(40)
    asked = plan()
    first = shoal.anonymize(people, asked, remember=KEY)
    more = pl.concat([people, people[:1].with_columns(score=pl.lit(5000, dtype=pl.Int64))])
    second = shoal.anonymize(more, asked, remember=KEY, previous=first.model)
    values = dict(zip(first.data["score"], first.data["age"], strict=True))
    assert dict(zip(second.data["score"], second.data["age"], strict=True)) == {
        **values,
        5000: values[people["score"][0]],
    }
    assert second.manifest["previous"]["changed"] == 0


def test_who_alone_has_changed_since_an_earlier_release_is_refused():
    """All of a group change, then all but one change back: the first and the third release differ by that one."""
    people = everybody(8).sort("age").with_columns(age=pl.Series([20, 21, 22, 23, 60, 61, 62, 63]))
    asked = plan()
    tables = [
        people.with_columns(age=pl.Series(ages))
        for ages in (
            [20, 21, 22, 23, 60, 61, 62, 63],
            [30, 31, 32, 33, 60, 61, 62, 63],
            [40, 21, 22, 23, 60, 61, 62, 63],
        )
    ]
    model = None
    for table in tables[:2]:
        model = shoal.anonymize(table, asked, remember=KEY, previous=model).model
    with pytest.raises(GuaranteeError, match="release changed values of k of a group at once"):
        shoal.anonymize(tables[2], asked, remember=KEY, previous=model)
    held = shoal.anonymize(tables[2], asked, remember=KEY, previous=model, hold_back=True)
    assert sorted(held.data["age"].unique()) == [61.5]


def test_a_changed_weight_is_a_changed_value_and_weights_of_a_subject_are_one():
    weighted = {**ATTRIBUTES, "weight": {"role": "other"}}
    people = everybody(40).with_columns(weight=pl.lit(1.0))
    asked = plan(attributes=weighted, weights="weight")
    first = shoal.anonymize(people, asked, remember=KEY)
    heavier = people.with_columns(weight=pl.when(pl.col("person") == "person 3").then(1.5).otherwise("weight"))
    with pytest.raises(GuaranteeError, match="release changed values of k of a group at once"):
        shoal.anonymize(heavier, asked, remember=KEY, previous=first.model)
    twice = pl.concat([people, people[:1].with_columns(weight=pl.lit(2.0))])
    with pytest.raises(DataError, match="weights differ between records of one subject"):
        shoal.anonymize(twice, asked, remember=KEY)


def test_a_gap_in_one_record_of_a_subject_is_no_change():
    people = everybody(40).with_columns(pl.col("age").cast(pl.Float64))
    asked = plan(missing="impute")
    first = shoal.anonymize(people, asked, remember=KEY)
    gap = people[:1].with_columns(age=pl.lit(None, dtype=pl.Float64), score=pl.lit(5000, dtype=pl.Int64))
    second = shoal.anonymize(pl.concat([gap, people]), asked, remember=KEY, previous=first.model)
    assert second.manifest["previous"]["changed"] == 0
    assert set(second.data["age"]) == set(first.data["age"])
