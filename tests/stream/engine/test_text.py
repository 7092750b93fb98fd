"""Records of text, as ``csv.DictReader`` gives them."""

from __future__ import annotations

import csv
import io

import pytest

from shoal import DataError, Plan, StreamAnonymizer

PLAN = Plan(
    k=2,
    missing="impute",
    closeness={"t": 0.9},
    attributes={
        "age": {"role": "quasi_identifier", "kind": "numeric", "round": True},
        "level": {"role": "quasi_identifier", "kind": "ordinal", "order": [1, 2, 3]},
        "area": {"role": "quasi_identifier", "kind": "nominal"},
        "seen": {"role": "quasi_identifier", "kind": "date", "format": "%d/%m/%Y"},
        "cost": {"role": "confidential", "kind": "numeric"},
    },
    stream={"max_delay": 1},
)
LINES = "age,level,area,seen,cost\n30,1,n,01/02/2024,007.50\n33,3,,03/02/2024,1e1\n,,,,1\n40,2,s,09/02/2024,2\n"


def test_rows_of_a_csv_file_go_through():
    stream = StreamAnonymizer(PLAN, text=True)
    released = [record for row in csv.DictReader(io.StringIO(LINES)) for record in stream.push(row)] + stream.flush()
    groups = [sorted(released[start : start + 2], key=lambda record: record["cost"]) for start in (0, 2)]
    first, second = ({"age": 32, "level": "1", "area": "n", "seen": "02/02/2024"},) * 2
    assert groups[0] == [{**first, "cost": "007.50"}, {**second, "cost": "1e1"}]
    assert groups[1] == [{"age": 40, "level": "2", "area": "s", "seen": "09/02/2024", "cost": cost} for cost in "12"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"age": "old"}, "no number"),
        ({"age": "1_000"}, "no number"),
        ({"age": "\u0663\u0660"}, "no number"),  # digits of another script, which a table refuses, too
        ({"age": "inf"}, "finite"),
        ({"level": "4"}, "outside its declared order"),
        ({"seen": "2024-02-01"}, "no date"),
        ({"cost": ""}, "'cost' has a missing value"),
    ],
)
def test_text_that_does_not_fit_is_refused(change, message):
    row = {"age": "30", "level": "1", "area": "n", "seen": "01/02/2024", "cost": "1", **change}
    with pytest.raises(DataError, match=message):
        StreamAnonymizer(PLAN, text=True).push(row)


def test_text_is_no_number_unless_said():
    with pytest.raises(DataError, match="'age' must be a number"):
        StreamAnonymizer(PLAN).push({"age": "30", "level": 1, "area": "n", "seen": "01/02/2024", "cost": 1.0})


def test_the_choice_survives_a_restart(tmp_path):
    StreamAnonymizer(PLAN, text=True).save(tmp_path / "state")
    stream, _ = StreamAnonymizer.restore(tmp_path / "state")
    assert stream.push({"age": "30", "level": "1", "area": "n", "seen": "01/02/2024", "cost": "1"}) == []
