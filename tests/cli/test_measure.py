"""shoal measure: any pair of files, as JSON or as a table."""

import json

import polars as pl
import pytest

import shoal
from shoal.measures import MEASURES

KEYS = [  # nobody comes back here, and no record has a weight
    key for key, measure in MEASURES.items() if measure.definition.role not in ("subject", "weights")
]


@pytest.fixture
def released(folder):
    frame = pl.read_csv(folder.path / "data.csv", try_parse_dates=True)
    plan = shoal.Plan.load(folder.path / "plan.toml")
    shoal.anonymize(frame, plan).data.write_csv(folder.path / "out.csv")
    return folder


def run(folder, *options, original="data.csv", release="out.csv"):
    return folder.shoal("measure", original, release, "--plan", "plan.toml", *options)


def scores(folder, *options, **files):
    done = run(folder, "--json", *options, **files)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_every_measure_as_json(released):
    found = scores(released)
    assert list(found) == KEYS
    assert found["k_min"]["value"] >= 4
    assert sum(found["k_min"]["groups"]["size"]) == 60
    assert found["sse"]["columns"] == ["age", "grade", "county", "seen"]
    assert found["il"]["columns"] == ["age"]
    for key, score in found.items():
        assert score["definition"] == MEASURES[key].definition.text
        low, high = score["range"]
        assert low <= score["value"]
        assert high is None or score["value"] <= high


def test_only_some_measures_and_no_groups(released):
    found = scores(released, "--measure", "dld,k_min", "-m", "emd_max", "--no-groups")
    assert list(found) == ["dld", "k_min", "emd_max"]
    assert all("groups" not in score for score in found.values())
    assert "groups" in scores(released, "-m", "k_min")["k_min"]


def test_a_table_for_people(released):
    done = released.shoal("measure", "data.csv", "out.csv", "--plan", "plan.toml")
    assert done.returncode == 0
    text = done.stdout.decode()
    for key in KEYS:
        assert f"  {key} " in text
    assert "0 to 100" in text
    assert done.stderr == b""


def test_subsets_and_a_sample_of_them(released):
    everything = scores(released, "-m", "dld", "--subsets", "all")["dld"]
    assert len(everything["parts"]) == 15
    pairs = scores(released, "-m", "dld", "--subsets", "2")["dld"]
    assert len(pairs["parts"]) == 6
    listed = scores(released, "-m", "dld", "--subsets", "age+county", "--subsets", "seen")["dld"]
    assert list(listed["parts"]) == ["age + county", "seen"]
    drawn = scores(released, "-m", "dld", "--subsets", "all", "--sample", "5", "--seed", "1")["dld"]
    assert len(drawn["parts"]) == 5
    assert drawn["interval"][0] < drawn["value"] < drawn["interval"][1]
    other = scores(released, "-m", "dld", "--subsets", "all", "--sample", "5", "--seed", "2")["dld"]
    assert other["parts"].keys() != drawn["parts"].keys()
    text = run(released, "-m", "dld", "--subsets", "all", "--sample", "5").stdout.decode()
    assert " to " in text.split("dld", 1)[1].split("lower")[0]


def test_by_key_and_from_another_format(released):
    original = pl.read_csv(released.path / "data.csv")
    release = pl.read_csv(released.path / "out.csv", try_parse_dates=True).with_columns(original["name"])
    release.reverse().write_parquet(released.path / "out.parquet")
    expected = {key: score["value"] for key, score in scores(released).items()}
    found = scores(released, "--by-key", "name", release="out.parquet")
    assert {key: score["value"] for key, score in found.items()} == pytest.approx(expected)


def test_an_identifier_left_in_the_release_is_pointed_out(released):
    original = pl.read_csv(released.path / "data.csv")
    pl.read_csv(released.path / "out.csv").with_columns(original["name"]).write_csv(released.path / "leak.csv")
    done = run(released, "-m", "sse", release="leak.csv")
    assert done.returncode == 0
    assert b"warning: leak.csv still has 'name', which the plan calls an identifier" in done.stderr
    assert run(released, "-m", "sse", "-q", release="leak.csv").stderr == b""
    assert run(released, "-m", "sse", "--by-key", "name", release="leak.csv").stderr == b""


def drop_a_row(path):
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")


def drop_a_column(path):
    path.write_text("\n".join(line.partition(",")[2] for line in path.read_text().splitlines()) + "\n")


def spell(path):
    head, first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([head, "thirty," + first.partition(",")[2], *rest]) + "\n")


@pytest.mark.parametrize(
    ("spoil", "options", "words"),
    [
        (drop_a_row, [], ["60 records", "59", "key column"]),
        (drop_a_column, [], ["released table", "'age'"]),
        (spell, [], ["'age'", "numeric", "line 2"]),
        (None, ["--measure", "sse,dlt"], ["'dlt'", "must be one of"]),
        (None, ["--by-key", "name"], ["released table", "'name'"]),
        (None, ["--subsets", "9"], ["from 1 to 4", "9"]),
        (None, ["--subsets", "age+shoe"], ["shoe"]),
        (None, ["--subsets", "²"], ["subsets must name quasi-identifiers", "²"]),
        (None, ["--subsets", "9" * 5000], ["--subsets takes a number of columns", "5000 digits"]),
        (None, ["--subsets", "age", "--subsets", "9" * 5000], ["--subsets takes a number of columns", "5000 digits"]),
        (None, ["-m", ""], ["--measure names nothing: leave it out"]),
        (None, ["-m", ","], ["--measure names nothing: leave it out"]),
        (None, ["--subsets", "all", "--subsets", "age"], ["not several"]),
        (None, ["--sample", "3"], ["sample needs subsets"]),
    ],
)
def test_mistakes_are_one_sentence(released, spoil, options, words):
    if spoil is not None:
        spoil(released.path / "out.csv")
    done = run(released, *options)
    text = done.stderr.decode()
    assert done.returncode == 2
    assert done.stdout == b""
    assert text.startswith("error: ")
    assert len(text.strip().splitlines()) == 1
    assert "Traceback" not in text
    for word in words:
        assert word in text
