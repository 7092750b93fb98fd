"""shoal compare as its users run it."""

import csv
import json

import pytest

import shoal


def rows(folder, name="comparison"):
    with (folder.path / name / "comparison.csv").open() as file:
        return list(csv.DictReader(file))


def test_a_comparison_fills_its_folder_and_goes_on_where_it_was(folder):
    command = ["compare", "data.csv", "--plan", "plan.toml", "--try-k", "4", "--try-k", "8", "--try-t", "none,0.4"]
    done = folder.shoal(*command, "--pick", "dld <= 60", "--minimise", "il_percent")
    assert done.returncode == 0, done.stderr.decode()
    assert "4 of 4 computed now" in done.stderr.decode()
    assert sorted(entry.name for entry in (folder.path / "comparison").iterdir()) == [
        "comparison.csv",
        "comparison.json",
        "map.html",
        "picked.toml",
        "runs",
    ]
    assert [(row["k"], row["closeness.t"]) for row in rows(folder)] == [
        ("4", "none"),
        ("4", "0.4"),
        ("8", "none"),
        ("8", "0.4"),
    ]
    picked = shoal.Plan.load(folder.path / "comparison" / "picked.toml")
    losses = {
        row["k"] + row["closeness.t"]: float(row["il_percent"]) for row in rows(folder) if float(row["dld"]) <= 60
    }
    best = min(losses, key=losses.get)
    assert best == f"{picked.k}{'none' if picked.closeness is None else picked.closeness.t}"
    page = (folder.path / "comparison" / "map.html").read_text()
    assert 'src="http' not in page
    assert "<svg" in page
    again = folder.shoal(*command)
    assert "0 of 4 computed now" in again.stderr.decode()


def test_bounds_that_no_plan_keeps_leave_the_comparison_and_no_pick(folder):
    command = ["compare", "data.csv", "--plan", "plan.toml", "-o", "out", "--try-k", "4", "-m", "dld", "--quiet"]
    assert folder.shoal(*command, "--pick", "dld <= 100").returncode == 0
    assert (folder.path / "out" / "picked.toml").exists()
    done = folder.shoal(*command, "--pick", "dld < 0")
    assert done.returncode == 3
    assert "no plan of the grid keeps dld < 0" in done.stderr.decode()
    assert not (folder.path / "out" / "picked.toml").exists()
    told = json.loads((folder.path / "out" / "comparison.json").read_text())
    assert set(told["runs"][0]["scores"]) == {"dld", "il_percent"}


def test_weights_of_dependence_end_in_a_chart_and_a_choice(folder):
    done = folder.shoal(
        *("compare", "data.csv", "--plan", "plan.toml", "--try-k", "4,8", "--try-weight", "0,0.2,0.5", "-m", "dld"),
        *("--cost", "1000"),
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().splitlines()[-2:] == [
        "k = 4: the largest weight that costs at most 1000 % of D_X is 0.5",
        "k = 8: the largest weight that costs at most 1000 % of D_X is 0.5",
    ]
    assert "Weights of dependence" in (folder.path / "comparison" / "map.html").read_text()
    assert {"d_x", "d_y", "l_avg", "dld"} <= rows(folder)[0].keys()


def test_lists_are_values_to_try_and_a_value_may_be_a_list(folder):
    command = ["compare", "data.csv", "--plan", "plan.toml", "-m", "dld", "--try", "k=[4, 8]"]
    done = folder.shoal(*command, "--try", 'missing_values=["NA"],[NA, -99]')
    assert done.returncode == 0, done.stderr.decode()
    tried = [(row["k"], row["missing_values"]) for row in rows(folder)]
    assert tried == [(k, cells) for k in ("4", "8") for cells in ("['NA']", "['NA', -99]")]


def test_columns_that_a_measure_does_not_see_are_told(folder):
    command = ["compare", "data.csv", "--plan", "plan.toml", "--try-k", "4", "-m", "dld", "--pick", "dld <= 100"]
    quiet = folder.shoal(*command)
    assert "does not see" not in quiet.stderr.decode()
    done = folder.shoal(*command, "--minimise", "score")
    assert "score does not see 'grade'" in done.stderr.decode()
    assert "score does not see &#39;grade&#39;" in (folder.path / "comparison" / "map.html").read_text()
    told = json.loads((folder.path / "comparison" / "comparison.json").read_text())
    assert "grade" in told["unseen"]["score"]
    assert "il_percent" not in told["unseen"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--try", "k=[4, 8"], "is not closed"),
        ([], "nothing to compare"),
        (["--try-k", "4", "--cost", "10"], "--cost picks a weight of dependence, and none is tried"),
        (["--try-weight", "0,0.2", "--cost", "-1"], "--cost must be a finite number of at least 0"),
        (["--try-weight", "0,0.2", "--cost", "nan"], "--cost must be a finite number of at least 0"),
        (["--try-weight", "0,0.2", "--cost", "inf"], "--cost must be a finite number of at least 0"),
        (["--try-weight", "0.1,0.2", "--cost", "10"], "none is not tried: add 0 to --try-weight"),
        (["--try-k", "4", "-m", ""], "--measure names nothing: leave it out"),
        (["--try-k", "4", "-m", " ,"], "--measure names nothing: leave it out"),
        (["--try", "k"], "--try takes PATH=VALUE"),
        (["--try-k", "4", "--risk", "nosuch"], "not 'nosuch'"),
        (["--try-k", "4", "--minimise", "dld"], "--pick"),
        (["--try-k", "4", "--pick", "dld <= 9", "--minimise", ""], "not ''"),
        (["--try-k", "4", "-o", "data.csv"], "is a file"),
    ],
)
def test_mistakes_are_one_sentence(folder, options, says):
    done = folder.shoal("compare", "data.csv", "--plan", "plan.toml", *options)
    assert done.returncode == 2
    assert says in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
    assert folder.names() == ["data.csv", "plan.toml"]  # judged before the work


def test_a_table_without_numbers_is_compared_by_what_its_columns_allow(folder):
    (folder.path / "names.csv").write_text("sex\n" + "f\nm\n" * 20)
    (folder.path / "names.toml").write_text('k = 3\nattributes.sex = { role = "quasi_identifier", kind = "nominal" }\n')
    done = folder.shoal("compare", "names.csv", "--plan", "names.toml", "--try-k", "3,5")
    assert done.returncode == 0, done.stderr.decode()
    assert {row["problem"] for row in rows(folder)} == {""}
    assert "dld" in rows(folder)[0]
    assert "score" not in rows(folder)[0]
