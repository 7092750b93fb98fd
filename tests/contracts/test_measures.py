"""What every registered measure must do, whatever it is."""

from __future__ import annotations

import copy
import inspect
import json
import math
import re
from typing import get_args

import numpy as np
import polars as pl
import pytest

import shoal
from grids import every
from shoal.errors import DataError, ShoalError
from shoal.kinds import Kind
from shoal.measures import MEASURES, Pair, Score, compute
from shoal.measures.definition import External
from shoal.measures.tables import measure as measure_tables

KINDS = {"born": "date", "grade": [0, 1, 2, 3], "town": "nominal", "illness": "nominal", "stage": ["i", "ii", "iii"]}


def columns(n=90, seed=0):
    """Quasi-identifiers and confidential attributes of every kind, sorted by what they depend on."""
    rng = np.random.default_rng(seed)
    level = np.sort(rng.gamma(4.0, 2.0, n))
    quasi = {
        "age": 20 + 3 * level + rng.normal(0, 1, n),
        "pay": 100 * level + rng.normal(0, 40, n),
        "born": np.datetime64("1960-01-01") + (200 * level + rng.integers(0, 90, n)).astype(int),
        "grade": np.clip(level // 4, 0, 3).astype(int),
        "town": rng.choice(["Vic", "Olot", "Berga"], n),
    }
    secret = {
        "charge": (10 * level + rng.normal(0, 3, n)).round(),
        "illness": rng.choice(["flu", "gout", "mumps", "none"], n),
        "stage": rng.choice(["i", "ii", "iii"], n),
    }
    return quasi, secret


def grouped(quasi, size):
    """Release the first record of every run of ``size`` for the whole run: coarser with size."""
    first = np.arange(len(quasi["age"])) // size * size
    return {name: column[first] for name, column in quasi.items()}


CASES = {
    "groups of 3": lambda quasi: grouped(quasi, 3),
    "groups of 30": lambda quasi: grouped(quasi, 30),
    "one group": lambda quasi: grouped(quasi, 90),
    "as it is": lambda quasi: quasi,
    "in another order": lambda quasi: {name: column[::-1].copy() for name, column in quasi.items()},
    "numbers far away": lambda quasi: quasi | {"age": quasi["age"] + 1e9, "pay": -quasi["pay"] * 1e6},
}


def pair_of(case, *, rows=None):
    quasi, secret = columns()
    released = CASES[case](quasi)
    if rows is not None:
        quasi, released, secret = (
            {name: column[rows] for name, column in side.items()} for side in (quasi, released, secret)
        )
    subjects = np.arange(90) * 7 % 40 if rows is None else rows * 7 % 40
    weights = 1.0 + (np.arange(90) if rows is None else rows) * 5 % 7
    return Pair.of(quasi, released, confidential=secret, kinds=KINDS, subjects=subjects, weights=weights)


@pytest.fixture(params=MEASURES)
def measure(request):
    return MEASURES[request.param]


@every(case=CASES)
def test_values_lie_in_the_range_of_the_definition(measure, case):
    score = measure.function(pair_of(case))
    assert isinstance(score, Score)
    assert score.definition is measure.definition
    assert math.isfinite(score.value)
    slack = 1e-9 * max(1.0, abs(score.value))
    assert measure.definition.low - slack <= score.value <= measure.definition.high + slack


def test_the_input_is_not_changed(measure):
    quasi, secret = columns()
    released = grouped(quasi, 3)
    before = copy.deepcopy((quasi, released, secret))
    weights, subjects = np.ones(90), np.arange(90) // 2
    measure.function(Pair.of(quasi, released, confidential=secret, kinds=KINDS, subjects=subjects, weights=weights))
    for was, now in zip(before, (quasi, released, secret), strict=True):
        for name, column in was.items():
            np.testing.assert_array_equal(column, now[name])


def test_the_same_seed_gives_the_same_answer(measure):
    options = {"subsets": 2, "sample": 4, "seed": 5} if "subsets" in measure.options else {}
    one, other = (measure.function(pair_of("groups of 3"), **options).to_dict() for _ in range(2))
    assert one == other
    if options:
        another = measure.function(pair_of("groups of 3"), **options | {"seed": 6})
        assert another.to_dict()["parts"] != one["parts"]


def test_the_order_of_records_does_not_matter(measure):
    rows = np.random.default_rng(1).permutation(90)
    straight = measure.function(pair_of("groups of 3"))
    shuffled = measure.function(pair_of("groups of 3", rows=rows))
    assert shuffled.value == pytest.approx(straight.value, rel=1e-12, abs=1e-12)
    assert dict(shuffled.attributes) == pytest.approx(dict(straight.attributes), rel=1e-12, abs=1e-12)


def test_what_others_computed_before_changes_nothing(measure):
    alone = measure.function(pair_of("groups of 3"))
    together = compute(pair_of("groups of 3"))[measure.key]
    assert together.to_dict() == alone.to_dict()


def test_coarser_is_safer_and_keeps_less(measure):
    fine, coarse = (measure.function(pair_of(f"groups of {size}")).value for size in (3, 30))
    gained = coarse - fine if measure.definition.better == "higher" else fine - coarse
    if measure.definition.aspect == "risk":
        assert gained > 0
    elif measure.definition.aspect == "utility":
        assert gained < 0
    else:  # what the balance of both does is no matter of course, but the table itself is given away for nothing lost
        assert measure.function(pair_of("as it is")).value == 50


def test_details_have_one_entry_for_each_column_and_class(measure):
    pair = pair_of("groups of 3")
    score = measure.function(pair)
    known = set(pair.names) | {column.name for column in pair.confidential}
    assert score.columns
    assert set(score.columns) <= known
    assert set(score.attributes) <= set(score.columns)
    assert all(len(values) == len(pair.sizes) for values in score.groups.values())


@every(case=CASES)
def test_scores_become_json(measure, case):
    text = json.dumps(measure.function(pair_of(case)).to_dict(), allow_nan=False)
    assert json.loads(text)["definition"] == measure.definition.text


def test_the_definition_is_a_line_of_prose(measure):
    what = measure.definition
    assert what.key == what.key.strip().lower()
    assert what.text.endswith(".")
    assert what.text == " ".join(what.text.split())
    assert len(what.text) > 20
    assert what.low < what.high
    assert what.aspect in ("risk", "utility", "balance")
    assert what.better in ("lower", "higher")
    assert what.kinds
    assert all(isinstance(kind, Kind) for kind in what.kinds)


def test_what_external_readers_see_is_one_of_the_words_that_have_a_meaning(measure):
    assert measure.definition.external in get_args(External)
    assert f"``{measure.definition.external}``: " in inspect.getdoc(type(measure.definition))


def test_the_function_says_what_it_returns_and_shows_it(measure):
    text = inspect.getdoc(measure.function)
    assert text.startswith("Return ")
    for part in ("Parameters", "Examples"):
        assert part in text
    for name in inspect.signature(measure.function).parameters:
        assert re.search(rf"^(\w+, )*{name}(, \w+)*$", text, re.MULTILINE), f"{name} is not documented"


def test_the_function_is_of_the_pair_and_belongs_to_the_measure(measure):
    assert next(iter(inspect.signature(measure.function).parameters)) == "pair"
    assert measure.function.measure is measure


def test_a_table_without_its_columns_is_refused_in_one_sentence(measure):
    what = measure.definition
    quasi, _ = columns()
    if what.role == "quasi_identifier" and Kind.NOMINAL in what.kinds:  # it covers whatever quasi-identifier there is
        with pytest.raises(DataError, match=r"^a pair of tables needs at least one quasi-identifier to compare$"):
            Pair.of({}, {})
        return
    towns = {"town": quasi["town"]}
    pair = Pair.of(towns, towns, kinds={"town": "nominal"})
    assert not what.applies(pair)
    assert measure.key not in compute(pair)
    refused = f"^{measure.key} needs at least one .*, and the table has none: leave {measure.key} out$"
    with pytest.raises(DataError, match=refused):
        measure.function(pair)


def test_a_frame_without_a_declared_column_is_refused_in_one_sentence(measure):
    frame = pl.DataFrame({"id": ["a", "b", "b", "c"], "age": [30, 34, 61, 67], "pay": [7, 8, 9, 5], "w": [1, 2, 3, 1]})
    plan = shoal.Plan(
        k=2,
        subject="id",
        weights="w",
        attributes={
            "id": {"role": "identifier"},
            "w": {"role": "other"},
            "age": {"role": "quasi_identifier", "kind": "numeric"},
            "pay": {"role": "confidential", "kind": "numeric"},
        },
    )
    assert measure_tables(frame, frame, plan, keys=[measure.key])[measure.key].columns
    for column in ("age", "pay"):
        with pytest.raises(ShoalError, match=f"the released table does not have '{column}'") as found:
            measure_tables(frame, frame.drop(column), plan, keys=[measure.key])
        assert "\n" not in str(found.value)
