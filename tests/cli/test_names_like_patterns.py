"""Columns whose names polars takes for patterns, through the commands, from and to every format that has such names."""

import json

import polars as pl
import pytest

NAMES = ["*", "^age$", "^zz$", "^$", "^[$"]
ROLES = {
    "identifier": 'role = "identifier"',
    "text": 'role = "quasi_identifier", kind = "nominal"',
    "numbers": 'role = "quasi_identifier", kind = "numeric"',
    "dates": 'role = "quasi_identifier", kind = "date", format = "%d.%m.%Y"',
    "confidential": 'role = "confidential", kind = "nominal"',
    "other": 'role = "other"',
}


@pytest.fixture(params=NAMES)
def named(folder, request):
    """Return a function that makes a table and a plan in which a column has the name, and returns the folder."""

    def make(role):
        cells = [f"{1 + i % 4:02d}.03.2020" for i in range(12)] if role == "dates" else [str(i % 4) for i in range(12)]
        frame = pl.DataFrame({"age": [20 + 7 * i % 40 for i in range(12)], request.param: cells, "pay": [1, 2, 3] * 4})
        frame.write_csv(folder.path / "data.csv")
        frame.write_parquet(folder.path / "data.parquet")
        declared = [
            f"{json.dumps(request.param)} = {{ {ROLES[role]} }}",
            'age = { role = "quasi_identifier", kind = "numeric" }',
            'pay = { role = "confidential", kind = "numeric" }',
        ]
        folder.write_plan("\n".join(["k = 3", 'subject = "record"', 'order = "keep"', "[attributes]", *declared]))
        return folder, request.param

    return make


@pytest.mark.parametrize("role", ROLES)
def test_such_columns_are_proposed_checked_and_released(named, role):
    folder, name = named(role)
    before = pl.read_csv(folder.path / "data.csv", infer_schema=False)
    for words in (["init", "data.csv"], ["init", "data.parquet"], ["check", "data.csv", "--plan", "plan.toml"]):
        done = folder.shoal(*words)
        assert done.returncode == 0, done.stderr
    for source, output in (("csv", "csv"), ("csv", "parquet"), ("csv", "arrow"), ("parquet", "csv"), ("csv", "xlsx")):
        if source == "parquet" and role in ("numbers", "dates"):  # text there
            continue
        options = ["--escape-formulas"] if output == "csv" else []
        done = folder.shoal("anonymize", f"data.{source}", "--plan", "plan.toml", "-o", f"out.{output}", *options, "-q")
        assert done.returncode == 0, done.stderr
    released = pl.read_csv(folder.path / "out.csv", infer_schema=False)
    assert released.columns == [column for column in before.columns if column != name or role != "identifier"]
    assert released["pay"].to_list() == before["pay"].to_list()
    if role in ("confidential", "other"):
        assert released[name].to_list() == before[name].to_list()


def test_a_cell_that_does_not_fit_is_told_by_the_name_of_its_column(named):
    folder, name = named("numbers")
    text = (folder.path / "data.csv").read_text().replace(",3,", ",three,")
    (folder.path / "data.csv").write_text(text)
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml")
    assert done.returncode == 2
    assert f"column {name!r} is declared numeric" in done.stderr.decode()
