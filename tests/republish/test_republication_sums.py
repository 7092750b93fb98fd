"""An intruder adds and subtracts released means of a growing table, whoever comes, goes, changes or has more rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import DataError, GuaranteeError, PlanError

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


def growing(seed, *, rows, remember, columns=("age",), often=0.3):
    """Return what four releases of a table say of each column, as equations: people come, go, change and change back.

    Each person has so many rows, at most, and another number of them in every release. Columns change one by one.
    """
    rng = np.random.default_rng(seed)

    def value():
        return int(rng.integers(18, 90))

    people = {i: {name: [value()] for name in columns} for i in range(30)}
    now = {i: dict.fromkeys(columns, 0) for i in people}
    equations, model, released = {name: [] for name in columns}, None, 0
    masked = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in columns}
    asked = plan(k=3, attributes={**ATTRIBUTES, **masked})
    for _ in range(4):
        there = [i for i in now for _ in range(int(rng.integers(1, rows + 1)))]
        values = {name: [float(people[i][name][now[i][name]]) for i in there] for name in columns}
        table = pl.DataFrame({"person": [f"person {i}" for i in there], **values, "score": range(len(there))})
        kept = {"remember": KEY, "previous": model, "hold_back": model is not None} if remember else {}
        try:
            release = shoal.anonymize(table, asked, **kept)
        except (DataError, GuaranteeError):
            release = None  # nothing can be released this time
        if release is not None:
            released += 1
            model = release.model if remember else None
            for part in release.data.partition_by(*columns):
                whose = [there[row] for row in part["score"]]
                once = sorted(set(whose))
                for name in columns:
                    mine = {i: people[i][name][now[i][name]] for i in once}
                    by_person = abs(np.mean(list(mine.values())) - part[name][0]) < 1e-9
                    equation: dict[tuple[int, int], int] = {}
                    for i in once if by_person else whose:
                        equation[i, mine[i]] = equation.get((i, mine[i]), 0) + 1
                    equations[name].append(equation)
        for i in list(now):
            if rng.random() < 0.06:
                del now[i]
                continue
            for name in columns:
                if rng.random() < often:
                    if rng.random() < 0.5:
                        people[i][name].append(value())
                    now[i][name] = int(rng.integers(len(people[i][name])))
        for i in range(len(people), len(people) + int(rng.integers(0, 6))):
            people[i], now[i] = {name: [value()] for name in columns}, dict.fromkeys(columns, 0)
    return equations, released


@pytest.mark.parametrize("rows", [1, 3])
def test_no_sum_of_released_means_is_about_fewer_than_k(rows):
    several = 0
    for seed in range(12):
        equations, released = growing(seed, rows=rows, remember=True)
        several += released > 1
        assert smallest_support(equations["age"]) >= 3, seed
    assert several > 6
    alone = [smallest_support(growing(seed, rows=rows, remember=False)[0]["age"]) for seed in range(4)]
    assert min(alone) == 1  # the same intruder finds somebody where nothing was remembered


@pytest.mark.parametrize("often", [0.05, 0.3, 0.9])
def test_nor_is_a_sum_of_one_of_several_columns(often):
    several = 0
    for seed in range(12):
        equations, released = growing(seed, rows=1, remember=True, columns=("age", "height"), often=often)
        several += released > 1
        assert min(smallest_support(equations[name]) for name in ("age", "height")) >= 3, seed
    assert several > 6


def test_one_change_is_not_hidden_by_a_column_in_which_everybody_changed():
    two = {**ATTRIBUTES, "height": {"role": "quasi_identifier", "kind": "numeric"}}
    people = everybody(40).with_columns(height=pl.Series(np.random.default_rng(3).integers(150, 200, 40)))
    asked = plan(attributes=two)
    first = shoal.anonymize(people, asked, remember=KEY)
    older = people.with_columns(pl.col("age") + 1)
    assert shoal.anonymize(older, asked, remember=KEY, previous=first.model).guarantees.holds
    grown = pl.col("height") + pl.when(pl.col("person") == "person 7").then(17).otherwise(0)
    with pytest.raises(GuaranteeError, match="release changed values of k of a group at once, column by column"):
        shoal.anonymize(older.with_columns(grown), asked, remember=KEY, previous=first.model)
    held = shoal.anonymize(older.with_columns(grown), asked, remember=KEY, previous=first.model, hold_back=True)
    assert 1007 not in held.data["score"].to_list()
    assert held.manifest["previous"]["changed"] == len(held.data) < 40


def released_in_one_class(tables):
    """Release the ages of the same persons again and again, always as one class; return the last model."""
    model = None
    for ages in tables:
        release = shoal.anonymize(persons(*ages), ONE_CLASS, remember=KEY, previous=model)
        assert release.data["age"].n_unique() == 1
        model = release.model
    return model


def persons(*ages):
    return pl.DataFrame({"person": [f"person {i}" for i in range(len(ages))], "age": ages, "score": range(len(ages))})


ONE_CLASS = plan(k=3, closeness={"t": 0.001})


def test_who_alone_changes_to_and_fro_is_not_told_by_four_releases():
    """Each change is shared by three, and yet the sum of all four with alternating signs is about one alone."""
    tables = [
        (20, 21, 22, 23, 24, 25, 26),
        (20, 21, 22, 33, 34, 35, 36),
        (30, 31, 32, 33, 34, 35, 26),
        (30, 31, 32, 23, 24, 25, 36),
    ]
    sums = [sum(ages) for ages in tables]
    assert sums[0] - sums[1] + sums[2] - sums[3] == 2 * (26 - 36)
    model = released_in_one_class(tables[:3])
    with pytest.raises(GuaranteeError, match="1 at worst"):
        shoal.anonymize(persons(*tables[3]), ONE_CLASS, remember=KEY, previous=model)
    with pytest.raises(GuaranteeError, match="all 7 records would be held back"):
        shoal.anonymize(persons(*tables[3]), ONE_CLASS, remember=KEY, previous=model, hold_back=True)


def test_those_who_leave_must_have_changed_together_too():
    """One of three who leave has changed with three who stay: should those tell of their own change, it is alone."""
    tables = [(20, 21, 22, 40, 41, 42), (30, 21, 22, 50, 51, 52)]
    model = released_in_one_class(tables)
    stay = persons(*tables[1])[3:]
    with pytest.raises(GuaranteeError, match="1 at worst"):
        shoal.anonymize(stay, ONE_CLASS, remember=KEY, previous=model)
    together = released_in_one_class([tables[0], (30, 31, 32, 50, 51, 52)])
    assert shoal.anonymize(stay, ONE_CLASS, remember=KEY, previous=together).guarantees.holds


@pytest.mark.parametrize("missing", ["impute", "keep"])
def test_gaps_that_come_and_go_leave_nobody_alone_in_a_sum(missing):
    """Nobody changes, at least four of seven are there each time, and yet sums with and without gaps tell of one."""
    ages = (20, 21, 22, 23, 24, 25, 43)
    gaps = [(0, 1, 2), (6,), (3, 4, 5)]
    tables = [persons(*(None if i in gap else float(age) for i, age in enumerate(ages))) for gap in gaps]
    sums = [table["age"].sum() for table in tables]
    assert sums[0] - sums[1] + sums[2] == 2 * 43
    asked = plan(k=4, closeness={"t": 0.001}, missing=missing)
    first = shoal.anonymize(tables[0], asked, remember=KEY)
    second = shoal.anonymize(tables[1], asked, remember=KEY, previous=first.model)
    with pytest.raises(GuaranteeError, match="1 at worst"):
        shoal.anonymize(tables[2], asked, remember=KEY, previous=second.model)


def test_few_values_of_a_cell_were_not_shown_by_a_class_of_more():
    """The mean of eight is of one of four who are now apart, and of the other four, whose mean is told again."""
    ages = (20.0, None, None, None, 40.0, 41.0, 42.0, 43.0)
    first = shoal.anonymize(persons(*ages), plan(k=8, missing="impute"), remember=KEY)
    now = persons(20.0, 21.0, 22.0, 23.0, *ages[4:])
    with pytest.raises(GuaranteeError, match="1 at worst"):
        shoal.anonymize(now, plan(k=4, missing="impute"), remember=KEY, previous=first.model)


def test_a_class_of_few_values_has_shown_them_by_itself():
    table = persons(50.0, None, None)
    asked = plan(k=3, missing="impute")
    first = shoal.anonymize(table, asked, remember=KEY)
    assert first.data["age"].to_list() == [50.0] * 3
    assert shoal.anonymize(table, asked, remember=KEY, previous=first.model).guarantees.holds


def test_the_same_values_in_another_type_are_no_change():
    people = everybody(40).with_columns(pl.col("age").cast(pl.Float64) + 0.1)
    first = shoal.anonymize(people, plan(), remember=KEY)
    raised = pl.when(pl.col("person") == "person 3").then(pl.col("age") + 100).otherwise("age").alias("age")
    for kind in (pl.Decimal(12, 2), pl.Float32):
        other = pl.col("age").cast(kind)
        again = shoal.anonymize(people.with_columns(other), plan(), remember=KEY, previous=first.model)
        assert again.manifest["previous"]["changed"] == 0
        with pytest.raises(GuaranteeError, match="release changed values of k of a group at once"):
            shoal.anonymize(people.with_columns(raised).with_columns(other), plan(), remember=KEY, previous=first.model)


def test_a_whole_turn_is_no_change():
    turning = {
        **ATTRIBUTES,
        "age": {"role": "quasi_identifier", "kind": "cyclic", "period": 24},
        "lat": {"role": "quasi_identifier", "kind": "place", "longitude": "lon"},
    }
    asked = plan(attributes=turning)
    hours, degrees = pl.Series(range(40)) % 24 + 0.1, pl.Series(range(40)) / 10.0
    people = everybody(40).with_columns(age=hours, lat=degrees, lon=degrees)
    first = shoal.anonymize(people, asked, remember=KEY)
    turned = people.with_columns(pl.col("age") + 24, pl.col("lon") - 360)
    again = shoal.anonymize(turned, asked, remember=KEY, previous=first.model)
    assert again.manifest["previous"]["changed"] == 0


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


def test_other_weights_of_the_same_values_are_refused_and_weights_of_a_subject_are_one():
    weighted = {**ATTRIBUTES, "weight": {"role": "other"}}
    people = everybody(40).with_columns(weight=pl.lit(1.0))
    asked = plan(attributes=weighted, weights="weight")
    first = shoal.anonymize(people, asked, remember=KEY)
    heavier = people.with_columns(weight=pl.when(pl.col("person") == "person 3").then(1.5).otherwise("weight"))
    with pytest.raises(GuaranteeError, match="1 subject has another weight than in an earlier release"):
        shoal.anonymize(heavier, asked, remember=KEY, previous=first.model)
    held = shoal.anonymize(heavier, asked, remember=KEY, previous=first.model, hold_back=True)
    assert 0 < len(held.data) < 40
    assert 1003 not in held.data["score"].to_list()
    anew = people.with_columns(weight=1.0 + pl.int_range(40) * 0.1)  # k equations of k values
    with pytest.raises(GuaranteeError, match="39 subjects have another weight than in an earlier release"):
        shoal.anonymize(anew, asked, remember=KEY, previous=first.model)
    taken = shoal.anonymize(anew, asked, remember=KEY, previous=first.model, after_anyway=True)
    assert taken.guarantees["intersection"].achieved == 1
    assert taken.guarantees["intersection"].detail["parted"] == 39
    _, cells = np.unique(list(taken.model.ledger.cells.values()), return_counts=True)
    assert cells.min() >= 4
    without = [row["score"] for row in taken.data.iter_rows(named=True) if row["age"] != taken.data["age"][5]]
    left = anew.filter(pl.col("score").is_in(without))
    later = shoal.anonymize(left, asked, remember=KEY, previous=taken.model, after_anyway=True)
    assert later.guarantees["intersection"].detail["parted"] == 39  # those who left included
    with pytest.raises(PlanError, match="weights of the previous release is 'weight', and that of the plan none"):
        shoal.anonymize(people, plan(attributes=weighted), remember=KEY, previous=first.model)
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
