"""TOML that a person wrote is edited with its comments; what it holds is what was asked for."""

import tomllib

import pytest

from shoal.plan.toml import dump_toml, edited_toml

TEXT = """#:schema plan.schema.json
# Agreed on Monday.
version = 1
k = 5                # fewest
missing = "keep"     # gaps stay

[closeness]  # how near
t = 0.2

[attributes]
name = { role = "identifier" }  # the name
age  = { role = "quasi_identifier", kind = "numeric" }  # 70 distinct

[[steer]]
kind = "position"  # as they came
weight = 1.0
"""


def test_the_same_values_leave_the_text_alone():
    assert edited_toml(TEXT, tomllib.loads(TEXT)) == TEXT


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"k": 10}, "k = 10                # fewest"),
        ({"refine": "good"}, 'refine = "good"'),
        ({"missing": None}, "k = 5                # fewest"),
        ({"closeness": {"t": 0.3, "method": "merge"}}, "[closeness]  # how near"),
        ({"diversity": {"distinct": 2}}, "[diversity]"),
        ({"closeness": None}, "# Agreed on Monday."),
        ({"steer": None}, "# Agreed on Monday."),
        (
            {"attributes": {"age": {"role": "other"}, "a b": {"role": "other"}}},
            'age  = { role = "other" }  # 70 distinct',
        ),
        ({"attributes": {"age": {"role": "other"}, "a b": {"role": "other"}}}, '"a b" = { role = "other" }'),
    ],
)
def test_what_changes_is_written_and_comments_stay(change, line):
    values = {name: value for name, value in (tomllib.loads(TEXT) | change).items() if value is not None}
    edited = edited_toml(TEXT, values)
    assert tomllib.loads(edited) == values
    assert line in edited.splitlines()
    assert "# Agreed on Monday." in edited


def test_what_cannot_be_edited_is_written_anew():
    dotted = "k = 5\nattributes.age.role = 'other'  # so\nattributes.age.kind = 'numeric'\n"
    values = {"k": 6, "attributes": {"b": {"role": "other"}}}
    assert tomllib.loads(edited_toml(dotted, values)) == values
    assert edited_toml("", {"k": 5}) == dump_toml({"k": 5})
