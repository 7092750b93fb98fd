"""A shuffled release on the command line, and the map that matches its rows."""

import os
import stat

import polars as pl
import pytest


@pytest.fixture
def sorted_folder(folder):
    """People in the order of their age."""
    people = pl.read_csv(folder.path / "data.csv", infer_schema=False)
    people.sort(pl.col("age").cast(pl.Int64)).write_csv(folder.path / "data.csv")
    return folder


def anonymize(folder, *more):
    return folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", *more)


def scores(folder, *more):
    done = folder.shoal("measure", "data.csv", "out.csv", "--plan", "plan.toml", "--json", "--no-groups", "-q", *more)
    return done.returncode, done.stdout, done.stderr.decode()


def test_a_shuffle_is_said_and_cells_stay_together(sorted_folder):
    done = anonymize(sorted_folder, "--row-map", "rows.csv")
    assert done.returncode == 0
    assert b"the rows were shuffled: they followed 'age'" in done.stderr
    assert b"wrote out.csv, out.manifest.json and rows.csv" in done.stderr
    rows = pl.read_csv(sorted_folder.path / "rows.csv")
    assert rows.columns == ["released_row", "original_row"]
    assert rows["released_row"].to_list() == list(range(1, 61))
    original = pl.read_csv(sorted_folder.path / "data.csv", infer_schema=False)
    released = pl.read_csv(sorted_folder.path / "out.csv", infer_schema=False)
    # Cells that were not masked are written as they stood, beside those of their own record.
    kept = ["pay", "ward"]
    assert released.select(kept).equals(original[rows["original_row"].to_numpy() - 1].select(kept))
    assert not released.select(kept).equals(original.select(kept))


def test_a_row_map_is_for_its_owner_alone(sorted_folder):
    place = sorted_folder.path / "rows.csv"
    place.write_text("old")
    place.chmod(0o644)
    assert anonymize(sorted_folder, "--row-map", "rows.csv").returncode == 0
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE((sorted_folder.path / "out.csv").stat().st_mode) != 0o600


def test_a_row_map_beside_a_release_with_the_same_permissions_is_refused(sorted_folder):
    before = os.umask(0o077)
    try:
        done = anonymize(sorted_folder, "--row-map", "rows.csv")
        assert done.returncode == 2
        assert b"would stand beside the release with the same permissions" in done.stderr
        assert sorted_folder.names() == ["data.csv", "plan.toml"]
        (sorted_folder.path / "own").mkdir()
        assert anonymize(sorted_folder, "--row-map", "own/rows.csv").returncode == 0
    finally:
        os.umask(before)
    assert (sorted_folder.path / "own" / "rows.csv").exists()


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("-", b"- is no file that its owner alone can read"),
        ("/dev/null", b"/dev/null is no file that its owner alone can read"),
        ("nowhere/rows.csv", b"does not exist"),
        ("data.csv", b"is an input of this run"),
        ("out.csv", b"is named for two outputs"),
    ],
)
def test_a_row_map_that_cannot_be_kept_to_oneself_is_refused(sorted_folder, target, said):
    done = anonymize(sorted_folder, "--row-map", target)
    assert done.returncode == 2
    assert said in done.stderr
    assert sorted_folder.names() == ["data.csv", "plan.toml"]


def test_a_file_system_without_permissions_is_refused(sorted_folder, monkeypatch):
    monkeypatch.setattr("shoal.files.outputs.is_private", lambda status: False)
    done = anonymize(sorted_folder, "--row-map", "rows.csv")
    assert done.returncode == 2
    assert b"rows.csv must be for its owner alone, and this file system lets others read it" in done.stderr
    assert sorted_folder.names() == ["data.csv", "plan.toml"]


def test_measures_match_rows_by_the_map(sorted_folder):
    assert anonymize(sorted_folder, "--order", "keep").returncode == 0
    wanted = scores(sorted_folder)
    assert wanted[0] == 0
    done = anonymize(sorted_folder, "--row-map", "rows.csv")
    assert done.returncode == 0
    assert scores(sorted_folder, "--row-map", "rows.csv") == wanted
    code, _, said = scores(sorted_folder)
    assert code == 2
    assert "the rows of out.csv were shuffled, as out.manifest.json beside it says" in said
    # Without a manifest the columns that nobody masked tell it.
    (sorted_folder.path / "out.manifest.json").unlink()
    code, _, said = scores(sorted_folder)
    assert code == 2
    assert "say how rows belong together, by a row map or a key column" in said


def test_reports_match_rows_by_the_map(sorted_folder):
    assert anonymize(sorted_folder, "--row-map", "rows.csv", "--report", "with.html").returncode == 0
    command = ("report", "data.csv", "out.csv", "--plan", "plan.toml", "-o", "after.html")
    done = sorted_folder.shoal(*command)
    assert done.returncode == 2
    assert b"give --row-map the file" in done.stderr
    assert sorted_folder.shoal(*command, "--row-map", "rows.csv").returncode == 0
    made, later = ((sorted_folder.path / name).read_text() for name in ("with.json", "after.json"))
    distributions = [text.split('"distributions"')[1].split('"riskiest"')[0] for text in (made, later)]
    assert distributions[0] == distributions[1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a,b\n1,2\n", "rows.csv is no row map: its columns must be released_row and original_row"),
        ("released_row,original_row\n1,1\n2,2\n", "must name each of the 60 rows of out.csv and of the original once"),
        ("released_row,original_row\n" + "1,1\n" * 60, "must name each of the 60 rows"),
        ("released_row,original_row\n" + "".join(f"{i},x\n" for i in range(1, 61)), "must name each of the 60 rows"),
        (None, "rows.csv cannot be read: there is no such file"),
    ],
    ids=["columns", "few", "twice", "words", "absent"],
)
def test_what_is_no_row_map_is_refused(sorted_folder, content, said):
    assert anonymize(sorted_folder).returncode == 0
    if content is not None:
        (sorted_folder.path / "rows.csv").write_text(content)
    code, _, err = scores(sorted_folder, "--row-map", "rows.csv")
    assert code == 2
    assert said in err


def test_rows_are_matched_in_one_way(sorted_folder):
    assert anonymize(sorted_folder, "--row-map", "rows.csv").returncode == 0
    code, _, said = scores(sorted_folder, "--row-map", "rows.csv", "--by-key", "pay")
    assert code == 2
    assert "--row-map and --by-key both say which records belong together" in said
    assert scores(sorted_folder, "--by-key", "pay")[0] == 0


def test_check_says_that_rows_will_be_shuffled(sorted_folder):
    done = sorted_folder.shoal("check", "data.csv", "--plan", "plan.toml")
    assert b"The rows will be shuffled: they follow 'age'." in done.stdout
    done = sorted_folder.shoal("check", "data.csv", "--plan", "plan.toml", "--order", "shuffle")
    assert b"The rows will be shuffled: the plan asks for it." in done.stdout
    done = sorted_folder.shoal("check", "data.csv", "--plan", "plan.toml", "--order", "keep")
    assert b"shuffled" not in done.stdout


def test_a_dry_run_writes_no_row_map(sorted_folder):
    assert anonymize(sorted_folder, "--dry-run", "--row-map", "rows.csv").returncode == 0
    assert sorted_folder.names() == ["data.csv", "plan.toml"]


def test_an_order_that_tells_nothing_has_a_map_too(folder):
    done = anonymize(folder, "--row-map", "rows.csv")
    assert b"shuffled" not in done.stderr
    assert pl.read_csv(folder.path / "rows.csv")["original_row"].to_list() == list(range(1, 61))
    assert scores(folder) == scores(folder, "--row-map", "rows.csv")
