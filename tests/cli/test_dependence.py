"""shoal dependence: the sweep from the command line, to a table, JSON and a page."""

import json

import polars as pl
import pytest

from shoal import Plan
from shoal.tradeoff import sweep_dependence


def test_the_sweep_ends_in_a_table_and_a_page(folder):
    done = folder.shoal(
        "dependence", "data.csv", "--plan", "plan.toml", "--try-k", "3,4", "--cost", "25", "-o", "chart.html"
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode().splitlines()
    assert len(lines) == 1 + 2 * 11 + 2
    assert "k = 3: the largest weight that costs at most 25 % of D_X is" in lines[-2]
    page = (folder.path / "chart.html").read_text(encoding="utf-8")
    assert "Weights of dependence for data.csv" in page
    assert 'src="http' not in page
    assert folder.names() == ["chart.html", "data.csv", "plan.toml"]


def test_json_holds_what_the_library_returns(folder):
    done = folder.shoal("dependence", "data.csv", "--plan", "plan.toml", "--try-weight", "0.5,1", "--json", "--k", "5")
    assert done.returncode == 0, done.stderr
    plan = Plan.load(folder.path / "plan.toml").replace(k=5)
    frame = pl.read_csv(folder.path / "data.csv", try_parse_dates=True)
    expected = sweep_dependence(frame.with_columns(pl.col("ward").cast(str)), plan, weights=[0.5, 1])
    assert json.loads(done.stdout) == {"rows": [row.to_dict() for row in expected], "largest_weight": {}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--try-k", "3,x"], "--try-k takes whole numbers with commas between them"),
        (["--chart", "chart.png"], "must end in .html"),
        (["--release", "permute"], "keeps the quasi-identifiers"),
    ],
)
def test_what_makes_no_sense_is_refused(folder, options, message):
    done = folder.shoal("dependence", "data.csv", "--plan", "plan.toml", *options)
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert folder.names() == ["data.csv", "plan.toml"]
