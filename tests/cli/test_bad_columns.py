"""What is wrong with trees, places, cycles, recodings, totals and codebooks: a sentence, exit code 2, no file."""

from __future__ import annotations

import pytest

import command

COLUMNS = {
    "lat": 'kind = "place", longitude = "lon"',
    "code": 'kind = "nominal"',
    "age": 'kind = "numeric"',
    "hour": 'kind = "cyclic", period = 24',
    "homes": 'kind = "numeric"',
    "trade": 'kind = "numeric"',
    "revenue": 'kind = "numeric"',
}
ROWS = [
    [10 + row % 7, 20 + row % 5, ("J10", "J45", "K20", "K21")[row % 4], 20 + row, row % 24, row, 2 * row, 3 * row]
    for row in range(24)
]
NAMES = ["lat", "lon", "code", "age", "hour", "homes", "trade", "revenue"]
TREE = 'kind = "nominal", hierarchy = '
TOTALS = 'totals = [{ total = "revenue", parts = ["homes", "trade"] }]\n'


def refused(folder, *, head="", cells=(), files=None, options=(), **columns) -> str:
    """Run a plan with something wrong in it; return the one sentence, the same from check and anonymize."""
    rows = [list(row) for row in ROWS]
    for row, name, value in cells:
        rows[row][NAMES.index(name)] = value
    (folder / "data.csv").write_text("\n".join(",".join(map(str, row)) for row in [NAMES, *rows]) + "\n")
    declared = [f'{name} = {{ role = "quasi_identifier", {words} }}' for name, words in {**COLUMNS, **columns}.items()]
    (folder / "plan.toml").write_text("\n".join(["k = 3", 'subject = "record"', head, "[attributes]", *declared]))
    for name, content in (files or {}).items():
        (folder / name).write_text(content)
    before = set(folder.iterdir())
    told = []
    for words in (["check"], ["anonymize", "-o", "out.csv"]):
        done = command.shoal(words[0], "data.csv", "--plan", "plan.toml", *words[1:], *options, cwd=folder)
        assert done.returncode == 2, done.stderr.decode()
        told.append(done.stderr.decode().strip())
    assert told[0] == told[1]
    assert told[0].startswith("error: ")
    assert len(told[0].splitlines()) == 1
    assert set(folder.iterdir()) == before
    return told[0]


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ("J10;J;A;*\nJ45;J;A;*\nK20;A;J;*\nK21;A;J;*\n", "below two parents"),  # a circle
        ("J10;J;*\nJ45;J;*\nK20;K;*\nK21;K;*\nJ10;K;*\n", "another parent"),
        ("J10;;*\nJ45;J;*\nK20;K;*\nK21;K;*\n", "nothing in level 1"),
        ("J10;J;*\nJ45;J;*\nK20;K;*\n", "outside its hierarchy"),
    ],
)
def test_a_file_of_paths_that_is_no_tree_of_the_codes(tmp_path, tree, words):
    assert words in refused(tmp_path, code=TREE + '"tree.csv"', files={"tree.csv": tree})


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ('{ J = ["J10", "J45"], K = ["K20", "K21", "J10"] }', "one parent"),
        ('{ J = ["J10", "J45"], K = [] }', "is empty"),
        ('{ J = ["J10", "J45"], K = ["K20"] }', "6 values of 1 code outside its hierarchy"),
        ("{ prefix = [1, 4] }", "24 values of 4 codes outside its hierarchy"),
        ("{ prefix = [0] }", "above 0"),
        ('"nowhere.csv"', "cannot be read"),
    ],
)
def test_a_tree_in_the_plan_that_is_none_of_the_codes(tmp_path, tree, words):
    assert words in refused(tmp_path, code=TREE + tree)


def test_places_and_cycles_that_are_none(tmp_path):
    assert "1 latitude beyond 90 degrees, the first in row 4" in refused(tmp_path, cells=[(3, "lat", 91)])
    assert "2 longitudes beyond 360 degrees" in refused(tmp_path, cells=[(3, "lon", 361), (5, "lon", -400)])
    assert "period must be above 0" in refused(tmp_path, hour='kind = "cyclic", period = 0')


def test_recodings_that_leave_nothing(tmp_path):
    assert "empties it" in refused(tmp_path, age='kind = "numeric", clip = { high = 1 }')
    assert "empties it" in refused(tmp_path, code='kind = "nominal", rare = { below = 1000 }')


def test_a_total_that_its_parts_do_not_reach(tmp_path):
    wrong = [(3, "revenue", 1000), (5, "homes", 1000)]
    assert "in 2 of 24 rows, the first in row 4" in refused(tmp_path, head=TOTALS, cells=wrong)


def test_a_codebook_with_one_code_twice(tmp_path):
    twice = "column,code,label\ncode,J10,one\ncode,J10,two\n"
    said = refused(tmp_path, files={"codes.csv": twice}, options=("--codebook", "codes.csv"))
    assert "line 3" in said
    assert "a code has one label" in said
