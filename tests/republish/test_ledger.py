"""The ledger of a growing table: cells, values and means by subject, from release to release."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shoal.encode import read_subjects
from shoal.errors import DataError
from shoal.frames import Table
from shoal.republish.ledger import Ledger, fewer, key_mark, subject_marks, value_marks

KEY, OTHER = bytes(range(32)), bytes(32)
COLUMNS = ("age", "pay")
MARKS = ("7d36689050146501a20422d001b5635c", "b681afc27b252d3dce1b0cb11edcc954", "251a6183c8591d57")
"""Of the key, the subject p and its 30 in the first column: ledgers on disk have them."""


def value(*numbers: int) -> str:
    """The marks of some values; 0 for none."""
    return "".join(f"{number:016x}" for number in numbers)


def after(before: Ledger | None, people: dict[str, tuple[int, int, int]]) -> Ledger:
    """Write a release into a ledger: by mark the class, and the values of two columns."""
    values = [value(*numbers) for _, *numbers in people.values()]
    classes = np.array([cell for cell, *_ in people.values()])
    return Ledger.after(before, COLUMNS, list(people), values, classes, KEY)


def mark(letter: str) -> str:
    return letter * 32


A, B, C, D, E = map(mark, "abcde")
FIRST = {A: (0, 1, 2), B: (0, 3, 0), C: (1, 4, 5), D: (1, 6, 0)}
SECOND = {A: (0, 1, 2), C: (0, 4, 7), D: (1, 0, 0), E: (1, 8, 9)}


def test_a_first_release_has_its_classes_as_cells() -> None:
    ledger = after(None, FIRST)
    assert (ledger.releases, ledger.columns, ledger.check) == (1, COLUMNS, key_mark(KEY))
    assert ledger.cells == {A: 0, B: 0, C: 1, D: 1}
    assert ledger.sizes.tolist() == [2, 2]
    assert ledger.values[B] == ((1, value(3, 0)),)
    assert ledger.shown.tolist() == [[2, 1], [2, 1]]


def test_cells_are_parted_by_every_release_and_by_absence() -> None:
    ledger = after(after(None, FIRST), SECOND)
    assert ledger.releases == 2
    assert list(ledger.cells.items()) == [(A, 0), (B, 1), (C, 2), (D, 3), (E, 4)]
    assert ledger.sizes.tolist() == [1] * 5
    assert ledger.values == {
        A: ((1, value(1, 2)),),
        B: ((1, value(3, 0)),),
        C: ((1, value(4, 5)), (2, value(4, 7))),
        D: ((1, value(6, 0)), (2, value(0, 0))),
        E: ((2, value(8, 9)),),
    }
    # The fewest values behind a mean: of two classes each, of one where a subject was there once.
    assert ledger.shown.tolist() == [[2, 1], [2, 1], [2, 1], [1, 1], [1, 1]]
    assert after(None, FIRST).shown.tolist() == [[2, 1], [2, 1]], "the ledger before is as it was"


def test_a_cell_stays_one_while_its_subjects_stay_together() -> None:
    ledger = after(after(None, FIRST), {D: (0, 6, 1), C: (0, 4, 5), B: (1, 3, 1), A: (1, 1, 2), E: (1, 8, 9)})
    assert ledger.cells == {A: 0, B: 0, C: 1, D: 1, E: 2}
    assert ledger.sizes.tolist() == [2, 2, 1]
    assert ledger.shown.tolist() == [[2, 1], [2, 1], [3, 3]]


@pytest.mark.parametrize(("counts", "others", "least"), [(0, 0, 0), (0, 3, 3), (3, 0, 3), (2, 3, 2), (3, 2, 2)])
def test_no_value_is_not_few(counts: int, others: int, least: int) -> None:
    assert fewer(np.array([counts]), np.array([others])).tolist() == [least]


def test_histories_number_values_as_they_came() -> None:
    ledger = after(after(after(None, FIRST), SECOND), {**SECOND, C: (0, 4, 5), D: (1, 6, 0)})
    now = {A: value(1, 2), B: None, C: value(4, 7), D: value(6, 1), E: value(8, 9), mark("f"): value(1, 0)}
    numbers, histories = ledger.histories(list(now), list(now.values()))
    assert histories[0] == (0, 0, 0, 0)
    courses = [[histories[number] for number in column] for column in numbers.tolist()]
    still, never = (0, 0, 0, 0), (-1, -1, -1, -1)
    assert courses[0] == [still, still, still, (0, -1, 0, 0), still, still]
    assert courses[1] == [still, never, (0, 1, 0, 1), (-1, -1, -1, 0), still, never]
    assert len(set(histories)) == len(histories)
    assert numbers.dtype == np.int64


def test_who_was_away_had_the_value_of_before_and_newcomers_have_always_had_theirs() -> None:
    ledger = after(after(None, FIRST), {A: (0, 1, 2)})
    numbers, histories = ledger.histories([B, E], [value(5, 0), value(1, 1)])
    assert [histories[number] for number in numbers[0]] == [(0, 0, 1), (0, 0, 0)]
    assert [histories[number] for number in numbers[1]] == [(-1, -1, -1), (0, 0, 0)]


def test_marks_tell_nothing_without_the_key() -> None:
    table = Table.of(pl.DataFrame({"who": ["p", "q", "p"]}))
    marks = subject_marks(table, read_subjects(table, "who"), KEY)
    assert len(marks) == len(set(marks)) == 2
    assert marks != subject_marks(table, read_subjects(table, "who"), OTHER)
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in (*marks, key_mark(KEY)))
    assert key_mark(KEY) != key_mark(OTHER)
    columns = [["1", "1"], ["1", None]]
    first, second = value_marks(columns, marks, KEY)
    assert [len(first), len(second)] == [32, 32]
    assert len({first[:16], first[16:], second[:16]}) == 3, "equal values of others, or elsewhere, have other marks"
    assert second[16:] == "0" * 16
    assert value_marks(columns, marks, KEY) == [first, second] != value_marks(columns, marks, OTHER)
    assert value_marks([["2", "1"], ["1", None]], marks, KEY)[0][16:] == first[16:]


def test_marks_are_those_that_ledgers_have_on_disk() -> None:
    table = Table.of(pl.DataFrame({"who": ["p"]}))
    (subject,) = subject_marks(table, read_subjects(table, "who"), KEY)
    (values,) = value_marks([["30"]], [subject], KEY)
    assert (key_mark(KEY), subject, values) == MARKS


def test_names_that_are_no_text_have_marks_too() -> None:
    assert value_marks([["\ud800"]], [A], KEY)
    table = Table.of(pd.DataFrame({"who": ["\ud800", "p"]}, dtype=object))
    assert len(set(subject_marks(table, read_subjects(table, "who"), KEY))) == 2


def test_another_key_is_refused() -> None:
    ledger = after(None, FIRST)
    ledger.require_key(KEY)
    with pytest.raises(DataError, match="the key is not the one by which the previous release remembers"):
        ledger.require_key(OTHER)


def written() -> dict[str, Any]:
    return after(after(None, FIRST), {D: (0, 6, 1), C: (0, 4, 5), B: (1, 3, 1), A: (1, 1, 2), E: (1, 8, 9)}).to_dict()


def test_a_ledger_is_read_as_it_was_written_in_the_order_of_marks() -> None:
    content = written()
    assert content == {
        "releases": 2,
        "check": key_mark(KEY),
        "columns": ["age", "pay"],
        "subjects": [A, B, C, D, E],
        "cells": [0, 0, 1, 1, 2],
        "values": [
            [[1, value(1, 2)]],
            [[1, value(3, 0)], [2, value(3, 1)]],
            [[1, value(4, 5)]],
            [[1, value(6, 0)], [2, value(6, 1)]],
            [[2, value(8, 9)]],
        ],
        "shown": [[2, 1], [2, 1], [3, 3]],
    }
    again = Ledger.from_dict(content)
    assert again.to_dict() == content
    assert (again.releases, again.columns, again.check) == (2, COLUMNS, key_mark(KEY))
    assert again.cells == dict(zip([A, B, C, D, E], [0, 0, 1, 1, 2], strict=True))
    assert again.shown.dtype == np.int64
    turned = {**content, "subjects": content["subjects"][::-1], "cells": [0, 1, 1, 2, 2]}
    assert Ledger.from_dict({**turned, "values": content["values"][::-1]}).to_dict()["subjects"] == [A, B, C, D, E]


@pytest.mark.parametrize(
    "change",
    [
        {"check": "0" * 31},
        {"check": "0" * 33},
        {"check": "G" * 32},
        {"check": 1},
        {"subjects": [A, A, C, D, E]},
        {"subjects": [A, B, C, D, "x" * 32]},
        {"subjects": [A, B, C, D]},
        {"columns": ["age"]},
        {"columns": ["age", 1]},
        {"cells": [0, 0, 1, 1, 3]},
        {"cells": [1, 1, 2, 2, 3]},
        {"cells": [0, 0, 1, 1]},
        {"cells": [0, 0, 1, 1, 2.0]},
        {"cells": [0, 0, 1, 1, True]},
        {"releases": 1},
        {"releases": 100_001},
        {"releases": 2.0},
        {"shown": [[2, 1], [2, 1]]},
        {"shown": [[2, 1], [2, 1], [3, -1]]},
        {"shown": [[2, 1], [2, 1], [3, 1.0]]},
        {"shown": [[2, 1], [2, 1], [3, True]]},
        {"values": [[], [], [], [], []]},
        {"values": [[[1, value(1, 2)]]] * 4 + [[]]},
        {"values": [[[1, value(1, 2)]]] * 4 + [[[0, value(1, 2)]]]},
        {"values": [[[1, value(1, 2)]]] * 4 + [[[3, value(1, 2)]]]},
        {"values": [[[1, value(1, 2)]]] * 4 + [[[1, value(1)]]]},
        {"values": [[[1, value(1, 2)]]] * 4 + [[[1, value(1, 2)], [1, value(1, 3)]]]},
        {"values": [[[1, value(1, 2)]]] * 4 + [[[2, value(1, 2)], [1, value(1, 3)]]]},
        {"values": [[[1, value(1, 2)]]] * 4},
        {"subjects": [], "cells": [], "values": [], "shown": []},
    ],
    ids=str,
)
def test_what_no_ledger_can_have_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        Ledger.from_dict({**written(), **change})


def test_what_a_ledger_may_just_have_is_read() -> None:
    content = written()
    assert Ledger.from_dict({**content, "releases": 100_000}).releases == 100_000
    assert Ledger.from_dict({**content, "shown": [[0, 0]] * 3}).shown.tolist() == [[0, 0]] * 3
