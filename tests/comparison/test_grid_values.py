"""Values to try as they are written on a command line."""

import pytest

from shoal.comparison.grid import parse_values
from shoal.errors import PlanError


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("3,5,10", [3, 5, 10]),
        ("[3, 5, 10]", [3, 5, 10]),
        ("none, 0.1", ["none", 0.1]),
        ("true,false", [True, False]),
        ('"5","a,b"', ["5", "a,b"]),
        ("'it is, so'", ["it is, so"]),
        ("O'Brien,O'Neill", ["O'Brien", "O'Neill"]),
        ('["a"],["a","b"]', [["a"], ["a", "b"]]),
        ("[a], [a, b]", [["a"], ["a", "b"]]),
        ("[[age, sex]]", [["age", "sex"]]),
        ('"a\\"]",3', ['a"]', 3]),
        ("[]", []),
    ],
)
def test_values_are_read_as_toml_would(text, values):
    assert parse_values(text) == values


@pytest.mark.parametrize("text", ["[3, 5", "3, 5]", "[3}", '"open', "[a][b]"])
def test_brackets_and_quotes_that_do_not_close_are_refused(text):
    with pytest.raises(PlanError, match="not closed"):
        parse_values(text)
